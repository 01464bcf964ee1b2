import { isThenable } from "../base/thenable.ts";
import type { FailureReason } from "../interceptor/failure.ts";
import type { Phase } from "../wire/gen/interceptors.ts";
import type { Failure } from "./classify.ts";
import type { Invoking } from "./invocation.ts";
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

export interface Reporter {
  readonly log: ((entry: ChainLog) => void) | undefined;
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
