import { card } from "./card.ts";
import { isDigit } from "./characters.ts";
import { findAtColons } from "./colons.ts";
import { addMatch, type Detector, type Match, type SensitiveType } from "./detector.ts";
import { email } from "./email.ts";
import { blankColours, withoutGluedEscapes } from "./escapes.ts";
import { fold } from "./fold.ts";
import { iban } from "./iban.ts";
import { ipv4, ipv6 } from "./ip.ts";
import { mergeOverlaps } from "./merge.ts";
import { findNumbers, type Wants } from "./numbers.ts";
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

const NOTHING: Match[] = [];

// `a@b.co`; member names and words of data are mostly shorter.
const SHORTEST_TEXT = 6;

export function createScanner(types: readonly SensitiveType[]): Scanner {
  const has = (type: SensitiveType) => types.includes(type);
  const wants: Wants = { card: has("card"), ssn: has("ssn"), phone: has("phone"), ipv4: has("ip") };
  const atDigits = DETECTORS.filter((detector) => detector.anchor === "digit" && has(detector.type));
  // What is found as it stands may be one all the same: `%21` starts a number of nine digits, or is a sign in front of one.
  const findBehindEscapes = (text: string, found: Match[]) => {
    const read = withoutGluedEscapes(text);
    if (read === undefined) return;
    if (has("ip")) findAtColons(read, found);
    if (atDigits.length > 0) findNumbers(read, wants, found);
  };
  return {
    find(original, allow) {
      if (original.length < SHORTEST_TEXT) return NOTHING;
      const text = fold(blankColours(original));
      const found: Match[] = [];
      if (has("email")) findAtSigns(text, found);
      if (has("ip")) findAtColons(text, found);
      const mayHold = mayHoldDigits(text);
      if (has("iban") && mayHold) findAccounts(text, found);
      if (atDigits.length > 0 && mayHold) {
        for (let index = 0, count = found.length; index < count; index++) {
          const { type, end } = found[index]!;
          if (type === "email" && isDigit(text.charCodeAt(end - 1))) findGlued(text, end, atDigits, found);
        }
        findNumbers(text, wants, found);
      }
      findBehindEscapes(text, found);
      if (found.length === 0) return NOTHING;
      return mergeOverlaps(allow === undefined ? found : found.filter(({ start, end }) => !allow.has(original.slice(start, end))));
    },
  };
}

// Below, ten searches take longer than what they save.
const SHORTEST_SEARCHED = 512;
const DIGITS = [..."0123456789"];

/** False for a long text without a digit, which the engine's own search tells in a fraction of the time that a look at its characters takes. */
function mayHoldDigits(text: string): boolean {
  return text.length < SHORTEST_SEARCHED || DIGITS.some((digit) => text.includes(digit));
}

function findAtSigns(text: string, found: Match[]): void {
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) addMatch(email, email.matchAt(text, at), found);
}

// What is glued to the end of an address (`a@example.com123-45-6789`): the address takes its first digits, and no detector starts behind a
// letter. So each is shown the text from the digits on.
function findGlued(text: string, end: number, detectors: readonly Detector[], found: Match[]): void {
  let start = end;
  while (isDigit(text.charCodeAt(start - 1))) start--;
  const rest = text.slice(start, start + GLUED_CHARS);
  for (const detector of detectors) {
    const span = detector.matchAt(rest, 0);
    if (span !== undefined) found.push({ type: detector.type, start: start + span.start, end: start + span.end });
  }
}

// More than any detector reads from its anchor on.
const GLUED_CHARS = 128;

// A country, check digits, and what follows in the shortest ones, those of Norway. An expression is faster at this than a walk.
const ACCOUNT = /[A-Za-z]{2}[0-9]{2}[A-Za-z0-9 -]{11}/g;

function findAccounts(text: string, found: Match[]): void {
  ACCOUNT.lastIndex = 0;
  for (let match = ACCOUNT.exec(text); match !== null; match = ACCOUNT.exec(text)) {
    addMatch(iban, iban.matchAt(text, match.index + 2), found);
    // Within what is none, another may start.
    ACCOUNT.lastIndex = match.index + 2;
  }
}
