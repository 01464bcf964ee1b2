import type { Limits } from "../base/limits.ts";
import { estimatePattern } from "./pattern-cost.ts";
import { spend, stop, type Run } from "./run.ts";

export interface Pattern {
  /** Whether the pattern is found somewhere in the text. Ends the run where that could take too long, see {@link compilePattern}. */
  test(text: string, run: Run, schemaPath: string): boolean;
}

// Matched characters that cost as much as one step of the checker.
const CHARACTERS_A_STEP = 8;

/** Characters of a pattern. Engines take memory by its length, more than 200 bytes a character, and refuse what is far too long when it first runs. */
export const MAX_PATTERN_CHARS = 65_536;

/** Sizes of all patterns of a schema, see {@link patternSize}: about 2 s that an engine takes to compile the worst of them. */
export const MAX_PATTERNS_SIZE = 1_000_000;

// A class such as \p{L} is a list of hundreds of ranges: on Node 20 it takes 30 µs to read, and up to 2,400 when it first runs among many.
const SIZE_OF_PROPERTY = 2_000;

/** What a pattern costs an engine before it looks at a text, in characters. */
export function patternSize(source: string): number {
  return source.length + (source.match(/\\p/gi)?.length ?? 0) * SIZE_OF_PROPERTY;
}

/**
 * Compiles a regular expression; undefined where it is none. It is read as Unicode (flag `u`), as JSON Schema recommends, and if it
 * is not valid so, without: servers send `\-` and `\_`, which only the older syntax allows.
 *
 * JavaScript's engines backtrack, so that a hostile pattern can hang the program. A static estimate gives the worst number of steps for a
 * text of a given length; a text whose estimate is past `maxPatternSteps` is not tried, and fails with "is too long for this pattern". What is
 * tried is paid for from `maxCheckSteps`, so that many texts cannot add up to a hang either.
 */
export function compilePattern(source: string, limits: Pick<Limits, "maxPatternSteps">): Pattern | undefined {
  // Of ten such classes in a row V8 looks ahead through all pairs of surrogates, which takes a second; behind an assertion it does not look ahead.
  const plain = parse(source, "u");
  const regexp = plain === undefined ? parse(source, "") : /\\p/i.test(source) ? parse(`(?=)(?:${source})`, "u") : plain;
  if (regexp === undefined) return undefined;
  const estimate = estimatePattern(source);
  return {
    test(text, run, schemaPath) {
      const cost = estimate(text.length);
      if (cost > limits.maxPatternSteps) throw stop(run, schemaPath, "is too long for this pattern");
      spend(run, Math.ceil(cost / CHARACTERS_A_STEP), schemaPath);
      try {
        return regexp.test(text);
      } catch {
        // Out of stack or memory of its own: engines find out when they run it.
        throw stop(run, schemaPath, "has a pattern that is too large for this engine");
      }
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
