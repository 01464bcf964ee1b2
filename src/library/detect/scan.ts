import { CLASS_OF, COLON, DOT, IPV6_CLASS, isDigit, NUMBER_CLASS, OPEN, PLUS, SLASH, SPACE } from "./characters.ts";
import { card } from "./card.ts";
import type { Detector, Match, SensitiveType, Span } from "./detector.ts";
import { email } from "./email.ts";
import { fold } from "./fold.ts";
import { iban } from "./iban.ts";
import { ipv4, ipv6 } from "./ip.ts";
import { mergeOverlaps } from "./merge.ts";
import { isSeparator } from "./number-groups.ts";
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

// `a@b.co`; member names and words of data are mostly shorter.
const SHORTEST_TEXT = 6;

/** Which detectors that start with digits are asked. */
interface Wants {
  readonly card: boolean;
  readonly ssn: boolean;
  readonly phone: boolean;
  readonly ipv4: boolean;
}

export function createScanner(types: readonly SensitiveType[]): Scanner {
  const has = (type: SensitiveType) => types.includes(type);
  const wants: Wants = { card: has("card"), ssn: has("ssn"), phone: has("phone"), ipv4: has("ip") };
  const atDigits = DETECTORS.filter((detector) => detector.anchor === "digit" && has(detector.type));
  return {
    find(original, allow) {
      if (original.length < SHORTEST_TEXT) return NOTHING;
      const text = fold(original);
      const found: Match[] = [];
      if (has("email")) findAtSigns(text, found);
      if (has("ip")) findAtColons(text, found);
      if (has("iban")) findAccounts(text, found);
      if (atDigits.length > 0) {
        for (const { type, end } of [...found]) if (type === "email") findGlued(text, end, atDigits, found);
        findNumbers(text, wants, found);
      }
      if (found.length === 0) return NOTHING;
      return mergeOverlaps(allow === undefined ? found : found.filter(({ start, end }) => !allow.has(original.slice(start, end))));
    },
  };
}

function findAtSigns(text: string, found: Match[]): void {
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) add(email, email.matchAt(text, at), found);
}

function add({ type }: Detector, span: Span | undefined, found: Match[]): void {
  if (span !== undefined) found.push({ type, start: span.start, end: span.end });
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

// An address without `::` has seven colons, or six and four numbers with dots.
const SHORTEST_WHOLE = 13;
const MOST_BEFORE_COMPRESSED = 40;

function findAtColons(text: string, found: Match[]): void {
  let done = 0;
  for (let at = text.indexOf("::"); at !== -1; at = text.indexOf("::", at + 1)) {
    let start = at;
    const limit = Math.max(done, at - MOST_BEFORE_COMPRESSED);
    while (start > limit && isOfIpv6(text.charCodeAt(start - 1))) start--;
    for (let colon = text.indexOf(":", start); colon <= at; colon = text.indexOf(":", colon + 1)) add(ipv6, ipv6.matchAt(text, colon), found);
    done = at + 1;
  }
  for (let run = nextRun(text, 0, SHORTEST_WHOLE, IPV6_CLASS); run !== -1; ) {
    const end = runEnd(text, run + SHORTEST_WHOLE, IPV6_CLASS);
    for (let at = run; at < end; at++) if (text.charCodeAt(at) === COLON) add(ipv6, ipv6.matchAt(text, at), found);
    run = nextRun(text, end + 1, SHORTEST_WHOLE, IPV6_CLASS);
  }
}

function isOfIpv6(code: number): boolean {
  return (CLASS_OF[code]! & IPV6_CLASS) !== 0;
}

// The shortest thing that starts with a digit, an address like 1.1.1.1, is one run of what numbers are written with, and as long as this.
const SHORTEST_NUMBER = 7;

function findNumbers(text: string, wants: Wants, found: Match[]): void {
  for (let run = nextRun(text, 0, SHORTEST_NUMBER, NUMBER_CLASS); run !== -1; ) {
    const next = runEnd(text, run + SHORTEST_NUMBER, NUMBER_CLASS);
    // From its first digit to its last: blanks and full stops around a number belong to the sentence.
    let first = run;
    let stop = next;
    while (first < stop && !isDigit(text.charCodeAt(first))) first++;
    while (stop > first && !isDigit(text.charCodeAt(stop - 1))) stop--;
    if (stop - first >= SHORTEST_NUMBER) findInRun(text, first, stop, wants, found);
    run = nextRun(text, next + 1, SHORTEST_NUMBER, NUMBER_CLASS);
  }
}

function findInRun(text: string, first: number, stop: number, wants: Wants, found: Match[]): void {
  let phoneEnd = 0;
  for (let start = first; start < stop; start++) {
    if (!isDigit(text.charCodeAt(start))) continue;
    let end = start + 1;
    while (isDigit(text.charCodeAt(end))) end++;
    // Each detector is asked only where it can find something: most numbers in a text are done with here. What it finds ends within the run.
    const length = end - start;
    const left = stop - start;
    const before = text.charCodeAt(start - 1);
    const after = text.charCodeAt(end);
    const next = text.charCodeAt(end + 1);
    const goesOn = isDigit(next) && isSeparator(after);
    if (wants.card && left >= 13 && (length >= 13 || (goesOn && (length === 4 || length === 6)))) add(card, card.matchAt(text, start), found);
    if (wants.ssn && goesOn && length === 3 && left >= 11) add(ssn, ssn.matchAt(text, start), found);
    // What starts in a phone number and goes on after it is no other one.
    const isGrouped = length <= 6 ? left >= 9 && (goesOn || next === OPEN || after === OPEN || (after === SPACE && next === SLASH)) : length >= 12;
    const opensPhone = before === PLUS || before === OPEN || (isGrouped && mayOpenNational(text, start, length));
    if (wants.phone && opensPhone && start >= phoneEnd) {
      const span = phone.matchAt(text, start);
      if (span !== undefined) phoneEnd = span.end;
      add(phone, span, found);
    }
    if (wants.ipv4 && goesOn && after === DOT && length <= 3) add(ipv4, ipv4.matchAt(text, start), found);
    start = end;
  }
}

// As `phone` decides, too: most groups of digits are years.
function mayOpenNational(text: string, start: number, length: number): boolean {
  return length === 3 || length === 1 || text.charCodeAt(start) === 0x30;
}

// A country, check digits, and what follows in the shortest ones, those of Norway. An expression is faster at this than a walk.
const ACCOUNT = /[A-Za-z]{2}[0-9]{2}[A-Za-z0-9 -]{11}/g;

function findAccounts(text: string, found: Match[]): void {
  ACCOUNT.lastIndex = 0;
  for (let match = ACCOUNT.exec(text); match !== null; match = ACCOUNT.exec(text)) {
    add(iban, iban.matchAt(text, match.index + 2), found);
    // Within what is none, another may start.
    ACCOUNT.lastIndex = match.index + 2;
  }
}
