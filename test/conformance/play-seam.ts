// Plays the guard vectors on a seam: which passed, which it cannot express and why, and what came out wrong.
import { canonicalPair } from "../../src/conformance/compare.ts";
import { observe } from "../../src/conformance/observe.ts";
import { runOwnGuard, type GuardSeam } from "../../src/conformance/own-guard.ts";
import type { GuardVector } from "../../src/conformance/vector.ts";
import { vectors } from "./vectors.ts";

export interface SeamRow {
  readonly name: string;
  readonly open: GuardSeam;
  /** Why a vector cannot be played here; undefined where it can. */
  inexpressible?(input: GuardVector["input"]): string | undefined;
}

export const guardVectors: readonly GuardVector[] = vectors.filter((vector) => vector.kind === "guard");

export interface Played {
  readonly passed: number;
  /** By reason, how many vectors. */
  readonly inexpressible: ReadonlyMap<string, number>;
  readonly wrong: readonly string[];
}

export async function play({ open, inexpressible }: SeamRow): Promise<Played> {
  const reasons = new Map<string, number>();
  const wrong: string[] = [];
  let passed = 0;
  for (const vector of guardVectors) {
    const reason = inexpressible?.(vector.input);
    if (reason !== undefined) {
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      continue;
    }
    const { expected, actual } = canonicalPair(vector.expect, await observe(structuredClone(vector), { guard: (input) => runOwnGuard(input, open) }));
    if (expected === actual) passed++;
    else wrong.push(`${vector.id}: ${vector.title}\n  expected ${expected}\n  actual   ${actual}`);
  }
  return { passed, inexpressible: reasons, wrong };
}

/** One line of the table of seams. */
export function playedLine(name: string, { passed, inexpressible, wrong }: Played): string {
  const reasons = [...inexpressible].map(([reason, count]) => `; ${count} not expressible: ${reason}`).join("");
  return `${name}: ${passed} of ${guardVectors.length} vectors passed, ${wrong.length} failed${reasons}`;
}
