import { distinctChars, makeOf } from "./plausible.ts";

/** Shorter runs are too often names, longer ones data. */
export const SHORTEST_RANDOM = 20;
export const LONGEST_RANDOM = 200;

/** Of the neighbours in random text, six in ten are of different kinds; in names and paths, one to three. */
export const LEAST_CHANGES = 0.42;

// From here on chance hardly ever makes a name of random letters, or the other way round.
const LONG = 32;
const SOME_CHANGES = 0.22;
const MOST_WORDS = 0.43;

const WORDS = /[a-z]{3,}|[A-Z]{4,}/g;
const SNAKE = /_.*_.*_/;

/**
 * Whether a run of token characters was drawn at random from large and small letters and digits: it has all of them, and they change places far more
 * often than in words, paths and names. Hex is not told from hashes, nor small letters with digits from names.
 */
export function isRandom(run: string): boolean {
  const { length } = run;
  if (length < SHORTEST_RANDOM || length > LONGEST_RANDOM) return false;
  const { digits, upper, lower, changes } = makeOf(run);
  // Most names and paths are done with here, and UUIDs, too.
  if (digits < 1 || upper < 2 || lower < 2 || changes < SOME_CHANGES) return false;
  if (distinctChars(run) < Math.min(24, length * 0.5) || (length < 48 && SNAKE.test(run))) return false;
  const words = wordChars(run) / length;
  return length < LONG ? changes >= LEAST_CHANGES && words <= MOST_WORDS : changes - words / 3 >= SOME_CHANGES && words <= 0.6;
}

const KINDS = [/[0-9]/, /[A-Z]/, /[a-z]/];

/** Whether a run, or a part of it, has what random ones have; most names and paths have not. */
export function mayBeRandom(run: string): boolean {
  return KINDS.every((kind) => kind.test(run));
}

/** How many characters stand in what may be a word. */
function wordChars(run: string): number {
  let count = 0;
  for (const word of run.match(WORDS) ?? []) count += word.length;
  return count;
}
