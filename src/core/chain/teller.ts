import type { Host } from "../base/host.ts";
import type { Phase } from "../wire/gen/interceptors.ts";
import type { ChainEvent, EventDraft, Told, Teller } from "./events.ts";
import type { Observer } from "./observer.ts";
import { harmless } from "./report.ts";
import type { Direction, Plan } from "./plan.ts";
import type { ChainResult } from "./result.ts";

/** What a chain lends to the events of its executions. */
export interface Telling {
  readonly observer: Observer<ChainEvent> | undefined;
  /** Numbers the executions that somebody observes. */
  nextRun(): number;
  timestamp(): string;
}

interface Execution {
  readonly event: string;
  readonly phase: Phase;
  /** The caller's own observer. */
  readonly observe?: ((event: ChainEvent) => void) | undefined;
}

/** Who is told of one execution, the chain's observer and the caller's. */
export function tellerOf({ observer, nextRun, timestamp }: Telling, { event, phase, observe }: Execution, traceId: string | undefined): Teller {
  const run = nextRun();
  const also = harmless(observe);
  return (draft) => {
    // In place, as a spread costs more than the rest: a draft is made for this call alone.
    const told: EventDraft & { -readonly [Member in keyof Told]?: Told[Member] } = draft;
    told.run = run;
    told.at = timestamp();
    told.event = event;
    told.phase = phase;
    if (traceId !== undefined) told.traceId = traceId;
    // A draft is an event less the members that have been set here.
    const whole = told as ChainEvent;
    observer?.tell(whole);
    also?.(whole);
  };
}

export function tellPlanned(tell: Teller, { steps }: Plan, direction: Direction): void {
  tell({ kind: "planned", direction, interceptors: steps.reduce((sum, { entries }) => sum + entries.length, 0) });
}

/** The same result, once its end has been told. */
export async function tellEnd(tell: Teller, host: Host, running: Promise<ChainResult>): Promise<ChainResult> {
  const startedAt = host.now();
  const elapsed = () => host.now() - startedAt;
  try {
    const result = await running;
    const { status, modified, abortedAt } = result;
    if (status === "success") tell({ kind: "passed", modified, elapsedMs: elapsed() });
    else tell({ kind: "blocked", reason: status, ...(abortedAt !== undefined && { by: abortedAt.interceptor }), elapsedMs: elapsed() });
    return result;
  } catch (thrown) {
    tell({ kind: "blocked", reason: "aborted", elapsedMs: elapsed() });
    throw thrown;
  }
}
