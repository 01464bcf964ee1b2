import assert from "node:assert/strict";
import { LocalError } from "../../src/core/base/errors.ts";
import { isObject, type JsonObject } from "../../src/core/base/json.ts";
import { OwnSignal } from "../../src/core/base/signal.ts";
import type { HttpHandler, HttpRequest, HttpResponse, TextSource } from "../../src/core/http/exchange.ts";
import { META } from "../../src/core/wire/versions.ts";
import { settle } from "./fake-host.ts";

export interface FakeCall {
  readonly method?: string;
  readonly path?: string;
  /** Over the ones that a well-behaved client sends; `undefined` takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/** One exchange without a socket, played by the test: whether the body was read, what came, and the client's leaving. */
export interface FakeExchange {
  readonly response: Promise<HttpResponse>;
  readonly bodyRead: boolean;
  /** What has come of it by now; `undefined` while nothing has. */
  readonly answered: HttpResponse | undefined;
  status(): Promise<number>;
  header(name: string): Promise<string | undefined>;
  /** The body of a response that is no stream, read as JSON. */
  json(): Promise<JsonObject>;
  /** The client reads as fast as it can; gives all that has come so far. */
  events(): Promise<SseEvent[]>;
  /** The raw text that has come so far, of a client that reads. */
  text(): Promise<string>;
  /** Whether the server has ended the stream. */
  ended(): Promise<boolean>;
  /** Whether the server has cut the connection. */
  readonly wasCut: boolean;
  /** The client's connection breaks. */
  abort(): void;
}

export interface SseEvent {
  readonly id?: string;
  readonly data?: JsonObject | "";
  readonly retry?: number;
}

export const HEADERS: Readonly<Record<string, string>> = {
  host: "127.0.0.1:3000",
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
};

export function send(handle: HttpHandler, { method = "POST", path = "/mcp", headers = {}, body }: FakeCall): FakeExchange {
  const signal = new OwnSignal();
  const given = new Map(Object.entries({ ...HEADERS, ...headers }).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body));
  let bodyRead = false;
  const request: HttpRequest = {
    method,
    path,
    query: "",
    headers: given,
    signal,
    async body(maxBytes) {
      bodyRead = true;
      if (bytes.length > maxBytes) throw new LocalError("limit_exceeded", "too long");
      return bytes;
    },
  };
  let answered: HttpResponse | undefined;
  let source: TextSource | undefined;
  let text = "";
  let ended = false;
  let reading = false;
  let wasCut = false;
  const response = handle(request).then((given) => {
    answered = given;
    if (typeof given.body === "object") {
      source = given.body;
      source.opened(() => {
        wasCut = true;
        exchange.abort();
      });
    }
    return given;
  });
  const read = async () => {
    await response;
    if (!reading && source !== undefined) {
      reading = true;
      void (async () => {
        for (;;) {
          const piece = await source.next();
          if (piece === undefined) break;
          text += piece;
        }
        ended = true;
      })();
    }
    await settle();
  };
  const exchange: FakeExchange = {
    response,
    get bodyRead() {
      return bodyRead;
    },
    get answered() {
      return answered;
    },
    get wasCut() {
      return wasCut;
    },
    status: async () => (await response).status,
    header: async (name) => (await response).headers.find(([known]) => known.toLowerCase() === name)?.[1],
    async json() {
      const { body: given } = await response;
      assert.ok(typeof given === "string", "the answer is a stream, or has no body");
      const value: unknown = JSON.parse(given);
      assert.ok(isObject(value));
      return value;
    },
    async text() {
      await read();
      return text;
    },
    async events() {
      await read();
      return parse(text);
    },
    async ended() {
      await read();
      return ended;
    },
    abort() {
      if (ended || signal.aborted) return;
      signal.fire(new LocalError("aborted", "the client has left"));
      source?.cancel();
    },
  };
  return exchange;
}

// As strict as what is tested: events of one line of data each, comments and fields by themselves.
function parse(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  for (const block of text.split("\n\n").slice(0, -1)) {
    const event: { id?: string; data?: JsonObject | ""; retry?: number } = {};
    for (const line of block.split("\n")) {
      if (line.startsWith(":")) continue;
      const colon = line.indexOf(":");
      const value = line.slice(colon + 1).replace(/^ /, "");
      const field = line.slice(0, colon);
      if (field === "data") event.data = value === "" ? "" : (JSON.parse(value) as JsonObject);
      else if (field === "retry") event.retry = Number(value);
      else if (field === "id") event.id = value;
      else assert.fail(`a strange line: ${line}`);
    }
    if (Object.keys(event).length > 0) events.push(event);
  }
  return events;
}

export const STATELESS = "2026-07-28";

/** A request of the stateless revision, with the headers that belong to it. */
export function statelessCall(id: number | string, method: string, params: JsonObject = {}, headers: FakeCall["headers"] = {}): FakeCall {
  const name = params["name"] ?? params["uri"];
  return {
    headers: {
      "mcp-protocol-version": STATELESS,
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
      ...headers,
    },
    body: {
      jsonrpc: "2.0",
      id,
      method,
      params: { ...params, _meta: { [META.protocolVersion]: STATELESS, [META.clientCapabilities]: {}, ...(isObject(params["_meta"]) ? params["_meta"] : {}) } },
    },
  };
}

/** A client of the handshake era, no more than its headers. */
export interface FakeSession {
  readonly id: string;
  post(message: unknown, headers?: FakeCall["headers"]): FakeExchange;
  request(id: number | string, method: string, params?: JsonObject): FakeExchange;
  get(lastEventId?: string): FakeExchange;
  remove(): FakeExchange;
}

export function initializeCall(version = "2025-11-25", headers: FakeCall["headers"] = {}): FakeCall {
  const params = { protocolVersion: version, capabilities: { sampling: {}, elicitation: {} }, clientInfo: { name: "c", version: "1" } };
  return { headers, body: { jsonrpc: "2.0", id: "init", method: "initialize", params } };
}

export async function openSession(handle: HttpHandler, version = "2025-11-25", headers: FakeCall["headers"] = {}): Promise<FakeSession> {
  const opened = send(handle, initializeCall(version, headers));
  assert.equal(await opened.status(), 200, "initialize was refused");
  const id = await opened.header("mcp-session-id");
  assert.ok(id !== undefined, "no session was given");
  const own = { ...headers, "mcp-session-id": id, "mcp-protocol-version": version };
  const session: FakeSession = {
    id,
    post: (message, more = {}) => send(handle, { headers: { ...own, ...more }, body: message }),
    request: (asked, method, params = {}) => session.post({ jsonrpc: "2.0", id: asked, method, params }),
    get: (lastEventId) =>
      send(handle, { method: "GET", headers: { ...own, accept: "text/event-stream", "content-type": undefined, "last-event-id": lastEventId } }),
    remove: () => send(handle, { method: "DELETE", headers: own }),
  };
  assert.equal(await session.post({ jsonrpc: "2.0", method: "notifications/initialized" }).status(), 202);
  return session;
}
