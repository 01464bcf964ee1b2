import { COLON, DOT, HYPHEN, isAlphanumeric, isDigit, isHex, isLetter, NUMBER_CLASS, OPEN, PLUS, SLASH, SPACE } from "./characters.ts";
import { card } from "./card.ts";
import type { Detector, Match, SensitiveType } from "./detector.ts";
import { email } from "./email.ts";
import { fold } from "./fold.ts";
import { iban } from "./iban.ts";
import { ipv4, ipv6 } from "./ip.ts";
import { phone } from "./phone.ts";
import { nextRun, runEnd } from "./runs.ts";
import { ssn } from "./ssn.ts";

/** Of two matches with the same start and end, the one that is earlier here names what was found. */
export const DETECTORS: readonly Detector[] = [email, iban, card, ssn, phone, ipv4, ipv6];

export const SENSITIVE_TYPES: readonly SensitiveType[] = ["email", "phone", "card", "iban", "ssn", "ip"];

/** Finds what a fixed set of detectors finds in a text. */
interface Scanner {
  /**
   * Matches in order, without overlaps. Where several overlap, they are one match over all of them, named for the one that starts first, then
   * the longest, so that nothing found stays in the clear. A match whose exact text is in `allow` counts for nothing.
   */
  find(text: string, allow?: ReadonlySet<string>): Match[];
}

const NOTHING: Match[] = [];

export function createScanner(types: readonly SensitiveType[]): Scanner {
  const detectors = DETECTORS.filter((detector) => types.includes(detector.type));
  const atSigns = detectors.filter((detector) => detector.anchor === "@");
  const atColons = detectors.filter((detector) => detector.anchor === ":");
  const atDigits = detectors.filter((detector) => detector.anchor === "digit");
  const atLetters = atDigits.filter((detector) => detector === iban);
  return {
    find(original, allow) {
      const text = fold(original);
      const found: Match[] = [];
      for (const detector of atSigns) findAtSign(text, detector, found);
      for (const detector of atColons) findAtColons(text, detector, found);
      if (atDigits.length > 0) {
        for (const { type, end } of [...found]) if (type === "email") findGlued(text, end, atDigits, found);
        findNumbers(text, atDigits, atLetters, found);
      }
      if (found.length === 0) return NOTHING;
      return mergeOverlaps(allow === undefined ? found : found.filter(({ start, end }) => !allow.has(original.slice(start, end))));
    },
  };
}

function findAtSign(text: string, detector: Detector, found: Match[]): void {
  for (let at = text.indexOf(detector.anchor); at !== -1; at = text.indexOf(detector.anchor, at + 1)) {
    const span = detector.matchAt(text, at);
    if (span !== undefined) found.push({ type: detector.type, start: span.start, end: span.end });
  }
}

// What is glued to the end of an address (`a@example.com123-45-6789`): the address takes its first digits, and no detector starts behind a
// letter. So each is shown the text from the digits on.
function findGlued(text: string, end: number, detectors: readonly Detector[], found: Match[]): void {
  let start = end;
  while (isDigit(text.charCodeAt(start - 1))) start--;
  if (start === end) return;
  const rest = text.slice(start, start + GLUED_CHARS);
  const matches: Match[] = [];
  findAt(rest, 0, detectors, matches);
  for (const match of matches) found.push({ type: match.type, start: start + match.start, end: start + match.end });
}

// More than any detector reads from its anchor on.
const GLUED_CHARS = 128;

// An address has its first colon between two groups of hex digits, or next to another colon; the colons of prose, times and JSON have not.
function findAtColons(text: string, detector: Detector, found: Match[]): void {
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) {
    const next = text.charCodeAt(at + 1);
    if (next !== COLON && !(isHex(next) && isHex(text.charCodeAt(at - 1)) && hasColonAfter(text, at + 2))) continue;
    const span = detector.matchAt(text, at);
    if (span !== undefined) found.push({ type: detector.type, start: span.start, end: span.end });
  }
}

function hasColonAfter(text: string, start: number): boolean {
  let end = start;
  while (end < start + 3 && isHex(text.charCodeAt(end))) end++;
  return text.charCodeAt(end) === COLON;
}

// The shortest thing that starts with a digit, an address like 1.1.1.1, is one run of what numbers are written with, and as long as this.
const SHORTEST_NUMBER = 7;

function findNumbers(text: string, detectors: readonly Detector[], atLetters: readonly Detector[], found: Match[]): void {
  for (let run = nextRun(text, 0, SHORTEST_NUMBER, NUMBER_CLASS); run !== -1; ) {
    const runStop = runEnd(text, run + SHORTEST_NUMBER, NUMBER_CLASS);
    let isFirst = true;
    for (let start = run; start < runStop; start++) {
      if (!isDigit(text.charCodeAt(start))) continue;
      let end = start + 1;
      while (isDigit(text.charCodeAt(end))) end++;
      if (isFirst) for (const detector of atLetters) findBefore(text, start, detector, found);
      isFirst = false;
      if (mayOpen(text, start, end)) findAt(text, start, detectors, found);
      start = end;
    }
    run = nextRun(text, runStop + 1, SHORTEST_NUMBER, NUMBER_CLASS);
  }
}

function findAt(text: string, start: number, detectors: readonly Detector[], found: Match[]): void {
  for (const detector of detectors) {
    const span = detector.matchAt(text, start);
    if (span !== undefined) found.push({ type: detector.type, start: span.start, end: span.end });
  }
}

/**
 * Whether any detector can make something of this run of digits: it is long, or goes on after one separator, or stands behind what an
 * international number or an account number starts with. Most numbers in a text are done with here.
 */
function mayOpen(text: string, start: number, end: number): boolean {
  if (end - start >= 13) return true;
  const after = text.charCodeAt(end);
  if (after === SPACE || after === HYPHEN || after === DOT || after === SLASH || after === OPEN) {
    const next = text.charCodeAt(end + 1);
    if (isDigit(next) || next === OPEN) return true;
  }
  const before = text.charCodeAt(start - 1);
  return before === PLUS || before === OPEN || (isLetter(before) && isLetter(text.charCodeAt(start - 2)));
}

// The most that an account number has before its first long run of digits, separators included.
const MOST_BEFORE = 40;

/**
 * An account number whose country, check digits and bank stand before its first long run of digits, which `start` is: glued to it, or in groups of
 * four (`GB82 WEST 1234 …`).
 */
function findBefore(text: string, start: number, detector: Detector, found: Match[]): void {
  const limit = Math.max(0, start - MOST_BEFORE);
  for (let end = start; end > limit; ) {
    const word = wordStart(text, end, limit);
    if (isDigit(text.charCodeAt(word + 2)) && word + 4 <= start) {
      const span = detector.matchAt(text, word + 2);
      if (span !== undefined) found.push({ type: detector.type, start: span.start, end: span.end });
      return;
    }
    const separator = text.charCodeAt(word - 1);
    if ((end < start && end - word !== 4) || (separator !== SPACE && separator !== HYPHEN)) return;
    end = word - 1;
  }
}

function wordStart(text: string, end: number, limit: number): number {
  let start = end;
  while (start > limit && isAlphanumeric(text.charCodeAt(start - 1))) start--;
  return start;
}

function mergeOverlaps(found: Match[]): Match[] {
  // The sort is stable, so the order of the detectors decides between equals.
  found.sort((left, right) => left.start - right.start || right.end - left.end);
  const merged: Match[] = [];
  for (const match of found) {
    const last = merged.at(-1);
    if (last === undefined || match.start >= last.end) merged.push(match);
    else if (match.end > last.end) merged[merged.length - 1] = { ...last, end: match.end };
  }
  return merged;
}
