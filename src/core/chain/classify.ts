import { deliveryOf } from "../base/delivery.ts";
import { describeError, ErrorCode, isInstance, LocalError, RpcError } from "../base/errors.ts";
import { isObject, ownMember } from "../base/json.ts";
import { isFailureReason, type FailureReason } from "../interceptor/failure.ts";

/** Why an invocation came to nothing. `message` and `thrown` are for this side alone. */
export interface Failure {
  readonly code: number;
  readonly reason: FailureReason;
  readonly message: string;
  readonly timeoutMs?: number;
  readonly thrown?: unknown;
}

export function failure(reason: FailureReason, message: string, thrown?: unknown): Failure {
  return { code: ErrorCode.internalError, reason, message, thrown };
}

export function timeoutFailure(timeoutMs: number): Failure {
  return { code: ErrorCode.interceptorTimeout, reason: "timeout", message: `no answer within ${timeoutMs} ms`, timeoutMs };
}

/**
 * Turns what a source threw into a failure. Only `-32000` with `interceptor` and `timeoutMs` in its data is a timeout, of the limit that
 * we sent; every other error is a plain failure, whatever reason it claims.
 */
export function classify(thrown: unknown, timeoutMs: number): Failure {
  if (isInstance(thrown, RpcError)) {
    const { code, data } = thrown;
    if (isTimeoutAnswer(thrown)) return { ...timeoutFailure(timeoutMs), thrown };
    const claimed = isObject(data) ? ownMember(data, "reason") : undefined;
    const unheard = isRefusal(code) || deliveryOf(thrown) !== undefined;
    const reason = isFailureReason(claimed) && claimed !== "timeout" ? claimed : unheard ? "unavailable" : "crashed";
    return { code, reason, message: describeError(thrown.cause ?? thrown), thrown: thrown.cause ?? thrown };
  }
  if (isInstance(thrown, LocalError)) {
    return failure(thrown.code === "malformed_result" ? "malformed_result" : "unavailable", thrown.message, thrown);
  }
  return failure("crashed", describeError(thrown), thrown);
}

function isTimeoutAnswer({ code, data }: RpcError): boolean {
  return code === ErrorCode.interceptorTimeout && isObject(data) && Object.hasOwn(data, "interceptor") && typeof data["timeoutMs"] === "number";
}

// The server does not have the interceptor, or not for this event: it judged nothing.
function isRefusal(code: number): boolean {
  return code === ErrorCode.methodNotFound || code === ErrorCode.invalidParams;
}
