import { createScanner } from "./detect/scan.ts";
import type { SensitiveType } from "./detect/detector.ts";

interface RedactTextOptions {
  readonly types: readonly SensitiveType[];
  readonly masks: ReadonlyMap<SensitiveType, string>;
  /** Exact texts that are never replaced. */
  readonly allow: ReadonlySet<string>;
}

/** Counts of what was replaced, by type. */
export type Tally = Map<SensitiveType, number>;

/** Replaces what it finds, and returns the same string where it finds nothing. */
export type RedactText = (text: string, tally?: Tally) => string;

// A mask is a boundary that the text under it was not: what was glued to a match may be one itself once that is gone. Only text that is made
// to chains more than this many, and what is left of it then is glued to something still.
const MAX_ROUNDS = 4;

/**
 * A function that masks sensitive text. Redacting its output changes nothing. Linear in the text: on text without a digit, `@` or `:` it
 * costs 0.7 of what `JSON.parse` takes for the same long string, on prose with numbers 7 times as much, on log lines 17 times, with an
 * address in each sentence 23 times (19 ns a character on a slow machine): `npm run bench`.
 */
export function createRedactText({ types, masks, allow }: RedactTextOptions): RedactText {
  const scanner = createScanner(types);
  const allowed = allow.size === 0 ? undefined : allow;
  return (text, tally) => {
    let current = text;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const matches = scanner.find(current, allowed);
      if (matches.length === 0) break;
      let result = "";
      let done = 0;
      for (const { type, start, end } of matches) {
        result += current.slice(done, start) + (masks.get(type) ?? "");
        done = end;
        tally?.set(type, (tally.get(type) ?? 0) + 1);
      }
      current = result + current.slice(done);
    }
    return current;
  };
}
