import { LocalError } from "../base/errors.ts";
import type { ChainEntry } from "./entry.ts";

/** Finds entries by `label/name`, or by a name that is unique in the chain. */
export interface NameIndex {
  /** Throws `not_found`, or `ambiguous` where the text fits several entries. */
  find(text: string): ChainEntry;
  has(address: string): boolean;
}

export function indexNames(entries: readonly ChainEntry[]): NameIndex {
  const byAddress = new Map<string, ChainEntry>();
  const byName = new Map<string, ChainEntry[]>();
  for (const entry of entries) {
    byAddress.set(entry.address, entry);
    const same = byName.get(entry.name);
    if (same === undefined) byName.set(entry.name, [entry]);
    else same.push(entry);
  }
  return {
    has: (address) => byAddress.has(address),
    find(text) {
      // A name may hold a slash, so one text can be an address here and a name there.
      const addressed = byAddress.get(text);
      const named = byName.get(text) ?? [];
      const found = addressed === undefined || named.includes(addressed) ? named : [addressed, ...named];
      const [entry] = found;
      if (entry === undefined) throw new LocalError("not_found", `no interceptor in the chain is called ${JSON.stringify(text)}`);
      if (found.length > 1) {
        const addresses = found.map(({ address }) => address);
        throw new LocalError("ambiguous", `${JSON.stringify(text)} may be any of ${addresses.join(", ")}`, { details: { addresses } });
      }
      return entry;
    },
  };
}
