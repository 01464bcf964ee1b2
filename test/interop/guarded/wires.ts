// A client and a server of one official line, connected over one kind of transport, with the guard on either side or on none.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client as Client2x, InMemoryTransport as InMemory2x, StreamableHTTPClientTransport as Http2x } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2x } from "@modelcontextprotocol/client/stdio";
import { Client as Client1x } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1x } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1x } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport as InMemory1x } from "@modelcontextprotocol/sdk/inMemory.js";
import type { McpServer as Server1x } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport as HttpServer1x, type EventStore } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { createMcpHandler, WebStandardStreamableHTTPServerTransport as HttpServer2x, type McpServer as Server2x } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { SdkTransport } from "../../../src/core/transport/sdk-adapters.ts";
import type { AttachOptions, Interceptor } from "../../../src/index.ts";
import { library } from "../matrix/library.ts";

export type Line = "1.x" | "2.x, handshake" | "2.x, stateless";
export type Wire = "memory" | "stdio" | "http";
export type Guarded = "client" | "server" | "neither";
export type AnyClient = Client1x | Client2x;

interface Seen {
  readonly name: string;
  readonly principal: unknown;
}

interface Program<Server> {
  build(): Server;
}

const program = (name: string): string => join(import.meta.dirname, "servers", name);
// Programs are JavaScript, as plain node runs them; the types are those of what they build.
const load = async <Module>(name: string): Promise<Module> => (await import(pathToFileURL(program(name)).href)) as Module;
export const { createPolicy, OPTIONS } = await load<{ createPolicy(seen?: Seen[]): Interceptor[]; OPTIONS: AttachOptions }>("policy.mjs");
const server1x = await load<Program<Server1x>>("server-1x.mjs");
const server2x = await load<Program<Server2x> & { guardedTransport(transport: unknown, interceptors: readonly Interceptor[]): Promise<SdkTransport> }>("server-2x.mjs");

const AUTH = { token: "t0ken", clientId: "app", scopes: ["read"] };
export const SERVER_URL: URL = new URL("http://localhost/mcp");
const HEADERS = { headers: { "x-test": "yes" } };

export interface Connected {
  readonly client: AnyClient;
  /** What the guard's validator has seen, where it is in this process. */
  readonly seen: readonly Seen[];
  /** Each request that went over HTTP. */
  readonly posts: readonly { readonly method: string; readonly body: string }[];
  /** How often the server was told that its connection is over. */
  readonly serverCloses: () => number;
  closeServer(): Promise<unknown>;
}

export interface ConnectOptions {
  readonly eventStore?: EventStore;
  readonly interceptors?: readonly Interceptor[];
}

/** A client of the line, not connected yet. */
export function clientOf(line: Line): AnyClient {
  if (line === "1.x") return new Client1x({ name: "c", version: "1" });
  const mode = line === "2.x, stateless" ? ({ pin: "2026-07-28" } as const) : undefined;
  return new Client2x({ name: "c", version: "1" }, mode === undefined ? {} : { versionNegotiation: { mode } });
}

/** A call of `connect` where the types of both lines meet. */
export const connect = (client: AnyClient, transport: unknown): Promise<void> => client.connect(transport as never);

export async function connected(line: Line, wire: Wire, guarded: Guarded, { eventStore, interceptors }: ConnectOptions = {}): Promise<Connected> {
  const seen: Seen[] = [];
  const posts: { method: string; body: string }[] = [];
  const policy = interceptors ?? createPolicy(seen);
  const client = clientOf(line);
  if (guarded === "client") library.guardClient(client, await library.localChain(policy), OPTIONS);
  let closes = 0;
  const done = (closeServer: () => Promise<unknown>): Connected => ({ client, seen, posts, serverCloses: () => closes, closeServer });

  if (wire === "stdio") {
    const args = [program(line === "1.x" ? "server-1x.mjs" : "server-2x.mjs"), ...(guarded === "server" ? ["guarded"] : [])];
    const Stdio = line === "1.x" ? Stdio1x : Stdio2x;
    await connect(client, new Stdio({ command: process.execPath, args, stderr: "ignore" }));
    return done(() => Promise.resolve());
  }

  const guard = async <Server extends Server1x | Server2x>(server: Server): Promise<Server> => {
    // In both lines the slot of a server is its owner's.
    server.server.onclose = () => void closes++;
    return guarded === "server" ? library.guardServer(server, await library.localChain(policy), OPTIONS) : server;
  };

  if (wire === "memory") {
    const [near, far] = (line === "1.x" ? InMemory1x : InMemory2x).createLinkedPair();
    if (line === "2.x, stateless") {
      const transport = guarded === "server" ? await server2x.guardedTransport(far, policy) : far;
      const handle = serveStdio(server2x.build, { transport: transport as never });
      await connect(client, near);
      return done(() => handle.close());
    }
    const server = line === "1.x" ? await guard(server1x.build()) : await guard(server2x.build());
    await server.connect(far as never);
    await connect(client, near);
    return done(() => server.close());
  }

  const fetchFrom = (handle: (request: Request) => Promise<Response>) => async (url: string | URL, init?: RequestInit) => {
    const request = new Request(url, init);
    posts.push({ method: request.method, body: typeof init?.body === "string" ? init.body : "" });
    return handle(request);
  };
  if (line === "2.x, stateless") {
    const handler = createMcpHandler(() => guard(server2x.build()));
    await connect(client, new Http2x(SERVER_URL, { requestInit: HEADERS, fetch: fetchFrom((request) => handler.fetch(request, { authInfo: AUTH })) }));
    return done(() => handler.close());
  }
  const session = { sessionIdGenerator: () => randomUUID(), ...(eventStore === undefined ? {} : { eventStore }) };
  if (line === "1.x") {
    const transport = new HttpServer1x(session);
    const server = await guard(server1x.build());
    await server.connect(transport as never);
    await connect(client, new Http1x(SERVER_URL, { requestInit: HEADERS, fetch: fetchFrom((request) => transport.handleRequest(request, { authInfo: AUTH })) }));
    return done(() => server.close());
  }
  const transport = new HttpServer2x(session);
  const server = await guard(server2x.build());
  await server.connect(transport as never);
  await connect(client, new Http2x(SERVER_URL, { requestInit: HEADERS, fetch: fetchFrom((request) => transport.handleRequest(request, { authInfo: AUTH })) }));
  return done(() => server.close());
}

interface Called {
  readonly text: unknown;
  readonly audited: unknown;
}

interface CallExtras {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly progress: number }) => void;
  readonly onresumptiontoken?: (token: string) => void;
  readonly resumptionToken?: string;
}

/** The two lines differ in where the options stand. */
export async function call(client: AnyClient, name: string, args: Record<string, unknown> = {}, extras: CallExtras = {}): Promise<Called> {
  const params = { name, arguments: args };
  const options = { timeout: 10_000, ...extras };
  const is1x = client.callTool.length > 2 || "getTaskResult" in client;
  const result: unknown = await (is1x
    ? (client.callTool as unknown as (params: unknown, schema: undefined, options: unknown) => Promise<unknown>).call(client, params, undefined, options)
    : (client.callTool as unknown as (params: unknown, options: unknown) => Promise<unknown>).call(client, params, options));
  const { content, _meta } = result as { content: readonly { text?: unknown }[]; _meta?: Record<string, unknown> };
  return { text: content[0]?.text, audited: _meta?.["com.example/audited"] };
}
