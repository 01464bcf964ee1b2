// Drives `gateway --workers` from outside: which worker a connection has come to shows in the ids of the sessions that begin on it.
import assert from "node:assert/strict";
import { Agent, request, type IncomingMessage } from "node:http";
import { startCli, type Running } from "./run-cli.ts";

export interface Cluster {
  readonly running: Running;
  readonly url: string;
  readonly opsUrl: string;
  /** Settles once stderr matches. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
}

export async function startCluster(file: string, ...words: readonly string[]): Promise<Cluster> {
  const running = await startCli(["gateway", "-c", file, "--workers", "2", ...words]);
  const said = async (pattern: RegExp) => {
    for (;;) {
      const found = pattern.exec(running.stderr());
      if (found !== null) return found;
      await new Promise((resolve, reject) => {
        running.child.stderr.once("data", resolve);
        running.child.once("exit", () => reject(new assert.AssertionError({ message: `ended before ${pattern}: ${running.stderr()}` })));
      });
    }
  };
  const [, url = ""] = await said(/(http:\/\/\S+\/up\/mcp)/);
  const opsUrl = /metrics at (\S+)\/metrics/.exec(running.stderr())?.[1] ?? "";
  return { running, url, opsUrl, said };
}

export interface Answer {
  readonly status: number;
  readonly session: string | undefined;
  readonly text: string;
}

/** One TCP connection, and so one worker. */
export interface Connection {
  /** The answer as it begins. */
  open(method: string, body?: string, headers?: Readonly<Record<string, string>>): Promise<IncomingMessage>;
  close(): void;
}

export function connection(url: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    open: (method, body, headers = {}) =>
      new Promise((resolve, reject) => {
        const type = { accept: "application/json, text/event-stream", ...(body === undefined ? {} : { "content-type": "application/json" }) };
        const outgoing = request(url, { agent, method, headers: { ...type, ...headers } }, resolve);
        outgoing.on("error", reject);
        outgoing.end(body);
      }),
    close: () => agent.destroy(),
  };
}

export async function textOf(answer: IncomingMessage): Promise<string> {
  let text = "";
  answer.setEncoding("utf8");
  for await (const piece of answer) text += String(piece);
  return text;
}

const VERSION = { "mcp-protocol-version": "2025-11-25" };
const CLIENT = { name: "c", version: "1" };
export const inSession = (session: string): Readonly<Record<string, string>> => ({ ...VERSION, "mcp-session-id": session });
let lastId = 0;
export const message = (method: string, params: object): string => JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params });
export const toolCall = (name: string, args: object = {}, meta: object = {}): string => message("tools/call", { name, arguments: args, _meta: meta });

/** A retry, or a first try, of a call in 2026-07-28. */
export function statelessCall(name: string, more: object = {}): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };
  return {
    body: message("tools/call", { name, arguments: {}, _meta, ...more }),
    headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name },
  };
}

export async function ask({ open }: Connection, body: string, headers?: Readonly<Record<string, string>>): Promise<Answer> {
  const answer = await open("POST", body, headers);
  const session = answer.headers["mcp-session-id"];
  return { status: answer.statusCode ?? 0, session: typeof session === "string" ? session : undefined, text: await textOf(answer) };
}

export async function begin(on: Connection): Promise<string> {
  const { session, text } = await ask(on, message("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: CLIENT }));
  assert.ok(session !== undefined, text);
  await ask(on, JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }), inSession(session));
  return session;
}

export interface Seat extends Connection {
  readonly session: string;
}

/** A connection to this worker, with a session at it. */
export async function seatAt(url: string, slot: number): Promise<Seat> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const on = connection(url);
    const session = await begin(on);
    if (session.startsWith(`${slot}-`)) return { ...on, session };
    on.close();
  }
  assert.fail(`no connection has come to worker ${slot}`);
}

/** Which process serves a session, and the upstream's that it has started for it. */
export async function pidsOf(on: Connection, session: string): Promise<{ readonly pid: number; readonly parent: number }> {
  const { text } = await ask(on, toolCall("pids"), inSession(session));
  const { result } = JSON.parse(text) as { result: { content: [{ text: string }] } };
  return JSON.parse(result.content[0].text) as { pid: number; parent: number };
}

/** Settles once it holds; looked at again and again, as nothing tells. The run's own patience ends it. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 25));
}

export async function page(url: string): Promise<string> {
  return await (await fetch(url, { headers: { connection: "close" } })).text();
}
