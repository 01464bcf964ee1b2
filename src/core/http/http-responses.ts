import { ErrorCode, RpcError } from "../base/errors.ts";
import type { RequestId } from "../wire/message.ts";
import type { HeaderList, HttpResponse, TextSource } from "./exchange.ts";

const JSON_HEADERS: HeaderList = [["content-type", "application/json"]];
// Proxies are asked not to hold back what comes (2026-07-28, basic/transports/streamable-http), and nobody may answer with it later.
const STREAM_HEADERS: HeaderList = [
  ["content-type", "text/event-stream"],
  ["cache-control", "no-cache, no-transform"],
  ["x-accel-buffering", "no"],
];

const RETRY_AFTER: HeaderList = [["retry-after", "5"]];

export function jsonResponse(status: number, body: string, headers?: HeaderList): HttpResponse {
  return { status, headers: headers === undefined ? JSON_HEADERS : [...JSON_HEADERS, ...headers], body };
}

export function streamResponse(body: TextSource, headers?: HeaderList): HttpResponse {
  return { status: 200, headers: headers === undefined ? STREAM_HEADERS : [...STREAM_HEADERS, ...headers], body };
}

export function emptyResponse(status: number, headers: HeaderList = []): HttpResponse {
  return { status, headers };
}

/** A response that refuses: its body is a JSON-RPC error, with the request's id where that could be read. */
export function refuse(status: number, error: RpcError, id: RequestId | null = null, headers?: HeaderList): HttpResponse {
  return jsonResponse(status, JSON.stringify({ jsonrpc: "2.0", id, error: error.toJson() }), headers);
}

export function badRequest(message: string, id?: RequestId, status = 400, headers?: HeaderList): HttpResponse {
  return refuse(status, new RpcError(ErrorCode.invalidRequest, message), id ?? null, headers);
}

export function unavailable(message: string, id?: RequestId): HttpResponse {
  return refuse(503, new RpcError(ErrorCode.internalError, message), id ?? null, RETRY_AFTER);
}

/** How a server that takes nothing new refuses the requests of sessions that still live. With 404 their clients open another one (2025-11-25, Session Management). */
export type Refusing = 503 | 404;

/** What a server that takes nothing new says: an error under the id of each request, by which none of them was served. */
export function draining(ids: readonly RequestId[], status: Refusing): HttpResponse {
  const error = { code: ErrorCode.internalError, message: "The server is about to end; try again", data: { reason: "draining", delivery: "none" } };
  const [first = null, ...more] = ids;
  const answers = [first, ...more].map((id) => ({ jsonrpc: "2.0", id, error }));
  return jsonResponse(status, JSON.stringify(more.length === 0 ? answers[0] : answers), status === 503 ? RETRY_AFTER : undefined);
}

/** For a request that was taken, and gets no answer any more. `ending`: since the whole server ends. */
export function unanswered(message: string, id: RequestId | undefined, ending: boolean): HttpResponse {
  const data = { ...(ending ? { reason: "draining" } : {}), delivery: "unknown" };
  return refuse(503, new RpcError(ErrorCode.internalError, message, data), id, RETRY_AFTER);
}

const FAULTS_OF_MESSAGES: ReadonlySet<number> = new Set([
  ErrorCode.parseError,
  ErrorCode.invalidRequest,
  ErrorCode.headerMismatch,
  ErrorCode.missingClientCapability,
  ErrorCode.unsupportedProtocolVersion,
]);

/**
 * The status of a stateless response that is an error (2026-07-28, basic/transports/streamable-http and basic/index). `completeMeta`: whether the
 * request's `_meta` had all that it must have; wrong params of another kind are the method's own business, and answered 200.
 */
export function statusOf(code: number, completeMeta: boolean): number {
  if (code === ErrorCode.methodNotFound) return 404;
  return FAULTS_OF_MESSAGES.has(code) || (code === ErrorCode.invalidParams && !completeMeta) ? 400 : 200;
}
