import type { JsonObject } from "../base/json.ts";
import { isObject } from "../base/json.ts";
import type { SignalLike } from "../base/signal.ts";
import type { Principal } from "../wire/gen/interceptors.ts";
import type { RequestId } from "../wire/message.ts";
import { newConnection } from "./connection.ts";
import type { PeerContext } from "./transport.ts";

/**
 * The transport of the official TypeScript SDKs, by its shape: messages are pushed into `onmessage`, which the protocol object on top sets
 * before it calls `start`.
 */
export interface SdkTransport {
  start(): Promise<void>;
  send(message: unknown, options?: SdkSendOptions): Promise<void>;
  /** Calls `onclose` as well. */
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  /** Not every error ends the connection. */
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: PushMessage | undefined;
  sessionId?: string | undefined;
  setProtocolVersion?: ((version: string) => void) | undefined;
  /** Each request has a stream of its own, and aborting its `requestSignal` is how it is cancelled (2026-07-28, Streamable HTTP). */
  readonly hasPerRequestStream?: boolean | undefined;
}

// The type of a method, not of a function: the compiler then lets a narrower parameter pass, such as their message types.
type PushMessage = { push(message: unknown, extra?: unknown): void }["push"];

/** What their `send` takes beside the message; members that we do not know travel along. */
export interface SdkSendOptions {
  relatedRequestId?: RequestId | undefined;
  resumptionToken?: string | undefined;
  onresumptiontoken?: ((token: string) => void) | undefined;
  requestSignal?: SignalLike | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}

// What a message came with, kept beside the context that stands for it: whatever passes the context on gives their SDK all of it
// back, callbacks included, and nobody in between sees the bearer token in it.
const extras = new WeakMap<PeerContext, object>();

/** The peer as their `extra` describes it. `plain` stands for a message that came without one. */
export function contextFromExtra(extra: unknown, plain: PeerContext): PeerContext {
  if (!isObject(extra)) return plain;
  // The 1.x line has `requestInfo`, the 2.x line the request itself.
  const headers = readHeaders(extra["requestInfo"]) ?? readHeaders(extra["request"]);
  const principal = readPrincipal(extra["authInfo"]);
  const context: PeerContext = {
    transport: headers === undefined ? plain.transport : "http",
    connection: plain.connection,
    ...(headers !== undefined ? { headers } : {}),
    ...(principal !== undefined ? { principal } : {}),
  };
  extras.set(context, extra);
  return context;
}

/** The `extra` that `context` was made from; otherwise what of it has a place in their shape. */
export function extraFromContext(context: PeerContext): object | undefined {
  const kept = extras.get(context);
  if (kept !== undefined) return kept;
  return context.headers === undefined ? undefined : { requestInfo: { headers: Object.fromEntries(context.headers) } };
}

/** The context of a wrapped transport that tells nothing about its messages. */
export function plainContext(): PeerContext {
  return { transport: "port", connection: newConnection("port") };
}

function readHeaders(requestInfo: unknown): ReadonlyMap<string, string> | undefined {
  if (!isObject(requestInfo) || !isObject(requestInfo["headers"])) return undefined;
  const source: JsonObject = requestInfo["headers"];
  const headers = new Map<string, string>();
  const add = (name: unknown, value: unknown) => {
    if (typeof value === "string") headers.set(String(name).toLowerCase(), value);
    else if (Array.isArray(value)) headers.set(String(name).toLowerCase(), value.join(", "));
  };
  // A WHATWG `Headers`, or the plain record that older versions have.
  if (typeof source["forEach"] === "function") source["forEach"]((value: unknown, name: unknown) => add(name, value));
  else for (const [name, value] of Object.entries(source)) add(name, value);
  return headers;
}

// Their server has verified the token before it says who it belongs to. The token itself stays out of what we show.
function readPrincipal(authInfo: unknown): Principal | undefined {
  if (!isObject(authInfo)) return undefined;
  const { clientId, scopes, extra } = authInfo;
  const claims = Array.isArray(scopes) ? { claims: { scopes: scopes.map(String) } } : {};
  const subject = isObject(extra) ? extra["sub"] : undefined;
  if (typeof subject === "string") return { type: "user", id: subject, ...claims };
  return typeof clientId === "string" ? { type: "service", id: clientId, ...claims } : undefined;
}
