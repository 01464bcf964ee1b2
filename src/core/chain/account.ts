import { blocks, type ReadResult } from "../wire/results.ts";
import type { Invoking, Outcome, Slot } from "./invocation.ts";

/** What an entry has done since it was added. Of an audit entry, `blocked` and `changed` count what it would have done. */
export interface EntryCounters {
  /** Invocations that began. */
  runs: number;
  /** Verdicts that block. */
  blocked: number;
  /** New payloads that were accepted. */
  changed: number;
  /** Failures other than timeouts. */
  failed: number;
  timedOut: number;
  /** Answers that came after their timeout. */
  late: number;
  /** When the last invocation began, on the host's own clock; NaN before the first. A date is made of it only when somebody asks, as dates cost. */
  lastRunAt: number;
}

export function createCounters(): EntryCounters {
  return { runs: 0, blocked: 0, changed: 0, failed: 0, timedOut: 0, late: 0, lastRunAt: NaN };
}

/** An invocation begins. */
export function accountStart(run: Invoking, slot: Slot, startedAt: number, timeoutMs: number): void {
  const { counters } = slot.planned.entry;
  counters.runs++;
  counters.lastRunAt = startedAt;
  if (run.tell !== undefined) run.tell({ kind: "invoked", ...about(slot), timeoutMs });
}

/** Counts how an invocation has ended and tells of it, once; nothing where it has not, or somebody still has a say in it. */
export function account(run: Invoking, slot: Slot): void {
  const { outcome } = slot;
  if (outcome === undefined || slot.accounted) return;
  slot.accounted = true;
  count(slot, outcome);
  if (run.tell !== undefined) tellOutcome(run.tell, slot, outcome);
}

/** An answer has come too late. */
export function accountLate(run: Invoking, slot: Slot, elapsedMs: number): void {
  slot.planned.entry.counters.late++;
  run.countLateAnswer();
  if (run.tell !== undefined) run.tell({ kind: "late", ...about(slot), elapsedMs });
}

function count({ planned }: Slot, { result, failure }: Outcome): void {
  const { counters } = planned.entry;
  if (failure !== undefined) {
    if (failure.reason === "timeout") counters.timedOut++;
    else counters.failed++;
  } else if (result.type === "mutation") {
    if (result.modified) counters.changed++;
  } else if (blocks(result)) {
    counters.blocked++;
  }
}

function tellOutcome(tell: NonNullable<Invoking["tell"]>, slot: Slot, { elapsedMs, result, failure }: Outcome): void {
  const base = about(slot);
  if (failure !== undefined) {
    const { reason, timeoutMs = 0 } = failure;
    tell(reason === "timeout" ? { kind: "timed_out", ...base, timeoutMs, elapsedMs } : { kind: "failed", ...base, reason, elapsedMs });
  } else if (result.type === "mutation" && result.modified) {
    tell({ kind: "mutated", ...base, elapsedMs });
  } else {
    const severity = result.type === "validation" && !result.valid ? result.severity : undefined;
    tell({ kind: "verdict", ...base, outcome: outcomeOf(result), ...(severity !== undefined && { severity }), elapsedMs });
  }
}

function outcomeOf(result: ReadResult): "valid" | "invalid" | "unchanged" | "observed" {
  if (result.type === "sink") return "observed";
  if (result.type === "mutation") return "unchanged";
  return result.valid ? "valid" : "invalid";
}

function about({ planned, revalidation }: Slot) {
  const { address, name, type, policy } = planned.entry;
  const base = { address, interceptor: name, type, mode: policy.mode };
  return revalidation ? { ...base, revalidation: true as const } : base;
}
