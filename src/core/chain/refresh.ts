import { LocalError } from "../base/errors.ts";
import { equalJson, isObject, ownMember } from "../base/json.ts";
import { coversPattern } from "../wire/patterns.ts";
import type { ChainEntry } from "./entry.ts";

/** What a refresh has changed. */
export interface ChainDifference {
  readonly added: readonly ChainEntry[];
  readonly removed: readonly ChainEntry[];
  readonly changed: readonly ChangedEntry[];
}

/** An entry that its source now describes in another way. */
export interface ChangedEntry {
  /** `label/name`. */
  readonly address: string;
  readonly before: ChainEntry;
  readonly after: ChainEntry;
  /** The members of the descriptor that differ. */
  readonly members: readonly string[];
  /** In which ways the entry guards less than before, in words; empty where it does not. */
  readonly weaker: readonly string[];
}

/** Two sets of entries compared, by address; each part in the order of its set. */
export function compareEntries(before: readonly ChainEntry[], after: readonly ChainEntry[]): ChainDifference {
  const old = new Map(before.map((entry) => [entry.address, entry]));
  const now = new Set(after.map(({ address }) => address));
  const changed: ChangedEntry[] = [];
  for (const entry of after) {
    const known = old.get(entry.address);
    // An entry that is as it was is the same object.
    if (known === undefined || known === entry) continue;
    changed.push({ address: entry.address, before: known, after: entry, members: differing(known, entry), weaker: weakerBy(known, entry) });
  }
  return { added: after.filter(({ address }) => !old.has(address)), removed: before.filter(({ address }) => !now.has(address)), changed };
}

/** Throws `refused`, naming every entry that is gone or guards less than before; returns where there is none. */
export function refuseWeaker({ removed, changed }: ChainDifference): void {
  const entries = [
    ...removed.map(({ address }) => ({ address, weaker: ["it is gone"] })),
    ...changed.filter(({ weaker }) => weaker.length > 0).map(({ address, weaker }) => ({ address, weaker: [...weaker] })),
  ];
  if (entries.length === 0) return;
  const named = entries.map(({ address, weaker }) => `${address} (${weaker.join(", ")})`).join("; ");
  throw new LocalError("refused", `the refresh would weaken the chain, which needs allowWeaker: true: ${named}`, { details: { entries } });
}

function differing({ descriptor: before }: ChainEntry, { descriptor: after }: ChainEntry): string[] {
  const members = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...members].filter((member) => !equalJson(memberOf(before, member), memberOf(after, member)));
}

function memberOf(descriptor: unknown, member: string): unknown {
  return isObject(descriptor) ? ownMember(descriptor, member) : undefined;
}

function weakerBy(before: ChainEntry, after: ChainEntry): string[] {
  const weaker: string[] = [];
  // What was a judge and only edits now, or the other way about, does nothing of what it did.
  if (before.type !== after.type) weaker.push(`its type changes from ${before.type} to ${after.type}`);
  if (before.policy.mode === "active" && after.policy.mode === "audit") weaker.push("it changes from active to audit");
  if (!before.policy.failOpen && after.policy.failOpen) weaker.push("it changes from fail-closed to fail-open");
  if (before.handlesErrors && !after.handlesErrors) weaker.push("it no longer sees error responses");
  for (const { events, phase } of before.policy.hooks) {
    for (const event of events) {
      const covered = after.policy.hooks.some((hook) => hook.phase === phase && hook.events.some((pattern) => coversPattern(pattern, event)));
      if (!covered) weaker.push(`it no longer hooks ${JSON.stringify(event)} in the ${phase} phase`);
    }
  }
  return weaker;
}
