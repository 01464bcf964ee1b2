import { seededRandom, type Random } from "../../support/random.ts";
import { PII } from "./first-pii.ts";
import { SECRETS } from "./first-secrets.ts";
import type { Detector, Sample } from "./sample.ts";

/** Makes a text, with what must not be seen in it. */
export type Make = (random: Random) => { readonly text: string; readonly secrets: readonly string[] };

/** For one detector. */
export interface Kind {
  readonly positive: Make;
  readonly negative: Make;
}

const EACH = 250;

/** Positives and negatives by turns, {@link EACH} of either for each detector. */
export function* generate(seed: number): Generator<Sample> {
  const random = seededRandom(seed);
  const kinds: Readonly<Record<Detector, Kind>> = { ...PII, ...SECRETS };
  for (const [detector, { positive, negative }] of Object.entries(kinds) as [Detector, Kind][]) {
    for (let count = 0; count < EACH; count++) {
      yield { detector, ...positive(random) };
      yield { detector, ...negative(random) };
    }
  }
}

const PROSE = [
  "please have a look before the end of the week",
  "nobody has answered so far",
  "see the notes of the last meeting",
  "this has been so since the beginning",
  "the customer asked for it twice",
];

/** A text around something: a sentence, a line of a log, a table, a piece of JSON. */
export function around(random: Random, what: string, label: string): string {
  return random.pick([
    () => `${random.pick(PROSE)}: ${what}, ${random.pick(PROSE)}.`,
    () => `2026-0${1 + random.below(9)}-1${random.below(10)} 10:2${random.below(10)}:03 INFO worker-${random.below(20)} ${label} ${what} (took ${random.below(900)} ms)`,
    () => `| ${random.below(90)} | ${label} | ${what} | ok |`,
    () => JSON.stringify({ id: random.below(1000), note: random.pick(PROSE), [label]: what }),
    () => JSON.stringify({ items: [{ kind: label, value: what }] }, undefined, 2),
    () => `<td>${label}</td><td>${what}</td>`,
    () => `${what}`,
    () => `- ${label}: ${what}\n- ${random.pick(PROSE)}\n`,
  ])();
}

/** One thing, and what of it must not be seen, in a text of some kind. */
export function placed(make: (random: Random) => string, label: string, isPositive = true): Make {
  return (random) => {
    const what = make(random);
    return { text: around(random, what, label), secrets: isPositive ? [what] : [] };
  };
}
