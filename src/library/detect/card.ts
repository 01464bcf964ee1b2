import { digitsEnd, endsClean, HYPHEN, SPACE, startsClean } from "./characters.ts";
import type { Detector } from "./detector.ts";
import { isInAccount } from "./iban.ts";

const MOST_DIGITS = 19;

/**
 * Payment cards: 13 to 19 digits that pass Luhn's check and start as some scheme's cards of that length do. Either one run of digits, or
 * groups of 3 to 6 (as printed: four first, or six) with one kind of separator, a space or a hyphen. One random number in ten passes
 * Luhn's check, so a long list of four-digit numbers can be hit.
 */
export const card: Detector = {
  type: "card",
  anchor: "digit",
  matchAt(text, start) {
    const firstEnd = digitsEnd(text, start, MOST_DIGITS + 1);
    const length = firstEnd - start;
    if (length >= 13) return isCard(text.slice(start, firstEnd)) && isFree(text, start, firstEnd) ? { start, end: firstEnd } : undefined;
    const separator = text.charCodeAt(firstEnd);
    if ((length !== 4 && length !== 6) || (separator !== SPACE && separator !== HYPHEN)) return undefined;
    // A date has groups of two.
    if (digitsEnd(text, firstEnd + 1, 3) < firstEnd + 4 || isInAccount(text, start)) return undefined;

    // The longest run of groups that is a card wins: "4111 1111 1111 1111 123" is a card with its code, unless all of it is one.
    let digits = text.slice(start, firstEnd);
    let end = firstEnd;
    let found: number | undefined;
    while (text.charCodeAt(end) === separator) {
      const groupEnd = digitsEnd(text, end + 1, 7);
      const group = groupEnd - end - 1;
      if (group < 1 || group > 6 || digits.length + group > MOST_DIGITS) break;
      digits += text.slice(end + 1, groupEnd);
      end = groupEnd;
      if (isCard(digits) && isFree(text, start, end)) found = end;
      if (group < 3) break;
    }
    return found === undefined ? undefined : { start, end: found };
  },
};

function isFree(text: string, start: number, end: number): boolean {
  return startsClean(text, start) && endsClean(text, end);
}

function isCard(digits: string): boolean {
  return digits.length >= 13 && digits.length <= MOST_DIGITS && hasIssuer(digits) && passesLuhn(digits);
}

/** Issuer prefixes by scheme, each with the lengths of its cards. Airline cards (1…) are left out: so many numbers start with a 1. */
function hasIssuer(digits: string): boolean {
  const length = digits.length;
  const two = Number(digits.slice(0, 2));
  const four = Number(digits.slice(0, 4));
  const three = Math.trunc(four / 10);
  // Visa.
  if (digits.startsWith("4")) return length === 13 || length === 16 || length === 19;
  // American Express.
  if (two === 34 || two === 37) return length === 15;
  // Mastercard; Mir, RuPay, Troy.
  if ((two >= 51 && two <= 55) || (four >= 2221 && four <= 2720)) return length === 16;
  if ((four >= 2200 && four <= 2204) || four === 9792 || two === 60 || two === 81 || two === 82) return length >= 16;
  // Diners Club.
  if (two === 36 || two === 38 || two === 39 || (three >= 300 && three <= 305) || four === 3095) return length >= 14;
  // JCB, Discover, UnionPay.
  if ((four >= 3528 && four <= 3589) || (three >= 644 && three <= 649) || two === 65 || two === 62) return length >= 16;
  // Maestro and the national schemes that share its ranges.
  return two === 50 || (two >= 56 && two <= 58) || two === 67 || three === 639 || four === 6304;
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = digits.length - 1, doubled = false; index >= 0; index--, doubled = !doubled) {
    const digit = digits.charCodeAt(index) - 0x30;
    const weighted = doubled ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}
