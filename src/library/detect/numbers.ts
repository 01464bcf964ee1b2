import { card } from "./card.ts";
import { CLASS_OF, DIGIT_CLASS, DOT, isDigit, NUMBER_CLASS, OPEN, PLUS, SLASH, SPACE } from "./characters.ts";
import { addMatch, type Match } from "./detector.ts";
import { ipv4 } from "./ip.ts";
import { isSeparator } from "./number-groups.ts";
import { phone } from "./phone.ts";
import { nextRun, runStart } from "./runs.ts";
import { ssn } from "./ssn.ts";

/** Which detectors that start with digits are asked. */
export interface Wants {
  readonly card: boolean;
  readonly ssn: boolean;
  readonly phone: boolean;
  readonly ipv4: boolean;
}

const NOWHERE = Number.POSITIVE_INFINITY;

// Nine digits and what parts them: the shortest national phone number. Security and card numbers are longer.
const SHORTEST_GROUPED = 10;

// `00` and a country's number; the shortest card has one digit more.
const SHORTEST_PIECE = 12;

/**
 * Finds what starts with digits. All of it lies within one run of what numbers are written with. Runs that are long enough are read, and the shorter ones with a plus or
 * with the dots of an address, for which the engine's own searches are fastest.
 */
export function findNumbers(text: string, wants: Wants, found: Match[]): void {
  const findsGroups = wants.card || wants.ssn || wants.phone;
  let run = findsGroups ? nextGrouped(text, 0) : NOWHERE;
  let plus = wants.phone ? nextPlus(text, 0) : NOWHERE;
  let dotted = wants.ipv4 ? nextDotted(text, 0) : NOWHERE;
  for (let done = 0; ; ) {
    const at = Math.min(run, plus, dotted);
    if (at === NOWHERE) return;
    done = findInRun(text, at === run ? at : runStart(text, at, NUMBER_CLASS, done), wants, found);
    if (run < done) run = nextGrouped(text, done);
    if (plus < done) plus = nextPlus(text, done);
    if (dotted < done) dotted = nextDotted(text, done);
  }
}

function nextGrouped(text: string, from: number): number {
  const run = nextRun(text, from, SHORTEST_GROUPED, NUMBER_CLASS);
  return run === -1 ? NOWHERE : run;
}

function nextPlus(text: string, from: number): number {
  const plus = text.indexOf("+", from);
  return plus === -1 ? NOWHERE : plus;
}

// From the last digit of the first number on, so that the dot comes early: the engine skips faster then.
const DOTTED = /[0-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]/g;

function nextDotted(text: string, from: number): number {
  DOTTED.lastIndex = from;
  return DOTTED.test(text) ? DOTTED.lastIndex - 1 : NOWHERE;
}

/** Asks at each group of digits in the run that starts at `from`; gives where the run ends. */
function findInRun(text: string, from: number, wants: Wants, found: Match[]): number {
  let phoneEnd = 0;
  let before = text.charCodeAt(from - 1);
  for (let at = from; ; ) {
    const first = text.charCodeAt(at);
    const bits = CLASS_OF[first]!;
    if ((bits & NUMBER_CLASS) === 0) return at;
    if ((bits & DIGIT_CLASS) === 0) {
      before = first;
      at++;
      continue;
    }
    const start = at++;
    while ((CLASS_OF[text.charCodeAt(at)]! & DIGIT_CLASS) !== 0) at++;
    // Each detector is asked only where it can find something: most groups are done with here.
    const length = at - start;
    const isOpened = before === PLUS || before === OPEN;
    before = 0;
    if (isOpened || first === ZERO || mayOpen(length)) {
      const isLong = length > 6 ? length >= SHORTEST_PIECE : isLongRun(text, start);
      if (wants.card && isLong && (length >= 13 || (length !== 3 && goesOn(text, at) && isDigit(text.charCodeAt(at + 3))))) addMatch(card, card.matchAt(text, start), found);
      if (wants.ssn && isLong && length === 3 && goesOn(text, at)) addMatch(ssn, ssn.matchAt(text, start), found);
      // What starts in a phone number and goes on after it is no other one.
      if (wants.phone && start >= phoneEnd && (isOpened || (isLong && mayOpenNational(text, at, length, first)))) {
        const span = phone.matchAt(text, start);
        if (span !== undefined) phoneEnd = span.end;
        addMatch(phone, span, found);
      }
    }
    if (wants.ipv4 && length <= 3 && text.charCodeAt(at) === DOT) addMatch(ipv4, ipv4.matchAt(text, start), found);
  }
}

/** Whether a group of so many digits may be the first of anything, where it has neither a zero nor a sign in front. */
function mayOpen(length: number): boolean {
  return length === 1 || length === 3 || length === 4 || length === 6 || length >= SHORTEST_PIECE;
}

/** Whether the shortest number in groups may start here; two places in it tell nearly always. */
function isLongRun(text: string, start: number): boolean {
  return (CLASS_OF[text.charCodeAt(start + 5)]! & CLASS_OF[text.charCodeAt(start + SHORTEST_GROUPED - 1)]! & NUMBER_CLASS) !== 0;
}

/** Whether another group follows the one that ends at `end`. */
function goesOn(text: string, end: number): boolean {
  return isSeparator(text.charCodeAt(end)) && isDigit(text.charCodeAt(end + 1));
}

// As `phone` decides, too: most groups of digits are years.
function mayOpenNational(text: string, end: number, length: number, first: number): boolean {
  if (length > 6) return first === ZERO;
  if (length !== 3 && first !== ZERO && (length !== 1 || first !== ONE)) return false;
  const after = text.charCodeAt(end);
  if (!isSeparator(after)) return false;
  const next = text.charCodeAt(end + 1);
  return isDigit(next) || next === OPEN || (after === SPACE && next === SLASH);
}

const ZERO = 0x30;
const ONE = 0x31;
