import { compareCodePoints } from "../base/compare-code-points.ts";
import { LocalError } from "../base/errors.ts";
import { priorityFor } from "../interceptor/priority.ts";
import { needsDirection } from "../wire/events.ts";
import type { InterceptorType, Phase } from "../wire/gen/interceptors.ts";
import { hooksMatch, isEvent } from "../wire/patterns.ts";
import { incompatibility, type ChainEntry } from "./entry.ts";

/** `sending`: the message leaves our side of the boundary. `receiving`: it arrives. */
export type Direction = "sending" | "receiving";

export interface PlanQuery {
  readonly event: string;
  readonly phase: Phase;
  readonly direction: Direction;
  /** Protocol version of the message, for `compat`. */
  readonly version?: string | undefined;
  /** The payload is `{ error }`: only entries with `handlesErrors` run. */
  readonly error?: boolean | undefined;
}

export interface PlannedEntry {
  readonly entry: ChainEntry;
  readonly active: boolean;
  /** Set where the entry fails without being called. */
  readonly incompatible: string | undefined;
}

/** Validators run together, in the order of entries, and sinks with them; mutators one after the other, in the order given. */
export interface Step {
  readonly type: InterceptorType;
  readonly entries: readonly PlannedEntry[];
}

/** Which entries run for a message, step by step. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Some entry, or its condition, wants to see the request that a response answers. */
  readonly withRequest: boolean;
}

/** The entries that hook an event, for each phase. */
export interface Matches {
  readonly request: readonly ChainEntry[];
  readonly response: readonly ChainEntry[];
}

export function matchEntries(entries: readonly ChainEntry[], event: string): Matches {
  const hooked = (phase: Phase) => entries.filter(({ policy }) => hooksMatch(policy.hooks, event, phase));
  return { request: hooked("request"), response: hooked("response") };
}

/**
 * Which entries run for a message, and in which order (SEP-2624, Execution Model): validation guards the boundary, so it comes last when
 * sending and first when receiving. `matching` holds the entries that hook this event in this phase, in the order of the chain.
 */
export function planSteps(matching: readonly ChainEntry[], query: Omit<PlanQuery, "event">): Plan {
  const { phase, direction, version, error = false } = query;
  const planned = matching
    .filter(({ handlesErrors }) => !error || handlesErrors)
    .map((entry): PlannedEntry => ({ entry, active: entry.policy.mode === "active", incompatible: incompatibility(entry, version) }));
  const validate: Step = { type: "validation", entries: planned.filter(({ entry }) => entry.type !== "mutation") };
  const mutate: Step = {
    type: "mutation",
    // A stable sort: what is equal stays in the order of the servers.
    entries: planned
      .filter(({ entry }) => entry.type === "mutation")
      .sort(({ entry: a }, { entry: b }) => byPriority(a, b, phase) || compareCodePoints(a.name, b.name)),
  };
  return {
    steps: (direction === "sending" ? [mutate, validate] : [validate, mutate]).filter(({ entries }) => entries.length > 0),
    withRequest: phase === "response" && planned.some(({ entry }) => entry.withRequest || entry.policy.when !== undefined),
  };
}

/**
 * The direction of an event without one: the server's side of what clients ask of servers. Throws `invalid_argument` for events that go
 * both ways, and for what is no event, phase or direction.
 */
export function resolveDirection(event: string, phase: Phase, direction: Direction | undefined): Direction {
  if (!isEvent(event)) throw new LocalError("invalid_argument", 'event must be a name, without "*"');
  if (phase !== "request" && phase !== "response") throw new LocalError("invalid_argument", 'phase must be "request" or "response"');
  if (direction === "sending" || direction === "receiving") return direction;
  if (direction !== undefined) throw new LocalError("invalid_argument", 'direction must be "sending" or "receiving"');
  if (needsDirection(event)) throw new LocalError("invalid_argument", `${event} goes both ways; say whether it is "sending" or "receiving"`);
  return phase === "request" ? "receiving" : "sending";
}

function byPriority(a: ChainEntry, b: ChainEntry, phase: Phase): number {
  return priorityFor(a.policy.priorities, phase) - priorityFor(b.policy.priorities, phase);
}
