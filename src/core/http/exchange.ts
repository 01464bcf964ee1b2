// What HTTP is to this package: one request and one response, whatever carries them. Servers and clients are written against what is here
// alone; `fetch` and `node:http` are thin adapters in both directions.
import { LocalError } from "../base/errors.ts";
import type { Signal } from "../base/signal.ts";

/** By lower-case name. Several values of one name are joined by `", "`, as RFC 9110 (section 5.3) allows. */
export type HeaderMap = ReadonlyMap<string, string>;
/** Headers in their order; a name may come more than once, in any case. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** A request as a server gets it, before its body is read. */
export interface HttpRequest {
  /** Upper case, as on the wire. */
  readonly method: string;
  /** The target without its query, percent-encoding and all: `/mcp`. */
  readonly path: string;
  /** What follows the first `?`, without it. */
  readonly query: string;
  readonly headers: HeaderMap;
  /** Aborts when the client has gone before it had the whole response, and when the adapter shuts down. Never after a complete response. */
  readonly signal: Signal;
  /**
   * The whole body, once. Rejects with a `LocalError`: `limit_exceeded` as soon as it is longer than `maxBytes` (whatever Content-Length says),
   * `timeout` where the sender is too slow for the adapter, `closed` where it ended early. Nothing is read before the call.
   */
  body(maxBytes: number): Promise<Uint8Array>;
}

/** A response of a server. Without a body it is complete with its head. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HeaderList;
  /** Whole, or text piece by piece as it comes. */
  readonly body?: string | TextSource;
}

/** Pulled by the adapter when the client takes more: what waits, waits on the side of the source, under its limits. */
export interface TextSource {
  /** Called once, before the first pull. `cut` ends the response at once and unfinished, even while the client takes nothing. */
  opened(cut: () => void): void;
  /** The next piece; `undefined` after the last. One pull at a time. Never rejects: a source that fails ends. */
  next(): Promise<string | undefined>;
  /** The client has gone; nothing is pulled any more. Not called after the end. */
  cancel(): void;
}

/** Answers one request. Never rejects: what goes wrong is a response. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>;

/** A request as a client sends it. */
export interface HttpCall {
  readonly method: "POST" | "GET" | "DELETE";
  /** Absolute, `http:` or `https:`. */
  readonly url: string;
  readonly headers: HeaderList;
  readonly body?: string | undefined;
  /** Aborting ends the call, also while its answer's body comes: the connection's stream is closed. */
  readonly signal: Signal;
}

/** An answer as a client gets it: as soon as its head is there. Whoever has it reads or cancels the body. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: HeaderMap;
  readonly body: ByteSource;
}

/** Pulled by whoever reads the answer. */
export interface ByteSource {
  /** The next piece, never empty; `undefined` after a proper end. Rejects with `closed` where the connection was cut before that. */
  next(): Promise<Uint8Array | undefined>;
  /** Ends the reading. Every answer's body is read to its end or cancelled. */
  cancel(): void;
}

/**
 * Sends one request. Redirects are not followed: they are answers. Rejects with a `LocalError`: `aborted` by the call's signal, else `closed` with
 * `details.delivery`: `"none"` where no byte of the request can have reached a server (no such host, refused, no TLS), `"unknown"` otherwise.
 */
export type HttpSend = (call: HttpCall) => Promise<HttpAnswer>;

/** What an `HttpSend` rejects with where the call's signal has aborted. */
export function givenUp({ reason }: Pick<Signal, "reason">): LocalError {
  return new LocalError("aborted", "the request was given up", { cause: reason });
}
