import assert from "node:assert/strict";
import { test } from "node:test";
import { estimatePattern } from "../../../src/core/schema/pattern-cost.ts";
import { parsePattern, type Term } from "../../../src/core/schema/pattern-syntax.ts";
import { seededRandom, type Random } from "../../support/random.ts";

const SEED = 20_260_728;
const MAX_STEPS = 20_000;

/** A backtracking matcher over parsed terms that counts its steps, as the engines do and hide. */
function countSteps(term: Term, text: string): number {
  let steps = 0;
  type Next = (at: number) => boolean;
  const run = (term: Term, at: number, next: Next): boolean => {
    if (++steps > MAX_STEPS) throw new RangeError("enough");
    switch (term.kind) {
      case "set": {
        const code = text.charCodeAt(at);
        return at < text.length && term.set.some(([low, high]) => low <= code && code <= high) && next(at + 1);
      }
      case "empty":
        return (term.assertion === undefined || (term.assertion === "start" ? at === 0 : at === text.length)) && next(at);
      case "sequence":
        return term.terms.reduceRight<Next>((rest, part) => (from) => run(part, from, rest), next)(at);
      case "choice":
        return term.terms.some((part) => run(part, at, next));
      case "look":
        return run(term.body, at, () => true) && next(at);
      case "loop":
        return repeat(term, at, 0, next);
      case "back":
        return next(at);
    }
  };
  const repeat = (term: Term & { kind: "loop" }, at: number, count: number, next: Next): boolean => {
    if (++steps > MAX_STEPS) throw new RangeError("enough");
    // ECMAScript ends a loop whose optional round took nothing.
    const more = count < term.max && run(term.body, at, (to) => (to > at || count < term.min) && repeat(term, to, count + 1, next));
    return more || (count >= term.min && next(at));
  };
  try {
    for (let start = 0; start <= text.length; start++) if (run(term, start, () => true)) break;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return steps;
}

function randomPattern(random: Random, depth: number): string {
  const atom = () => (depth > 0 && random.next() < 0.45 ? `(?:${randomPattern(random, depth - 1)})` : random.pick(["a", "b", "c", "[ab]", "."]));
  const part = () => (random.next() < 0.04 ? "(?=a)" : atom() + random.pick(["", "", "", "*", "+", "?", "{2}", "{2,4}", "{0,3}", "*?"]));
  const sequence = () => Array.from({ length: 1 + random.below(3) }, part).join("");
  return random.next() < 0.3 ? `${sequence()}|${sequence()}` : sequence();
}

test("no pattern takes more steps than its estimate times its size", () => {
  const random = seededRandom(SEED);
  let tried = 0;
  let heavy = 0;
  for (let round = 0; round < 1_000; round++) {
    const source = random.pick(["", "^"]) + `(?:${randomPattern(random, 3)})` + random.pick(["", "$", "d"]);
    const term = parsePattern(source);
    assert.ok(term !== undefined, source);
    const estimate = estimatePattern(source);
    for (const text of ["a".repeat(12), "a".repeat(40), "ab".repeat(20), "aab".repeat(8) + "x", Array.from({ length: 12 }, () => random.pick(["a", "b", "c"])).join("")]) {
      const steps = countSteps(term, text);
      const bound = estimate(text.length) * 4 * source.length;
      assert.ok(steps <= bound, `seed ${SEED}: ${source} on ${text} took ${steps} steps, estimated ${bound}`);
      tried++;
      if (steps > 5_000) heavy++;
    }
  }
  assert.ok(tried === 5_000 && heavy > 100, `the generator is too tame: ${tried} tried, ${heavy} heavy`);
});
