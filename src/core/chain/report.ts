import { isThenable } from "../base/thenable.ts";
import type { FailureReason } from "../interceptor/failure.ts";
import type { ListedType } from "../wire/descriptors.ts";
import type { Mode, Phase } from "../wire/gen/interceptors.ts";
import type { ReadResult } from "../wire/results.ts";
import type { Failure } from "./classify.ts";
import type { Outcome, Invoking, Slot } from "./invocation.ts";
import type { PlannedEntry } from "./plan.ts";

/** One line for a log: what happened, where, and never a payload. `thrown` is what a handler or a connection threw, if anything. */
export interface ChainLog {
  readonly level: "error" | "warning" | "info";
  readonly message: string;
  /** `label/name`. */
  readonly address?: string;
  readonly event?: string;
  readonly phase?: Phase;
  readonly reason?: FailureReason;
  readonly thrown?: unknown;
}

/** One invocation that has ended, for metrics and traces. It holds no payload. */
export interface ChainEvent {
  /** `label/name`. */
  readonly address: string;
  readonly interceptor: string;
  readonly type: ListedType;
  readonly mode: Mode;
  readonly event: string;
  readonly phase: Phase;
  /** `invalid`: a validator said no, of whatever severity. `observed`: a sink was told. `failed` has a reason. */
  readonly outcome: "valid" | "invalid" | "modified" | "unchanged" | "observed" | "failed";
  readonly reason?: FailureReason;
  readonly elapsedMs: number;
  readonly revalidation?: true;
}

export interface Reporter {
  readonly log: ((entry: ChainLog) => void) | undefined;
  readonly observe: ((event: ChainEvent) => void) | undefined;
}

/** A listener that cannot hurt: what it throws is dropped, since there is nobody left to tell, and so is a promise that it returns. */
export function harmless<T>(listener: ((value: T) => unknown) | undefined): ((value: T) => void) | undefined {
  if (listener === undefined) return undefined;
  return (value) => {
    try {
      const returned = listener(value);
      if (isThenable(returned)) new Promise((settle) => settle(returned)).catch(() => {});
    } catch {
      // See above.
    }
  };
}

/** An audit failure is an error in the log, and a failure that its policy lets pass a warning. */
export function reportFailure(run: Invoking, { entry, active }: PlannedEntry, { reason, message, thrown }: Failure): void {
  const { reporter, event, phase } = run;
  reporter.log?.({
    level: entry.policy.failOpen ? "warning" : "error",
    message: `${active || entry.type === "sink" ? "" : "audit "}${entry.type} failed: ${message}`,
    address: entry.address,
    event,
    phase,
    reason,
    ...(thrown !== undefined && { thrown }),
  });
}

export function reportOutcome(run: Invoking, { planned, revalidation }: Slot, { elapsedMs, result, failure }: Outcome): void {
  const { reporter, event, phase } = run;
  const { address, name, type, policy } = planned.entry;
  reporter.observe?.({
    address,
    interceptor: name,
    type,
    mode: policy.mode,
    event,
    phase,
    outcome: result === undefined ? "failed" : outcomeOf(result),
    ...(failure !== undefined && { reason: failure.reason }),
    elapsedMs,
    ...(revalidation && { revalidation }),
  });
}

function outcomeOf(result: ReadResult): ChainEvent["outcome"] {
  if (result.type === "sink") return "observed";
  if (result.type === "validation") return result.valid ? "valid" : "invalid";
  return result.modified ? "modified" : "unchanged";
}
