import type { Limits } from "../base/limits.ts";
import { estimatePattern } from "./pattern-cost.ts";
import { countStates, matchPattern } from "./pattern-match.ts";
import { spend, stop, type Run } from "./run.ts";

export interface Pattern {
  /** Whether the pattern is found somewhere in the text. Ends the run where that could take too long, see {@link compilePattern}. */
  test(text: string, run: Run, schemaPath: string): boolean;
  /** What it may take besides the engine's regular expression, in the measure of {@link patternSize}. */
  readonly size: number;
}

// Matched characters, or steps of the matcher, that cost as much as one step of the checker.
const CHARACTERS_A_STEP = 8;

// A state takes 5 bytes for good, once it is needed.
const STATES_A_CHARACTER = 4;

// A text for which only an estimate that is linear is low.
const LONG_TEXT = 1_000_000;

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
 * JavaScript's engines backtrack, so that a hostile pattern can hang the program, and an ordinary one of many choices cannot be told from it.
 * A static estimate gives the worst number of steps for a text of a given length. Where that is linear the engine matches, else a matcher of our own
 * that takes steps by the length of the text times the size of the pattern. What that cannot take is the engine's again, unless the estimate is
 * past `maxPatternSteps`. What comes to more steps fails with "is too long for this pattern". Steps are paid for from `maxCheckSteps`, so
 * that many texts cannot add up to a hang either.
 */
export function compilePattern(source: string, limits: Pick<Limits, "maxPatternSteps">): Pattern | undefined {
  // Of ten such classes in a row V8 looks ahead through all pairs of surrogates, which takes a second; behind an assertion it does not look ahead.
  const plain = parse(source, "u");
  const regexp = plain === undefined ? parse(source, "") : /\\p/i.test(source) ? parse(`(?=)(?:${source})`, "u") : plain;
  if (regexp === undefined) return undefined;
  const unicode = plain !== undefined;
  const estimate = estimatePattern(source, unicode);
  const counted = countStates(source, unicode);
  const states = counted !== undefined && estimate(LONG_TEXT) > LONG_TEXT * counted ? counted : undefined;
  let match: ReturnType<typeof matchPattern> | undefined;

  function testSafely(text: string, run: Run, schemaPath: string): boolean {
    let total = 0;
    const pay = (steps: number) => {
      if ((total += steps) > limits.maxPatternSteps) throw stop(run, schemaPath, TOO_LONG);
      spend(run, steps / CHARACTERS_A_STEP, schemaPath);
    };
    return (match ??= matchPattern(source, unicode))(text, pay);
  }

  return {
    size: (states ?? 0) / STATES_A_CHARACTER,
    test(text, run, schemaPath) {
      if (states !== undefined) return testSafely(text, run, schemaPath);
      const cost = estimate(text.length);
      if (cost > limits.maxPatternSteps) throw stop(run, schemaPath, TOO_LONG);
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

const TOO_LONG = "is too long for this pattern";

function parse(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
