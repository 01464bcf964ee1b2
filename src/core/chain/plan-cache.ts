import type { ChainEntry } from "./entry.ts";
import { matchEntries, planSteps, type Matches, type Plan, type PlanQuery } from "./plan.ts";

/** Plans of one set of entries. Event names and versions come from peers, so what is kept is bounded. */
export interface PlanCache {
  matches(event: string): Matches;
  plan(query: PlanQuery): Plan;
}

interface EventPlans {
  readonly matches: Matches;
  /** By version; in each, by the combination of phase, direction and error. */
  readonly plans: Map<string | undefined, (Plan | undefined)[]>;
}

// Far more than there are revisions of the protocol.
const MAX_VERSIONS = 16;

export function createPlanCache(entries: readonly ChainEntry[], maxPlans: number): PlanCache {
  const events = new Map<string, EventPlans>();

  const plansOf = (event: string): EventPlans => {
    let known = events.get(event);
    if (known === undefined) {
      if (events.size >= maxPlans) events.clear();
      events.set(event, (known = { matches: matchEntries(entries, event), plans: new Map() }));
    }
    return known;
  };

  return {
    matches: (event) => plansOf(event).matches,
    plan(query) {
      const { matches, plans } = plansOf(query.event);
      let slots = plans.get(query.version);
      if (slots === undefined) {
        if (plans.size >= MAX_VERSIONS) plans.clear();
        plans.set(query.version, (slots = new Array<undefined>(8).fill(undefined)));
      }
      const slot = (query.phase === "request" ? 0 : 1) + (query.direction === "sending" ? 0 : 2) + (query.error ? 4 : 0);
      return (slots[slot] ??= planSteps(matches[query.phase], query));
    },
  };
}
