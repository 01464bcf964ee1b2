// What the fault tests have in common: a gateway on a real configuration and a real port, raw clients of both eras that keep every byte they are sent, and
// the count of answers.
import assert from "node:assert/strict";
import { Agent, request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../../src/core/base/json.ts";
import { startGateway, type ConfiguredGateway, type StartOptions } from "../../src/gateway/config/start.ts";
import { metaOf } from "../gateway/raw.ts";
import { temporaryFolder, type Folder } from "../gateway/config/kit.ts";

/** In every payload of upstreams that a guard has to mend, and nowhere else. */
export const MARK = "unguarded";

export const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const lists = temporaryFolder();
process.on("exit", () => lists.remove());
let listed = 0;

/** An item for `interceptors`: a server, a real child, of these of `policies.mjs`. The last of `args` is the file that names them, and may be changed. */
export function policies(...names: string[]) {
  return { command: process.execPath, args: [here("policies.mjs"), lists.write(`${++listed}.json`, names)] as const, breaker: false };
}

/** An entry of `upstreams`: `upstream.mjs`, a real child of an era. */
export function childOf(era: string, more: JsonObject = {}, ...args: string[]) {
  return { command: process.execPath, args: [here("upstream.mjs"), era, ...args], backOff: { firstMs: 1, longestMs: 20 }, ...more };
}

export interface Rig {
  readonly one: ConfiguredGateway;
  readonly folder: Folder;
  /** The configuration that it was started with. */
  readonly config: JsonObject;
  /** Ends it, and looks whether something is left. */
  end(): Promise<void>;
}

/** A gateway on `config`, with a port and an audit log of its own. */
export async function startRig(test: TestContext, config: JsonObject, options: Partial<StartOptions> = {}): Promise<Rig> {
  const folder = temporaryFolder();
  const whole = { http: { port: 0 }, audit: { file: "audit.jsonl", sync: "never" }, ...config };
  const one = await startGateway({ file: folder.write("gateway.json", whole), env: {}, watch: false, log: () => {}, chainLog: () => {}, ...options });
  test.after(() => one.close());
  return {
    one,
    folder,
    config: whole,
    async end() {
      await one.close();
      folder.remove();
      const { faces, calls, parked } = one.gateway.stats();
      assert.deepEqual([faces, calls, parked], [0, 0, 0]);
    },
  };
}

export interface FaultClients {
  /** Calls a tool as each of the clients, or the first so many, at once; gives the ids, which are the calls' nonces too. Settles when the requests are out, not when they are answered. */
  call(tool: string, args?: JsonObject, many?: number): readonly string[];
  /** Settles when each exchange has ended. */
  settled(): Promise<void>;
  /** Everything that was answered to an id, as text. */
  answersTo(id: string): readonly string[];
  close(): Promise<void>;
  /**
   * Each call has one answer: its own, which the guard has mended, or an error; and no byte of all that came has the mark. Gives the ids of both kinds.
   */
  judged(): { readonly own: ReadonlySet<string>; readonly failed: ReadonlyMap<string, JsonObject> };
}

export interface ClientsOptions {
  readonly upstream?: string;
  /** Of each era. */
  readonly ofEach?: number;
  /** How often a session that is refused as its upstream is lost is asked for again. Default 0. */
  readonly patience?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Raw clients over HTTP: `ofEach` sessions, each with a stream of its own, and as many stateless ones. */
export async function connectClients(origin: string | undefined, { upstream = "up", ofEach = 3, patience = 0, headers = {} }: ClientsOptions = {}): Promise<FaultClients> {
  const url = `${origin}/${upstream}/mcp`;
  const agent = new Agent({ keepAlive: true });
  const bytes: Buffer[] = [];
  const answers = new Map<string, string[]>();
  const exchanges = new Set<Promise<void>>();
  const streams: ClientRequest[] = [];

  const take = (message: JsonObject, text: string) => {
    if (message["method"] === undefined) answers.get(String(message["id"]))?.push(text);
  };
  const listen = async (response: IncomingMessage): Promise<string> => {
    const whole: Buffer[] = [];
    const isStream = String(response.headers["content-type"]).includes("text/event-stream");
    bytes.push(Buffer.from(response.rawHeaders.join("\n")));
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        bytes.push(chunk);
        whole.push(chunk);
      }
    } catch {
      // What has come until then counts.
    }
    const text = Buffer.concat(whole).toString();
    const messages = isStream ? text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [line.slice(6)] : [])) : text.startsWith("{") ? [text] : [];
    for (const message of messages) take(JSON.parse(message) as JsonObject, message);
    return text;
  };
  const send = (method: string, more: Record<string, string>, body?: string): { readonly request: ClientRequest; readonly response: Promise<IncomingMessage> } => {
    const request = httpRequest(url, { method, agent, headers: { ...JSON_HEADERS, ...headers, ...more } });
    const response = new Promise<IncomingMessage>((resolve, reject) => request.on("response", resolve).on("error", reject));
    request.end(body);
    return { request, response };
  };
  const post = (more: Record<string, string>, message: JsonObject): Promise<IncomingMessage> => send("POST", more, JSON.stringify({ jsonrpc: "2.0", ...message })).response;

  const open = async (): Promise<Record<string, string>> => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
    let response = await post({}, { id: "init", method: "initialize", params });
    let answer = await listen(response);
    for (let left = patience; left > 0 && /"unavailable"/.test(answer); left--) {
      response = await post({}, { id: "init", method: "initialize", params });
      answer = await listen(response);
    }
    assert.match(answer, /"result"/);
    const session = { "mcp-session-id": String(response.headers["mcp-session-id"]), "mcp-protocol-version": "2025-11-25" };
    await listen(await post(session, { method: "notifications/initialized" }));
    const { request, response: stream } = send("GET", session);
    streams.push(request);
    void stream.then(listen, () => {});
    return session;
  };
  const sessions = await Promise.all(Array.from({ length: ofEach }, open));
  let calls = 0;

  return {
    call(tool, args = {}, many = 2 * ofEach) {
      const round = calls++;
      return Array.from({ length: many }, (_, index) => {
        const session = sessions[index];
        const id = `${session === undefined ? "stateless" : "session"}${index}-${round}-${tool}`;
        answers.set(id, []);
        const meta = session === undefined ? { _meta: JSON.parse(metaOf()) as JsonObject } : {};
        const how: Record<string, string> = session ?? { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": tool };
        const exchange: Promise<void> = post(how, { id, method: "tools/call", params: { name: tool, arguments: { nonce: id, ...args }, ...meta } })
          .then(listen)
          .then(() => {}, () => {})
          .finally(() => exchanges.delete(exchange));
        exchanges.add(exchange);
        return id;
      });
    },
    async settled() {
      while (exchanges.size > 0) await Promise.all(exchanges);
    },
    answersTo: (id) => answers.get(id) ?? [],
    async close() {
      for (const session of sessions) {
        const { response } = send("DELETE", session);
        await response.then(listen, () => {});
      }
      for (const stream of streams) stream.destroy();
      agent.destroy();
    },
    judged() {
      const all = Buffer.concat(bytes);
      const at = all.indexOf(MARK);
      assert.equal(at, -1, `unguarded: ${all.subarray(Math.max(0, at - 200), at + 200).toString()}`);
      const own = new Set<string>();
      const failed = new Map<string, JsonObject>();
      for (const [id, texts] of answers) {
        assert.equal(texts.length, 1, `${id} has ${texts.length} answers: ${texts.join(" ")}`);
        const { result, error } = JSON.parse(texts[0]!) as { result?: JsonObject; error?: JsonObject };
        if (error !== undefined) failed.set(id, error);
        else {
          assert.ok(JSON.stringify(result).includes(`"seen ${id}"`), `${id} has another's answer: ${texts[0]?.slice(0, 300)}`);
          own.add(id);
        }
      }
      return { own, failed };
    },
  };
}
