import { ErrorCode, RpcError, type LocalError } from "../core/base/errors.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { HttpResponse } from "../core/http/exchange.ts";
import { badRequest } from "../core/http/http-responses.ts";
import type { ErrorMessage, ErrorObject } from "../core/wire/message.ts";

/**
 * Why the gateway itself answers a call with an error: `data.reason`, which does not change from release to release. Each comes with `delivery`
 * where a call was on its way: `none` may be made again.
 */
export type Reason =
  | "overloaded" //       too many calls or connections
  | "unavailable" //      the upstream cannot be reached, has failed, or was lost
  | "timeout" //          the upstream did not answer in time
  | "malformed" //        the upstream answered something that is no answer
  | "draining" //         the gateway is about to end
  | "parked_elsewhere" // the call waits at another replica
  | "parked_gone" //      the call does not wait any more: it took too long, or was answered
  | "not_asked" //        the caller could not be asked, or gave an error for an answer; or the call was given up
  | "unsupported"; //     what is asked for does not exist between these two revisions

// Texts of errors that were made here hold nothing of an upstream's, so a guard need not make them generic.
const own = new WeakSet<ErrorObject>();

export function isOwnError(error: ErrorObject): boolean {
  return own.has(error);
}

export function ownError(code: number, message: string, data?: JsonObject): ErrorMessage {
  const error: ErrorObject = data === undefined ? { code, message } : { code, message, data };
  own.add(error);
  return { jsonrpc: "2.0", id: 0, error };
}

export function gatewayError(reason: Reason, message: string, more: JsonObject = {}): ErrorMessage {
  return ownError(ErrorCode.internalError, message, { reason, ...more });
}

export function asOwnError(error: RpcError): ErrorMessage {
  const { code, message, data } = error.toJson();
  // What is thrown here has plain data.
  return ownError(code, message, data as JsonObject | undefined);
}

/** For the caller of a call that came to nothing: no word of what the upstream, or the system, wrote. */
export function failureError({ code, details }: LocalError, delivery: "none" | "unknown"): ErrorMessage {
  const retryAfterMs = details?.["retryAfterMs"];
  const more = { delivery, ...(typeof retryAfterMs === "number" ? { retryAfterMs } : {}) };
  if (details?.["reason"] === "overloaded" || code === "limit_exceeded") return gatewayError("overloaded", "Too much at once; try again later", more);
  if (code === "timeout") return gatewayError("timeout", "The upstream did not answer in time", more);
  if (code === "invalid_message" || code === "not_json") return gatewayError("malformed", "The upstream gave an answer that cannot be read", more);
  if (delivery === "none") return gatewayError("unavailable", "The upstream cannot be reached", more);
  return gatewayError("unavailable", "The upstream was lost before it answered", more);
}

/** For a path that serves nothing, and one that serves nobody, which looks the same. Names are for those who may know them. */
export function nothingHere(): HttpResponse {
  return badRequest("There is nothing here; servers are at /NAME/mcp", undefined, 404);
}
