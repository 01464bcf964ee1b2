import { generate as first } from "./first.ts";
import type { Sample } from "./sample.ts";
import { generate as second } from "./second.ts";

export type Generate = (seed: number) => Iterable<Sample>;

/** The generators by name. */
export const CORPORA: ReadonlyMap<string, Generate> = new Map<string, Generate>([
  ["first", first],
  ["second", second],
]);
