import type { BlockedEvent, ChainEvent, PassedEvent } from "../chain/events.ts";
import type { Decision } from "./decision.ts";

/** A message did not go on, with all that is to be said about it. `reason` is the decision's; `run` is that of the chain, 0 where it did not run. */
export interface GuardBlockedEvent extends BlockedEvent {
  readonly decision: Decision;
}

/** A message that was judged goes on. */
export interface GuardPassedEvent extends PassedEvent {
  readonly decision: Decision;
}

/**
 * What a guard does, told apart by `kind`: the events of its chain, but one `blocked` or `passed` for each message, with the decision. A message that
 * no interceptor would see is not told of. Each is a {@link ChainEvent}, so one observer fits chains and guards.
 */
export type GuardEvent = Exclude<ChainEvent, BlockedEvent | PassedEvent> | GuardBlockedEvent | GuardPassedEvent;

/** The events of a chain that are a guard's too: a message may run several chains, and has one end. */
export function isStep(event: ChainEvent): event is Exclude<ChainEvent, BlockedEvent | PassedEvent> {
  return event.kind !== "blocked" && event.kind !== "passed";
}

export function decisionEvent(decision: Decision, run: number): GuardBlockedEvent | GuardPassedEvent {
  const { at, event, phase, traceId, verdict, by, durationMs } = decision;
  const told = { run, at, event, phase, ...(traceId !== undefined && { traceId }), elapsedMs: durationMs, decision };
  if (verdict === "passed" || verdict === "changed") return { kind: "passed", ...told, modified: verdict === "changed" };
  return { kind: "blocked", ...told, reason: decision.reason ?? "failed", ...(by !== undefined && { by }) };
}
