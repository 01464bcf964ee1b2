import { describeError, ErrorCode, isInstance, LocalError, RpcError } from "../base/errors.ts";
import { createTimestamp, detectHost, platformSignal, type Host, type PlatformSignal } from "../base/host.ts";
import { cloneJson, equalJson, isObject, ownMember, type JsonObject } from "../base/json.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import { createRandomHex, type RandomHex } from "../base/random-hex.ts";
import { createSignal, isSignal, type Signal, type SignalSource } from "../base/signal.ts";
import type { Chain } from "../chain/chain.ts";
import { chainError } from "../chain/outcome.ts";
import { harmless } from "../chain/report.ts";
import type { ChainResult } from "../chain/result.ts";
import { contextProblem } from "../wire/context.ts";
import type { InvocationContext, Phase } from "../wire/gen/interceptors.ts";
import { OWN_META, restoreReservedMeta } from "../wire/meta.ts";
import { currentOf } from "./options.ts";
import { BlockedError } from "./blocked-error.ts";
import { directionOf, payloadCheck, type FunctionCall, type FunctionChain, type FunctionGuardOptions, type GuardedCallOptions } from "./function-options.ts";

/** What all calls of one guarded function share. */
export interface FunctionGuard {
  readonly options: FunctionGuardOptions;
  readonly chain: { current(): Chain };
  readonly host: Host;
  readonly limits: Limits;
  readonly randomHex: RandomHex;
  timestamp(): string;
  readonly observe: ((result: ChainResult) => void) | undefined;
}

export function createFunctionGuard(chain: FunctionChain, options: FunctionGuardOptions): FunctionGuard {
  const host = options.host ?? detectHost();
  return {
    options,
    chain: currentOf(chain),
    host,
    limits: resolveLimits(options.limits),
    randomHex: createRandomHex(host),
    timestamp: createTimestamp(host),
    observe: harmless(options.observe),
  };
}

interface Judging {
  readonly error?: boolean;
  /** The caller's own say about a mutation, after the check of the payload: throws to refuse it. */
  readonly accept?: (after: unknown) => void;
}

/** One call of a guarded function: its chain, its context, its signal. Call `end` on every exit. */
export class FunctionExchange {
  readonly context: InvocationContext;
  readonly #guard: FunctionGuard;
  readonly #chain: Chain;
  readonly #stop: SignalSource;
  #request: { readonly method: string; readonly params?: JsonObject };

  /** Throws what the context provider throws, as the cause of `refused`, and `invalid_argument` for a context or a signal that is none. */
  constructor(guard: FunctionGuard, call: GuardedCallOptions) {
    if (call.signal !== undefined && !isSignal(call.signal)) throw new LocalError("invalid_argument", "signal must be an AbortSignal");
    this.#guard = guard;
    this.#chain = guard.chain.current();
    this.#request = { method: guard.options.event };
    this.context = contextOf(guard, call);
    this.#stop = createSignal(call.signal);
  }

  /** Aborts when the caller gives up, and at the end. */
  get signal(): Signal {
    return this.#stop.signal;
  }

  get limits(): Limits {
    return this.#guard.limits;
  }

  /** A copy of a value that came from outside. Throws `not_json` and `limit_exceeded`. */
  copy<T>(value: T): T {
    return cloneJson(value, this.#guard.limits.maxDepth, this.#guard.limits.maxMessageBytes);
  }

  /** A copy of what the function gave. It cannot say of itself that it is a part of a stream, which some interceptors leave alone. */
  copyResult<T>(value: T): T {
    const copy = this.copy(value);
    const meta = isObject(copy) ? ownMember(copy, "_meta") : undefined;
    if (isObject(meta)) delete meta[OWN_META.window];
    return copy;
  }

  /** What is wrong with a payload that came from outside; a mutator's is checked in `judge`. */
  problem(phase: Phase, payload: unknown): string | undefined {
    return payloadCheck(this.#guard.options, phase)?.(payload);
  }

  /**
   * Runs the chain on a payload that is the exchange's own, and gives one that is the receiver's own. Rejects with a {@link BlockedError}, or the
   * reason of the abort. The final request is what responses are told that they answer.
   */
  async judge(phase: Phase, payload: unknown, { error = false, accept }: Judging = {}): Promise<unknown> {
    const { options, observe } = this.#guard;
    if (this.signal.aborted) throw this.signal.reason ?? over();
    let final = payload;
    if (this.#chain.matches(options.event, phase)) {
      const { version, interceptors, config, chainTimeoutMs } = options;
      const result = await this.#chain.execute({
        event: options.event,
        phase,
        direction: directionOf(options, phase),
        payload,
        error,
        // Copied by the chain where it has to be: what the function got is its own, and an audit entry may still read.
        context: this.context,
        version,
        timeoutMs: chainTimeoutMs,
        signal: this.signal,
        // What is processed must be what was judged, so a mutated arrival is judged again.
        revalidate: "if-modified",
        accept: (after, before) => this.#accept(phase, after, before, error, accept),
        ...(phase === "response" ? { request: this.#request } : {}),
        ...(interceptors === undefined ? {} : { interceptors }),
        ...(config === undefined ? {} : { config }),
      });
      observe?.(result);
      const refusal = chainError(result);
      if (refusal !== undefined) throw new BlockedError(refusal, result);
      final = this.copy(result.finalPayload);
    }
    if (phase === "request" && isObject(final)) this.#request = { method: options.event, params: this.copy(final) };
    return final;
  }

  /**
   * What the caller is thrown where the function threw: the same, unless a mutator changed it. In an object, as a promise would take a thrown
   * thenable for an answer to wait for. Rejects like `judge`.
   */
  async judgeError(thrown: unknown): Promise<{ readonly thrown: unknown }> {
    const error = this.#errorObject(thrown);
    const final = await this.judge("response", { error }, { error: true });
    // `judge` gives back what it was given where nobody hooks the event; a mutator's has been checked by #accept.
    const after = (final as { readonly error: typeof error }).error;
    return { thrown: equalJson(after, error) ? thrown : new RpcError(after.code, after.message, after.data) };
  }

  /** What the function is given, and the signal behind it, which the caller of this must abort in the end. */
  open(): { readonly given: FunctionCall; readonly own: SignalSource } {
    const { host } = this.#guard;
    const own = createSignal(this.signal);
    let signal: PlatformSignal | undefined;
    const given: FunctionCall = {
      // A copy: it is the function's to keep.
      context: this.copy(this.context),
      get signal() {
        return (signal ??= platformSignal(own.signal, host));
      },
    };
    return { given, own };
  }

  /**
   * Waits for what `start` gives, at most the `timeoutMs` of the options. Rejects with what it throws, with `timeout`, which aborts `own` too, and
   * at once when `own` is aborted; what comes after that is dropped.
   */
  within<T>(start: () => T | PromiseLike<T>, own: SignalSource): Promise<T> {
    const { host, options } = this.#guard;
    const { event, timeoutMs } = options;
    return new Promise<T>((resolve, reject) => {
      let stopTimer = () => {};
      const unlink = own.signal.onAbort((reason) => {
        stopTimer();
        reject(reason ?? over());
      });
      if (own.signal.aborted) return;
      if (timeoutMs !== undefined) {
        stopTimer = host.setTimer(() => {
          own.abort(new LocalError("timeout", `the function of ${event} gave no answer within ${timeoutMs} ms`, { details: { timeoutMs } }));
        }, timeoutMs);
      }
      const settled = () => {
        stopTimer();
        unlink();
      };
      // A promise of ours takes the first settlement alone, whatever a thenable does.
      new Promise<T>((settle) => settle(start())).then(resolve, reject).finally(settled);
    });
  }

  /** Stops all that runs for this call. Idempotent. */
  end(reason: unknown = over()): void {
    this.#stop.abort(reason);
  }

  #accept(phase: Phase, after: unknown, before: unknown, error: boolean, accept: Judging["accept"]): unknown {
    if (error) {
      if (!isErrorPayload(after)) throw new LocalError("malformed_result", "an error payload must be { error: { code, message } }");
      return { error: after.error };
    }
    const kept = isObject(before) && isObject(after) ? restoreReservedMeta(before, after) : after;
    const wrong = this.problem(phase, kept);
    if (wrong !== undefined) throw new LocalError("malformed_result", wrong);
    accept?.(kept);
    return kept;
  }

  #errorObject(thrown: unknown): { code: number; message: string; data?: unknown } {
    if (!isInstance(thrown, RpcError)) return { code: ErrorCode.internalError, message: describeError(thrown) };
    try {
      return this.copy(thrown.toJson());
    } catch {
      // Its data is no JSON, which no interceptor can be shown.
      return { code: ErrorCode.internalError, message: describeError(thrown) };
    }
  }
}

function isErrorPayload(payload: unknown): payload is { error: { code: number; message: string; data?: unknown } } {
  if (!isObject(payload) || !isObject(payload["error"])) return false;
  const { code, message } = payload["error"];
  return Number.isInteger(code) && typeof message === "string";
}

/** What is aborted with where all has gone well. */
export function over(): LocalError {
  return new LocalError("aborted", "the call is over");
}

function contextOf({ options, randomHex, timestamp, limits }: FunctionGuard, call: GuardedCallOptions): InvocationContext {
  let provided: Partial<InvocationContext> | undefined;
  try {
    provided = options.context?.();
  } catch (cause) {
    throw new LocalError("refused", `the context provider of ${options.event} failed`, { cause });
  }
  const base = { timestamp: timestamp(), traceId: randomHex(16), spanId: randomHex(8) };
  const context = cloneJson({ ...base, ...provided, ...call.context }, limits.maxDepth, limits.maxMessageBytes);
  const problem = contextProblem(context);
  if (problem !== undefined) throw new LocalError("invalid_argument", problem);
  return context;
}
