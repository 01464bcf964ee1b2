import { distinctChars, makeOf } from "./plausible.ts";

/** Shorter runs are too often names, longer ones data. */
export const SHORTEST_RANDOM = 20;
export const LONGEST_RANDOM = 200;

/** Of the neighbours in random text, six in ten are of different kinds; in names and paths, one to three. */
export const LEAST_CHANGES = 0.42;

// Below this, names with digits come in.
const SOME_CHANGES = 0.25;
// Changes less half the share of pairs that words have: chance makes 0.5 of them, and less than these once in fifty short runs, or in three hundred long ones.
const LEAST_SCORE = 0.2;
const LEAST_LONG_SCORE = 0.15;
const LONG = 40;

const LONGEST_NAME = 32;
const SNAKE = /_.*_.*_/;

/**
 * Whether a run of token characters was drawn at random from large and small letters and digits: it has all of them, they change places far more
 * often than in words, paths and names, and its letters follow each other as they do not in words. Hex is not told from hashes, nor small letters with digits
 * from names.
 */
export function isRandom(run: string): boolean {
  const { length } = run;
  if (length < SHORTEST_RANDOM || length > LONGEST_RANDOM) return false;
  const { digits, upper, lower, changes } = makeOf(run);
  // Most names and paths are done with here, and UUIDs, too.
  if (digits < 1 || upper < 2 || lower < 2 || changes < SOME_CHANGES) return false;
  if (distinctChars(run) < Math.min(24, length * 0.5) || (length < LONGEST_NAME && SNAKE.test(run)) || PUBLIC.test(run) || isPath(run)) return false;
  return changes - shareOfWordPairs(run) / 2 >= (length < LONG ? LEAST_SCORE : LEAST_LONG_SCORE);
}

// A word between slashes, or a top-level domain before the first: what else is there is an id in an address, or a file. Chance makes one in some hundred runs that have a slash.
const PATH = /(?:^[a-z]{2,}|\/[A-Z]?[a-z]{3,})(?:[-_.][A-Za-z]+)*\//;

function isPath(run: string): boolean {
  return run.includes("/") && PATH.test(run);
}

const KINDS = [/[0-9]/, /[A-Z]/, /[a-z]/];

/** Whether a run, or a part of it, has what random ones have; most names and paths have not. */
export function mayBeRandom(run: string): boolean {
  return KINDS.every((kind) => kind.test(run));
}

// Hex behind a short prefix, keys that are public by their own word, and names that compilers have made.
const PUBLIC = /^(?:[A-Z][A-Za-z_-]{0,7}[0-9a-f]{20,}$|pk_(?:live|test)_|_{1,2}[ZR][A-Z0-9])/;

// The two hundred pairs of letters that make up nine in ten of those in words of English and of code: a letter, and what follows it.
const WORD_PAIRS = wordPairs(
  "aabcdgilmnprstuy baeijlou caehiklortu dadeilorsu eacdefglmnopqrstvxy faefioru gaei haeiot iacdefglmnoprstvz jes ke ladeilostuy maeiops nacdefgiostu " +
    "obcdflmnoprstuvw paeiloprtu qu racdegilmnorstuy sacehiopstu tacehioprstuy ueilmnprst vaei wai xpt yp zo",
);

function wordPairs(rows: string): Uint8Array {
  const table = new Uint8Array(32 * 32);
  for (const row of rows.split(" ")) for (const next of row.slice(1)) table[pairOf(row.charCodeAt(0), next.charCodeAt(0))] = 1;
  return table;
}

/** Two letters of either case as one number. */
function pairOf(first: number, second: number): number {
  return ((first & 31) << 5) | (second & 31);
}

/** Of the neighbouring letters, how many are so in words; 0 to 1. Random letters have three in ten. */
function shareOfWordPairs(run: string): number {
  let [pairs, ofWords] = [0, 0];
  for (let at = 1; at < run.length; at++) {
    const [first, second] = [run.charCodeAt(at - 1), run.charCodeAt(at)];
    // Codes of letters, and of few other token characters, which are no pair's part.
    if (first < 0x41 || second < 0x41 || first === 0x5f || second === 0x5f) continue;
    pairs++;
    ofWords += WORD_PAIRS[pairOf(first, second)]!;
  }
  return pairs === 0 ? 0 : ofWords / pairs;
}
