import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { after, afterEach } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { META } from "../../src/core/wire/versions.ts";
import { startGateway, type ConfiguredGateway, type StartOptions } from "../../src/gateway/config/start.ts";
import { temporaryFolder, type Folder } from "../gateway/config/kit.ts";

export const STATELESS = "2026-07-28";
export const HANDSHAKE = "2025-11-25";

/** Gateways on configuration files in a folder of their own; each ends with its test. Call it once, at the top of a test file. */
export function gateways(): { readonly folder: Folder; start(config: object, options?: Partial<StartOptions>): Promise<ConfiguredGateway> } {
  const folder = temporaryFolder();
  const running: ConfiguredGateway[] = [];
  let files = 0;
  afterEach(() => Promise.all(running.splice(0).map((one) => one.close())));
  after(() => folder.remove());
  return {
    folder,
    async start(config, options = {}) {
      const gateway = await startGateway({ file: folder.write(`gateway-${++files}.json`, config), env: {}, watch: false, ...options });
      running.push(gateway);
      return gateway;
    },
  };
}

export interface RawAnswer {
  readonly status: number;
  /** Head and body, as they came. */
  readonly text: string;
}

/** Sends a text over a socket and reads until the server closes it; ask for `Connection: close`. */
export async function sendRaw(url: string, text: string): Promise<RawAnswer> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ""));
  socket.on("error", () => {});
  socket.write(text);
  let answer = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk));
  await once(socket, "close");
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]), text: answer };
}

/** `_meta` of a request of revision 2026-07-28. */
export const metaOf = (capabilities: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  [META.protocolVersion]: STATELESS,
  [META.clientInfo]: { name: "caller", version: "1" },
  [META.clientCapabilities]: capabilities,
  ...more,
});

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  /** The response, whether it came by itself or as the last of a stream; empty where there is none. */
  readonly message: { readonly result?: JsonObject; readonly error?: { readonly code: number; readonly message: string; readonly data?: JsonObject } };
  /** The whole body. */
  readonly text: string;
}

export interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly meta?: JsonObject;
  readonly signal?: AbortSignal;
}

async function post(url: string, body: JsonObject, headers: Record<string, string>, signal: AbortSignal | undefined): Promise<Posted> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const lines = response.headers.get("content-type")?.startsWith("text/event-stream") === true ? [...text.matchAll(/^data: ?(.+)$/gm)].map(([, line = ""]) => line) : [text];
  const last = lines.at(-1) ?? "";
  return { status: response.status, headers: response.headers, message: last === "" ? {} : (JSON.parse(last) as Posted["message"]), text };
}

/** A request of revision 2026-07-28. */
export function ask(url: string, method: string, params: JsonObject = {}, { headers = {}, meta = {}, signal }: PostOptions = {}): Promise<Posted> {
  const name = params["name"] ?? params["uri"];
  const routed: Record<string, string> = { "mcp-protocol-version": STATELESS, "mcp-method": method, ...(typeof name === "string" ? { "mcp-name": name } : {}), ...headers };
  return post(url, { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: metaOf({}, meta) } }, routed, signal);
}

/** A session of the handshake era, by hand. */
export async function session(url: string, headers: Record<string, string> = {}) {
  const opened = await post(url, { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: HANDSHAKE, capabilities: {}, clientInfo: { name: "caller", version: "1" } } }, headers, undefined);
  const own = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": HANDSHAKE, ...headers };
  await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, own, undefined);
  let id = 0;
  return {
    opened,
    ask: (method: string, params: JsonObject = {}) => post(url, { jsonrpc: "2.0", id: ++id, method, params }, own, undefined),
  };
}

export interface Seen {
  readonly headers: IncomingMessage["headers"];
  readonly message: JsonObject & { readonly method: string; readonly id?: number; readonly params?: JsonObject };
}

export interface HttpUpstream {
  readonly url: string;
  /** Requests and notifications, those of the greeting apart. */
  readonly seen: Seen[];
}

/** A server of one revision over HTTP, which answers with what a function says: a result, `{ error }`, or nothing at all. Ends with the test file. */
export async function httpUpstream(version: string, capabilities: JsonObject, answer: (message: Seen["message"]) => JsonObject | undefined): Promise<HttpUpstream> {
  const seen: Seen[] = [];
  const greeting = (method: string): JsonObject | undefined => {
    const serverInfo = { name: "upstream", version: "1" };
    if (method === "server/discover") {
      return version < STATELESS
        ? { error: { code: -32601, message: "Method not found" } }
        : { resultType: "complete", supportedVersions: [version], capabilities, ttlMs: 0, cacheScope: "private", _meta: { [META.serverInfo]: serverInfo } };
    }
    return method === "initialize" ? { protocolVersion: version, capabilities, serverInfo } : undefined;
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += String(chunk);
    const message = JSON.parse(body) as Seen["message"];
    const greeted = greeting(message.method);
    if (greeted === undefined && message.method !== "notifications/initialized") seen.push({ headers: request.headers, message });
    if (message.id === undefined) return response.writeHead(202).end();
    const said = greeted ?? answer(message);
    if (said === undefined) return undefined;
    const whole = Object.hasOwn(said, "error") ? said : { result: said };
    return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...whole }));
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen };
}
