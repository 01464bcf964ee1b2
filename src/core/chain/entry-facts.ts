import { DEFAULT_LIMITS } from "../base/limits.ts";
import type { ChainEntry } from "./entry.ts";

/** An answer about a chain's entries, for one event where it takes one. */
export type EntryFact<T> = (entries: readonly ChainEntry[], event?: string) => T;

/**
 * The same answer, worked out once for each set of entries and event: whoever guards traffic asks for each message, and must not look at a thousand
 * entries that have nothing to do with it. A chain's `entries` are another list once they have changed. Event names come from peers, so what is kept is bounded.
 */
export function entryFact<T>(compute: (entries: readonly ChainEntry[], event: string) => T): EntryFact<T> {
  const known = new WeakMap<readonly ChainEntry[], Map<string, T>>();
  return (entries, event = "") => {
    let answers = known.get(entries);
    if (answers === undefined) known.set(entries, (answers = new Map()));
    if (!answers.has(event)) {
      if (answers.size >= DEFAULT_LIMITS.maxPlans) answers.clear();
      answers.set(event, compute(entries, event));
    }
    // It was set above, if it was not there.
    return answers.get(event) as T;
  };
}
