import type { Limits } from "../base/limits.ts";
import { estimatePattern } from "./pattern-cost.ts";
import { spend, stop, type Run } from "./run.ts";

export interface Pattern {
  /** Whether the pattern is found somewhere in the text. Ends the run where that could take too long, see {@link compilePattern}. */
  test(text: string, run: Run, schemaPath: string): boolean;
}

// Matched characters that cost as much as one step of the checker.
const CHARACTERS_A_STEP = 8;

/**
 * Compiles a regular expression; undefined where it is none. It is read as Unicode (flag `u`), as JSON Schema recommends, and if it
 * is not valid so, without: servers send `\-` and `\_`, which only the older syntax allows.
 *
 * JavaScript's engines backtrack, so that a hostile pattern can hang the program. A static estimate gives the worst number of steps for a
 * text of a given length; a text whose estimate is past `maxPatternSteps` is not tried, and fails with "is too long for this pattern". What is
 * tried is paid for from `maxCheckSteps`, so that many texts cannot add up to a hang either.
 */
export function compilePattern(source: string, limits: Pick<Limits, "maxPatternSteps">): Pattern | undefined {
  const regexp = parse(source, "u") ?? parse(source, "");
  if (regexp === undefined) return undefined;
  const estimate = estimatePattern(source);
  return {
    test(text, run, schemaPath) {
      const cost = estimate(text.length);
      if (cost > limits.maxPatternSteps) throw stop(run, schemaPath, "is too long for this pattern");
      spend(run, Math.ceil(cost / CHARACTERS_A_STEP), schemaPath);
      return regexp.test(text);
    },
  };
}

function parse(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
