/**
 * Members and items of one object or list that some keyword has evaluated, for `unevaluatedProperties` and
 * `unevaluatedItems` (JSON Schema 2020-12 core, section 11). The schema that holds such a keyword starts a fresh one, since it sees
 * its own subschemas and not its cousins; once it fits, it hands it up.
 */
export interface Evaluated {
  allMembers: boolean;
  readonly members: Set<string>;
  allItems: boolean;
  /** Items below this index. */
  prefix: number;
  /** Items that `contains` met. */
  readonly items: Set<number>;
}

export function newEvaluated(): Evaluated {
  return { allMembers: false, members: new Set(), allItems: false, prefix: 0, items: new Set() };
}

const NOTE_STEPS = 4;

/** Adds the notes of `from`. Returns the steps that the caller pays for it. */
export function mergeEvaluated(into: Evaluated, from: Evaluated): number {
  into.allMembers ||= from.allMembers;
  into.allItems ||= from.allItems;
  into.prefix = Math.max(into.prefix, from.prefix);
  let taken = 0;
  if (!into.allMembers) {
    taken += from.members.size;
    for (const member of from.members) into.members.add(member);
  }
  if (!into.allItems) {
    taken += from.items.size;
    for (const item of from.items) into.items.add(item);
  }
  return taken * NOTE_STEPS;
}
