import { DOT, HYPHEN, isDigit, isLetter, OPEN, PLUS, SLASH, SPACE } from "./characters.ts";
import { card } from "./card.ts";
import type { Detector, Match, SensitiveType } from "./detector.ts";
import { email } from "./email.ts";
import { fold } from "./fold.ts";
import { iban } from "./iban.ts";
import { ipv4, ipv6 } from "./ip.ts";
import { phone } from "./phone.ts";
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

// Every anchor, the other writings of one included: text without any is done with at the speed of a search.
const ANY_ANCHOR = /[0-9@:\u0660-\u0669\u06f0-\u06f9\uff10-\uff1a\uff20]/;
const NOTHING: Match[] = [];

export function createScanner(types: readonly SensitiveType[]): Scanner {
  const detectors = DETECTORS.filter((detector) => types.includes(detector.type));
  const atDigits = detectors.filter((detector) => detector.anchor === "digit");
  const atSigns = detectors.filter((detector) => detector.anchor !== "digit");
  return {
    find(original, allow) {
      if (!ANY_ANCHOR.test(original)) return NOTHING;
      const text = fold(original);
      const found: Match[] = [];
      for (const detector of atSigns) findAtSign(text, detector, found);
      if (atDigits.length > 0) for (const { type, end } of [...found]) if (type === "email") findGlued(text, end, atDigits, found);
      if (atDigits.length > 0) findAtDigits(text, atDigits, found);
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
  for (const detector of detectors) {
    const span = detector.matchAt(rest, 0);
    if (span !== undefined) found.push({ type: detector.type, start: start + span.start, end: start + span.end });
  }
}

// More than any detector reads from its anchor on.
const GLUED_CHARS = 128;

function findAtDigits(text: string, detectors: readonly Detector[], found: Match[]): void {
  for (let start = 0; start < text.length; start++) {
    if (!isDigit(text.charCodeAt(start))) continue;
    let end = start + 1;
    while (isDigit(text.charCodeAt(end))) end++;
    if (mayOpen(text, start, end)) {
      for (const detector of detectors) {
        const span = detector.matchAt(text, start);
        if (span !== undefined) found.push({ type: detector.type, start: span.start, end: span.end });
      }
    }
    start = end;
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
