import { compareEntries, type ChangedEntry } from "../../core/chain/refresh.ts";
import type { BuiltChain } from "./chains.ts";
import { equalJson } from "../../core/base/json.ts";
import type { InterceptorsConfig } from "./config.ts";
import type { Problems } from "./problems.ts";

/** What a plan has put into its chains. */
export interface Placed {
  readonly items: ReadonlyMap<string, { readonly item: InterceptorsConfig; readonly pointer: string }>;
  readonly chains: ReadonlyMap<string, BuiltChain>;
}

/**
 * Refuses what nobody asked for: an item that is the same word for word, whose server or module now lists fewer interceptors than before, or weaker
 * ones. Whoever means it changes the item, or starts the gateway anew.
 */
export function refuseSilentlyWeaker(before: Placed, after: Placed, problems: Problems): void {
  const told = new Set<string>();
  for (const [upstream, { chain }] of after.chains) {
    const { removed, changed } = compareEntries(before.chains.get(upstream)?.chain.entries ?? [], chain.entries);
    const weaker = [...removed.map((entry) => ({ label: entry.label, name: entry.name, how: ["it is gone"] })), ...changed.filter(isWeaker).map(describe)];
    for (const { label, name, how } of weaker) {
      const [old, now] = [before.items.get(label), after.items.get(label)];
      if (old === undefined || now === undefined || !equalJson(old.item, now.item) || told.has(`${label}/${name}`)) continue;
      told.add(`${label}/${name}`);
      const undo = "its file says what it said; change the item or start the gateway anew if that is meant";
      problems.add(now.pointer, `would guard less than now: ${name} (${how.join(", ")}). ${undo}`);
    }
  }
}

function isWeaker({ weaker }: ChangedEntry): boolean {
  return weaker.length > 0;
}

function describe({ after, weaker }: ChangedEntry): { readonly label: string; readonly name: string; readonly how: readonly string[] } {
  return { label: after.label, name: after.name, how: weaker };
}
