import { isInstance, LocalError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import { cloneJson, isObject, type JsonObject } from "../base/json.ts";
import { createSignal, type SignalSource } from "../base/signal.ts";
import { isThenable } from "../base/thenable.ts";
import { holds } from "../interceptor/condition.ts";
import type { HandlerContext } from "../interceptor/define.ts";
import type { ConditionInput } from "../interceptor/policy.ts";
import { isMcpEvent } from "../wire/events.ts";
import type { InvocationContext, InvokeParams, Phase } from "../wire/gen/interceptors.ts";
import { OWN_META } from "../wire/meta.ts";
import { readResult, type ReadResult } from "../wire/results.ts";
import { account, accountLate, accountStart } from "./account.ts";
import { classify, failure, timeoutFailure, type Failure } from "./classify.ts";
import type { ChainEntry } from "./entry.ts";
import type { Digester } from "./digest.ts";
import type { Teller } from "./events.ts";
import { openView, type View } from "./grants.ts";
import type { PlannedEntry } from "./plan.ts";
import type { Provenance, Tracing } from "./provenance.ts";
import { reportFailure, type Reporter } from "./report.ts";

/** A remote server gets this much longer than the timeout that it was sent, so that its own, richer error wins. */
export const REMOTE_GRACE_MS = 250;

/** What the invocations of one `execute` share. */
export interface Invoking {
  readonly host: Host;
  readonly maxDepth: number;
  readonly reporter: Reporter;
  /** Undefined where nobody observes. */
  readonly tell: Teller | undefined;
  readonly digest: Digester;
  /** Undefined where nobody asks what mutations change. */
  readonly tracing: Tracing | undefined;
  readonly event: string;
  readonly phase: Phase;
  /**
   * On the host's clock; `Infinity` without a chain timeout. Brought forward to now once a timer that waits for it has fired, as timers of some hosts
   * fire a millisecond or two early: what has timed out at the deadline must not leave time for another entry to start.
   */
  deadline: number;
  readonly timeoutMs: number;
  /** The same object on each call. */
  context(): InvocationContext;
  /** A span of its own for one call, as `_meta.traceparent` has it; undefined outside a trace. */
  traceparent(): string | undefined;
  config(entry: ChainEntry): JsonObject | undefined;
  /** Given to entries with `withRequest`; undefined in the request phase. */
  readonly request: { readonly method: string; readonly params?: JsonObject } | undefined;
  /** Calls back when the caller gives up; returns the unsubscriber. */
  onAbort(cancel: (reason: unknown) => void): () => void;
  countLateAnswer(): void;
}

/** The place of one invocation in the result. Filled by `startEntry`, at once or when `pending` settles. */
export interface Slot {
  readonly planned: PlannedEntry;
  readonly revalidation: boolean;
  /** Undefined before the end, and for good where the entry's `when` said no or the caller gave up. */
  outcome: Outcome | undefined;
  /** Never rejects. */
  pending: Promise<void> | undefined;
  /** Ends a pending invocation with this failure. */
  drop: ((failure: Failure) => void) | undefined;
  /** The outcome has been counted and told; see {@link account}. */
  accounted: boolean;
  /** Of a mutation, where somebody asks what it changes. */
  readonly trace: Trace | undefined;
}

interface Trace {
  readonly how: Tracing;
  readonly before: unknown;
  /** Once somebody has looked. */
  record: Provenance | undefined;
}

export type Outcome = { readonly elapsedMs: number } & (
  | { readonly result: ReadResult; readonly failure?: undefined }
  | { readonly result?: undefined; readonly failure: Failure }
);

/** Starts one entry on `payload`, which it only reads. Nothing is thrown: whatever goes wrong is the outcome. */
export function startEntry(run: Invoking, planned: PlannedEntry, payload: unknown, revalidation: boolean): Slot {
  const { entry } = planned;
  const trace = run.tracing === undefined || entry.type !== "mutation" ? undefined : { how: run.tracing, before: payload, record: undefined };
  const slot: Slot = { planned, revalidation, outcome: undefined, pending: undefined, drop: undefined, accounted: false, trace };
  const { host } = run;
  if (planned.incompatible !== undefined) {
    conclude(run, slot, { elapsedMs: 0, failure: failure("incompatible", planned.incompatible) });
    return slot;
  }
  if (entry.policy.when !== undefined) {
    try {
      if (!applies(entry.policy.when, run, entry, payload)) return slot;
    } catch (thrown) {
      conclude(run, slot, { elapsedMs: 0, failure: failure("condition_failed", "the condition of the entry failed", thrown) });
      return slot;
    }
  }

  const startedAt = host.now();
  const leftMs = run.deadline - startedAt;
  const chainBound = leftMs < entry.policy.timeoutMs;
  const sentMs = Math.floor(chainBound ? leftMs : entry.policy.timeoutMs);
  const limitMs = chainBound ? run.timeoutMs : entry.policy.timeoutMs;
  if (sentMs < 1) {
    conclude(run, slot, { elapsedMs: 0, failure: timeoutFailure(limitMs) });
    return slot;
  }
  const waitMs = entry.source.remote ? Math.min(sentMs + REMOTE_GRACE_MS, leftMs) : sentMs;
  const attempt: Attempt = { run, slot, startedAt, waitMs, limitMs, source: createSignal(), view: undefined };
  accountStart(run, slot, startedAt, sentMs);
  try {
    if (entry.policy.grants !== undefined) attempt.view = openView(entry.policy.grants, payload, run.digest);
    const answer = entry.source.invoke(paramsFor(run, entry, payload, sentMs, revalidation, attempt.view), attempt.source.signal);
    if (isThenable(answer)) waitFor(answer, attempt);
    else finish(attempt, answer, false);
  } catch (thrown) {
    finish(attempt, thrown, true);
  }
  return slot;
}

/** One call of a source. */
interface Attempt {
  readonly run: Invoking;
  readonly slot: Slot;
  readonly startedAt: number;
  /** How long we wait. */
  readonly waitMs: number;
  /** The limit that has run out when we stop waiting; without grace, and not rounded. */
  readonly limitMs: number;
  readonly source: SignalSource;
  /** Of an entry that may not see or change everything. */
  view: View | undefined;
}

function finish({ run, slot, startedAt, waitMs, limitMs, view }: Attempt, answer: unknown, threw: boolean): void {
  const elapsedMs = run.host.now() - startedAt;
  if (elapsedMs > waitMs) {
    conclude(run, slot, { elapsedMs, failure: timeoutFailure(limitMs) });
    accountLate(run, slot, elapsedMs);
  } else {
    conclude(run, slot, threw ? { elapsedMs, failure: classify(answer, limitMs) } : readAnswer(run, slot.planned, answer, elapsedMs, view));
  }
}

// The answer, the timeout, the caller's abort or the drop: the first of them closes the slot.
function waitFor(answer: PromiseLike<unknown>, attempt: Attempt): void {
  const { run, slot, startedAt, waitMs, limitMs, source } = attempt;
  slot.pending = new Promise((resolve) => {
    let open = true;
    let stopTimer = () => {};
    let unsubscribe = () => {};
    const close = (fill?: () => void) => {
      open = false;
      stopTimer();
      unsubscribe();
      fill?.();
      resolve();
    };
    // Closed before the abort, which may call back into us.
    const cut = (reason: Failure, signalled: LocalError) => {
      close(() => conclude(run, slot, { elapsedMs: run.host.now() - startedAt, failure: reason }));
      source.abort(signalled);
    };
    slot.drop = (reason) => {
      if (open) cut(reason, new LocalError("aborted", reason.message));
    };
    // Listened to in any case, so that no rejection is left unhandled.
    new Promise((settle) => settle(answer)).then(
      (value) => (open ? close(() => finish(attempt, value, false)) : accountLate(run, slot, run.host.now() - startedAt)),
      (thrown: unknown) => {
        if (open) close(() => finish(attempt, thrown, true));
      },
    );
    try {
      stopTimer = run.host.setTimer(() => {
        const reason = timeoutFailure(limitMs);
        const now = run.host.now();
        if (startedAt + waitMs + 1 > run.deadline && now < run.deadline) run.deadline = now;
        cut(reason, new LocalError("timeout", reason.message));
      }, waitMs);
    } catch (thrown) {
      // A host without timers cannot bound what answers later.
      return slot.drop(classify(thrown, limitMs));
    }
    unsubscribe = run.onAbort((reason) => {
      close();
      // Nothing comes of it any more, so nobody may wait for it again.
      slot.pending = undefined;
      source.abort(reason);
    });
  });
}

function conclude(run: Invoking, slot: Slot, outcome: Outcome): void {
  slot.outcome = outcome;
  if (outcome.failure !== undefined) reportFailure(run, slot.planned, outcome.failure);
  // An active mutator's payload counts once it has been accepted, see `runPlan`.
  if (!(slot.planned.active && outcome.result?.type === "mutation")) account(run, slot);
}

function readAnswer(run: Invoking, { entry }: PlannedEntry, answer: unknown, elapsedMs: number, view: View | undefined): Outcome {
  try {
    const result = readResult(answer, { name: entry.name, type: entry.type, phase: run.phase, durationMs: Math.ceil(elapsedMs) });
    if (result.type === "mutation" && result.modified && isMcpEvent(run.event) && !isObject(result.payload)) {
      return { elapsedMs, failure: failure("malformed_result", `the payload of ${run.event} must be an object`) };
    }
    if (view !== undefined && result.type === "mutation" && result.modified) result.payload = view.restore(result.payload);
    return { elapsedMs, result };
  } catch (thrown) {
    // A hostile object may throw anything when it is read.
    const text = isInstance(thrown, LocalError) ? thrown.message : "the result cannot be read";
    return { elapsedMs, failure: failure("malformed_result", text, thrown) };
  }
}

function paramsFor(run: Invoking, entry: ChainEntry, given: unknown, timeoutMs: number, revalidation: boolean, view: View | undefined): InvokeParams {
  const payload = view === undefined ? given : view.payload;
  const params: InvokeParams = { name: entry.name, event: run.event, phase: run.phase, payload, timeoutMs, context: run.context() };
  const config = run.config(entry);
  if (config !== undefined) params.config = config;
  const showRequest = entry.withRequest && run.request !== undefined;
  // In this process nobody could read it.
  const traceparent = entry.source.remote ? run.traceparent() : undefined;
  if (showRequest || revalidation || traceparent !== undefined) {
    params._meta = {};
    if (traceparent !== undefined) params._meta["traceparent"] = traceparent;
    if (showRequest) {
      const { request } = run;
      params._meta[OWN_META.request] = view === undefined ? request : { ...request, params: view.request(request?.params) };
    }
    if (revalidation) params._meta[OWN_META.revalidation] = true;
  }
  return params;
}

type Condition = (input: ConditionInput) => unknown;

function applies(when: Condition, run: Invoking, { name }: ChainEntry, payload: unknown): boolean {
  const { event, phase, maxDepth, request } = run;
  let copy: { readonly payload: unknown } | undefined;
  let context: HandlerContext | undefined;
  return holds(when, {
    event,
    phase,
    name,
    get payload() {
      return (copy ??= { payload: cloneJson(payload, maxDepth) }).payload;
    },
    get context() {
      return (context ??= cloneJson({ ...run.context(), ...(request === undefined ? {} : { request }) }, maxDepth));
    },
  });
}
