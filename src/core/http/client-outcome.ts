import { ErrorCode, LocalError, describeError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { PeerContext, Arrival } from "../transport/transport.ts";
import { errorFrame, type Frame } from "../wire/frame.ts";
import type { ErrorObject, RequestId } from "../wire/message.ts";

/**
 * How a request over HTTP ended: with a response (`status` where it came with one of refusal; `named`: and under the request's own id, so that the server has
 * read it), or without one.
 */
export type Outcome =
  | { readonly frame: Frame; readonly status?: number; readonly named?: boolean; readonly failure?: undefined }
  | { readonly frame?: undefined; readonly failure: Failure };

/** `delivery`: `none` where the server has certainly not acted on the request, so that it may be sent again. */
export interface Failure {
  readonly message: string;
  readonly delivery: "none" | "unknown";
  /** Of an HTTP answer that was no answer. */
  readonly status?: number;
  /** The server has answered, and what it said is none: what is wrong with it. */
  readonly malformed?: ErrorObject;
}

/** Of an answer that is known to break the protocol; one that was cut off is not. */
export function malformed(error: ErrorObject, status?: number): Failure {
  return { message: error.message, delivery: "unknown", malformed: error, ...(status === undefined ? {} : { status }) };
}

export function noAnswer(message: string, status?: number): Failure {
  return malformed({ code: ErrorCode.invalidRequest, message }, status);
}

/** Of what `HttpSend`, or `authorize`, rejected with. */
export function failureOf(thrown: unknown): Failure {
  const delivery = thrown instanceof LocalError && thrown.details?.["delivery"] === "none" ? "none" : "unknown";
  return { message: describeError(thrown), delivery };
}

// With these a server, or a proxy before it, says that it has not taken the request at all.
const REFUSED: ReadonlySet<number> = new Set([307, 308, 400, 401, 403, 404, 405, 406, 411, 413, 414, 415, 421, 426, 429, 431]);

export function failureOfStatus(status: number, message: string): Failure {
  return { message, delivery: REFUSED.has(status) ? "none" : "unknown", status };
}

/** The error response that stands in where the server's cannot come any more. */
export function standInFor(id: RequestId, { message, delivery, status, malformed: wrong }: Failure, from: PeerContext): Arrival {
  const known = isObject(wrong?.data) ? wrong.data : {};
  const data = status === undefined ? { ...known, delivery } : { ...known, delivery, httpStatus: status };
  return { frame: errorFrame(id, { code: wrong?.code ?? ErrorCode.internalError, message, data }), related: id, from, synthetic: true };
}
