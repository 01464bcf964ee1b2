import { existsSync } from "node:fs";
import { generate as first } from "./first.ts";
import type { Sample } from "./sample.ts";

export type Generate = (seed: number) => Iterable<Sample>;

const SECOND = new URL("second.ts", import.meta.url);

/** The generators by name; the second as soon as it is written. */
export const CORPORA: ReadonlyMap<string, Generate> = new Map<string, Generate>([
  ["first", first],
  // The contract of a generator is in README.md.
  ...(existsSync(SECOND) ? [["second", ((await import(SECOND.href)) as { generate: Generate }).generate] as const] : []),
]);
