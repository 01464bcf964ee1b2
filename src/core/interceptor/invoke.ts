import { ErrorCode, LocalError, RpcError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import { cloneJson } from "../base/json.ts";
import type { Signal } from "../base/signal.ts";
import { isThenable } from "../base/thenable.ts";
import { describeProblem } from "../wire/check.ts";
import { checkInvokeParams, type InvokeParams, type InvokeResult, type Principal } from "../wire/gen/interceptors.ts";
import { hooksMatch, isEvent } from "../wire/patterns.ts";
import { timeoutProblem } from "../wire/timeout.ts";
import { holds } from "./condition.ts";
import type { HandlerInput, Interceptor } from "./define.ts";
import { executionFailed, executionTimedOut, reasonOfThrown, type FailureReason } from "./failure.ts";
import { createInput, endInput } from "./input.ts";
import { resultOfHandler } from "./result.ts";

/** How one interceptor is run, outside of a chain. */
export interface InvokeOptions {
  readonly host: Host;
  /** Cancels the run: the handler's signal aborts, and the call rejects with the reason. */
  readonly signal?: Signal;
  readonly maxDepth: number;
  /** `Limits.maxMessageBytes`: a handler's result above it is malformed, since no message could carry it. */
  readonly maxMessageBytes: number;
  /** Errors carry the handler's own text instead of a stable reason code. */
  readonly exposeErrors?: boolean;
  /** Whoever calls, as the transport verified it. */
  readonly caller?: Principal;
  /**
   * By default the run ends by itself at `params.timeoutMs`, and at the abort of `signal`. `"caller"`: whoever calls watches the clock,
   * aborts `signal` at the timeout and stops listening; the run settles when its handler does.
   */
  readonly clock?: "own" | "caller";
}

/**
 * Runs one interceptor as `interceptor/invoke` does: the one server-side function, behind a connection and in process. The handler works
 * on copies; `params` is only read, up to the end of the run. A synchronous handler gives its result synchronously, and needs no timer.
 *
 * Throws or rejects with the `RpcError` of semantics, section 7; its `cause` is what the handler threw, for logs on this side.
 * `not_json` (a `LocalError`) means that the payload itself is no JSON.
 */
export function invokeInterceptor(interceptor: Interceptor, params: InvokeParams, options: InvokeOptions): InvokeResult | Promise<InvokeResult> {
  checkParams(interceptor, params);
  const { host } = options;
  const startedAt = host.now();
  const { name } = interceptor.descriptor;
  const failed = (reason: FailureReason, cause: unknown) => executionFailed(name, reason, cause, options.exposeErrors ?? false);

  const payload = params.payload === undefined ? null : params.payload;
  const problems = interceptor.checkConfig?.(params.config ?? {}) ?? [];
  if (problems.length > 0) throw executionFailed(name, "invalid_config", undefined, false, problems);

  const input = createInput(interceptor, params, cloneJson(payload, options.maxDepth), options);
  const timeoutMs = options.clock === "caller" ? undefined : params.timeoutMs;
  const finish = (output: unknown): InvokeResult => {
    const elapsedMs = host.now() - startedAt;
    if (timeoutMs !== undefined && elapsedMs > timeoutMs) throw executionTimedOut(name, timeoutMs, params.phase);
    const asked = { name, type: interceptor.descriptor.type, phase: params.phase, durationMs: Math.ceil(elapsedMs) };
    try {
      return resultOfHandler(output, payload, asked, options);
    } catch (thrown) {
      throw failed("malformed_result", thrown);
    }
  };

  let output: unknown;
  let concerned: boolean;
  try {
    concerned = applies(interceptor, input);
  } catch (thrown) {
    endInput(input);
    throw failed("condition_failed", thrown);
  }
  try {
    output = concerned ? interceptor.handler(input) : skipped(interceptor, payload);
    if (isThenable(output)) return waitFor(output, { input, finish, failed, timeoutMs, params, options });
  } catch (thrown) {
    endInput(input);
    throw failed(reasonOfThrown(thrown), thrown);
  }
  endInput(input);
  return finish(output);
}

interface Waiting {
  readonly input: ReturnType<typeof createInput>;
  readonly finish: (output: unknown) => InvokeResult;
  readonly failed: (reason: FailureReason, cause: unknown) => RpcError;
  readonly timeoutMs: number | undefined;
  readonly params: InvokeParams;
  readonly options: InvokeOptions;
}

function waitFor(output: PromiseLike<unknown>, { input, finish, failed, timeoutMs, params, options }: Waiting): Promise<InvokeResult> {
  return new Promise((resolve, reject) => {
    let stopTimer: (() => void) | undefined;
    let unlink: (() => void) | undefined;
    // Later settlements find a promise that has settled: they change nothing.
    const end = (reason?: unknown) => {
      stopTimer?.();
      unlink?.();
      endInput(input, reason);
    };
    if (timeoutMs !== undefined) {
      stopTimer = options.host.setTimer(() => {
        const error = executionTimedOut(params.name, timeoutMs, params.phase);
        reject(error);
        end(error);
      }, timeoutMs);
    }
    if (options.clock !== "caller") unlink = options.signal?.onAbort((reason) => {
      reject(reason ?? new LocalError("aborted", "the invocation was cancelled"));
      end(reason);
    });
    // A thenable may throw, settle twice or run other code; a promise of ours takes the first settlement alone.
    new Promise((settle) => settle(output)).then(
      (value) => {
        end();
        try {
          resolve(finish(value));
        } catch (error) {
          reject(error);
        }
      },
      (thrown: unknown) => {
        end();
        reject(failed(reasonOfThrown(thrown), thrown));
      },
    );
  });
}

function applies({ when }: Interceptor, input: HandlerInput): boolean {
  return when === undefined || holds(when, input);
}

// An interceptor whose `when` says no has nothing against the payload, and leaves it alone.
function skipped(interceptor: Interceptor, payload: unknown): unknown {
  return interceptor.descriptor.type === "validation" ? true : payload;
}

// In process as on the wire: the members by the check of `interceptor/invoke`, then what they mean.
function checkParams({ descriptor }: Interceptor, params: InvokeParams): void {
  const refuse = (what: string, data: object) => new RpcError(ErrorCode.invalidParams, what, { interceptor: descriptor.name, ...data });
  const problem = checkInvokeParams(params);
  if (problem !== undefined) throw refuse(describeProblem(problem, "params"), { path: problem.path });
  const { name, event, phase, timeoutMs } = params;
  if (name !== descriptor.name) throw refuse("name must be the interceptor's", { path: "/name" });
  if (!isEvent(event)) throw refuse('event must be a name, without "*"', { path: "/event" });
  const timeoutFault = timeoutMs === undefined ? undefined : timeoutProblem(timeoutMs);
  if (timeoutFault !== undefined) throw refuse(`timeoutMs ${timeoutFault}`, { path: "/timeoutMs" });
  if (!hooksMatch(descriptor.hooks, event, phase)) {
    const eventKnown = hooksMatch(descriptor.hooks, event, phase === "request" ? "response" : "request");
    const what = eventKnown ? `the ${phase} phase of ${event}` : event;
    throw refuse(`the interceptor does not hook ${what}`, { event, phase });
  }
}
