import { describeError } from "../base/errors.ts";
import { account } from "./account.ts";
import { failure } from "./classify.ts";
import { startEntry, type Invoking, type Slot } from "./invocation.ts";
import { abortedAt, judge, listResults, statusOf, stopKind, summarize, type Stop } from "./outcome.ts";
import type { Plan, Step } from "./plan.ts";
import { reportFailure } from "./report.ts";
import type { ChainResult } from "./result.ts";

/** One execution. */
export interface Run extends Invoking {
  /** Judge a mutated payload again. */
  readonly revalidate: boolean;
  /** See `ExecuteParams.accept`. */
  readonly accept: ((after: unknown, before: unknown) => unknown) | undefined;
  /** Throws the reason if the caller has given up, and then releases: asked before each start and after each step. */
  throwIfAborted(): void;
  /** The run is over: it listens to nobody any more. */
  release(): void;
}

/** Audit invocations of a chain that have outlived their step. */
export interface Detached {
  readonly max: number;
  running: number;
  dropped: number;
}

/**
 * Runs a plan: the one place of order, parallelism, atomicity, audit and failure policy (SEP-2624, Execution Model). It suspends only
 * where an active entry answers later. Rejects when the caller gives up, and never otherwise.
 */
export async function runPlan(run: Run, plan: Plan, given: unknown, detached: Detached): Promise<ChainResult> {
  const startedAt = run.host.now();
  const slots: Slot[] = [];
  let payload = given;
  let modified = false;
  let stop: Stop | undefined;

  for (const step of plan.steps) {
    const from = slots.length;
    if (step.type === "validation") {
      startTogether(run, step, payload, slots, false);
      for (const slot of slots.slice(from)) if (mustWait(slot)) await slot.pending;
      stop = judge(slots, from);
    } else {
      for (const planned of step.entries) {
        run.throwIfAborted();
        const slot = startEntry(run, planned, payload, false);
        slots.push(slot);
        if (mustWait(slot)) await slot.pending;
        // A shadow mutator has its turn, and the payload of that moment, and changes nothing.
        if (!planned.active) continue;
        if (run.accept !== undefined) review(run, run.accept, slot, payload);
        account(run, slot);
        const kind = stopKind(slot);
        if (kind !== undefined) {
          stop = { slot, kind };
          break;
        }
        const result = slot.outcome?.result;
        if (result?.type === "mutation" && result.modified) {
          payload = result.payload;
          modified = true;
        }
      }
    }
    // What an abort has cancelled does not run on.
    run.throwIfAborted();
    detach(slots, from, detached);
    if (stop !== undefined) break;
  }
  if (stop === undefined && modified && run.revalidate) {
    const from = slots.length;
    for (const step of plan.steps) if (step.type === "validation") startTogether(run, step, payload, slots, true);
    for (const slot of slots.slice(from)) if (mustWait(slot)) await slot.pending;
    stop = judge(slots, from);
  }
  run.throwIfAborted();
  run.release();
  return resultOf({ run, slots, stop, payload, modified, startedAt });
}

// The caller's say about a mutation, before it counts.
function review(run: Run, accept: NonNullable<Run["accept"]>, slot: Slot, before: unknown): void {
  const { outcome, planned } = slot;
  if (outcome?.result?.type !== "mutation" || !outcome.result.modified) return;
  try {
    slot.outcome = { elapsedMs: outcome.elapsedMs, result: { ...outcome.result, payload: accept(outcome.result.payload, before) } };
  } catch (thrown) {
    const refused = failure("malformed_result", describeError(thrown), thrown);
    slot.outcome = { elapsedMs: outcome.elapsedMs, failure: refused };
    reportFailure(run, planned, refused);
  }
}

// Audit entries may answer whenever they like.
function mustWait({ planned, pending }: Slot): boolean {
  return planned.active && pending !== undefined;
}

function startTogether(run: Run, { entries }: Step, payload: unknown, slots: Slot[], revalidation: boolean): void {
  for (const planned of entries) {
    if (revalidation && !(planned.active && planned.entry.policy.revalidate)) continue;
    run.throwIfAborted();
    slots.push(startEntry(run, planned, payload, revalidation));
  }
}

// Lets the audit entries of a step that is over run on, as many as may.
function detach(slots: readonly Slot[], from: number, detached: Detached): void {
  for (let index = from; index < slots.length; index++) {
    const slot = slots[index]!;
    if (!isOpen(slot)) continue;
    if (detached.running >= detached.max) {
      detached.dropped++;
      slot.drop?.(failure("unavailable", `dropped: ${detached.max} audit invocations are running already`));
      continue;
    }
    detached.running++;
    void slot.pending.then(() => detached.running--);
  }
}

function isOpen(slot: Slot): slot is Slot & { readonly pending: Promise<void> } {
  return slot.outcome === undefined && slot.pending !== undefined;
}

interface Finished {
  readonly run: Run;
  readonly slots: readonly Slot[];
  readonly stop: Stop | undefined;
  readonly payload: unknown;
  readonly modified: boolean;
  readonly startedAt: number;
}

function resultOf(finished: Finished): ChainResult {
  const { run, slots, stop, payload, modified, startedAt } = finished;
  const draft: { -readonly [Member in keyof ChainResult]?: ChainResult[Member] } = {
    status: statusOf(stop),
    event: run.event,
    phase: run.phase,
    results: listResults(slots, run.phase),
    modified: modified && stop === undefined,
    validationSummary: summarize(slots),
    totalDurationMs: Math.ceil(run.host.now() - startedAt),
  };
  if (stop === undefined) {
    draft.finalPayload = payload;
  } else {
    draft.lastValidPayload = payload;
    draft.abortedAt = abortedAt(stop);
  }
  // All members are there but `settled`, which may be a promise of the result itself.
  const result = draft as ChainResult;
  const open = slots.filter(isOpen);
  draft.settled = open.length === 0 ? Promise.resolve(result) : Promise.all(open.map(({ pending }) => pending)).then(() => resultOf(finished));
  return result;
}
