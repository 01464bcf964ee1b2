import { describeError, ErrorCode, isInstance, LocalError, RpcError } from "../base/errors.ts";
import type { Problem } from "../wire/check.ts";
import type { Phase } from "../wire/gen/interceptors.ts";

/** Why an invocation failed. Stable, and all that crosses the wire unless `exposeErrors` is set. */
export type FailureReason = "timeout" | "crashed" | "limit_exceeded" | "condition_failed" | "malformed_result" | "unavailable" | "invalid_config" | "incompatible";

const REASONS: ReadonlySet<unknown> = new Set<FailureReason>([
  "timeout",
  "crashed",
  "limit_exceeded",
  "condition_failed",
  "malformed_result",
  "unavailable",
  "invalid_config",
  "incompatible",
]);

export function isFailureReason(value: unknown): value is FailureReason {
  return REASONS.has(value);
}

/** Why a handler came to nothing, by what it has thrown: a payload past a limit of its own is nothing that is broken. */
export function reasonOfThrown(thrown: unknown): FailureReason {
  return isInstance(thrown, LocalError) && thrown.code === "limit_exceeded" ? "limit_exceeded" : "crashed";
}

/**
 * `Interceptor execution failed` (SEP-2624, Error Handling). `cause` stays on this side, unless `expose` puts its text in place of
 * the reason.
 */
export function executionFailed(
  interceptor: string,
  reason: FailureReason,
  cause: unknown,
  expose: boolean,
  errors?: readonly Problem[],
): RpcError {
  const data = {
    interceptor,
    reason: expose && cause !== undefined ? describeError(cause) : reason,
    ...(errors !== undefined && { errors: errors.map(({ path, reason }) => ({ path, reason })) }),
  };
  return withCause(new RpcError(ErrorCode.internalError, "Interceptor execution failed", data), cause);
}

/** `Interceptor execution timeout` (SEP-2624, Timeout and Cancellation). `timeoutMs` is the limit that ran out. */
export function executionTimedOut(interceptor: string, timeoutMs: number, phase: Phase): RpcError {
  return new RpcError(ErrorCode.interceptorTimeout, "Interceptor execution timeout", { interceptor, timeoutMs, phase });
}

function withCause(error: RpcError, cause: unknown): RpcError {
  if (cause !== undefined) error.cause = cause;
  return error;
}
