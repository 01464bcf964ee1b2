// What a fuzzed part is, and how its cases run. Each case follows from its own seed.
import { seededRandom, type Random } from "../../support/random.ts";

export type Count = (outcome: string) => void;

export interface Part {
  readonly name: string;
  /** Cases of `npm test`. */
  readonly cases: number;
  /** How often each outcome must have come up in those: else the generator is too tame to tell anything. */
  readonly least: Readonly<Record<string, number>>;
  /** Runs one case; gives what is wrong, or nothing. What is thrown is wrong, too. */
  run(random: Random, count: Count): string | undefined | Promise<string | undefined>;
}

export interface PartReport {
  readonly cases: number;
  readonly outcomes: ReadonlyMap<string, number>;
  readonly failure?: { readonly seed: number; readonly problem: string };
}

/** Runs cases of a part from `seed` on, until as many have run, the time is up, or one has failed. */
export async function runPart(part: Part, { seed, cases = part.cases, until = Infinity }: { seed: number; cases?: number; until?: number }): Promise<PartReport> {
  const outcomes = new Map<string, number>();
  const count = (outcome: string) => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  let run = 0;
  for (let at = seed; at < seed + cases && Date.now() < until; at++) {
    run++;
    let problem: string | undefined;
    try {
      problem = await part.run(seededRandom(at), count);
    } catch (thrown) {
      problem = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    }
    if (problem !== undefined) return { cases: run, outcomes, failure: { seed: at, problem } };
  }
  return { cases: run, outcomes };
}

/** A failure in words, with the command that repeats it. */
export function describePartFailure(part: Part, { seed, problem }: NonNullable<PartReport["failure"]>): string {
  return `seed ${seed}: ${problem}\nrepeat it with: npm run fuzz -- ${part.name} --seed ${seed} --cases 1`;
}
