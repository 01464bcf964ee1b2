import { digitsEnd, endsClean, HYPHEN, isAlphanumeric, isDigit, isLetter, SPACE, startsClean } from "./characters.ts";
import type { Detector } from "./detector.ts";

// Length of an IBAN by country, from the registry that ISO 13616 names.
const LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 " +
    "FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 " +
    "MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 " +
    "SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/**
 * International bank account numbers: a known country, its exact length, and the check of ISO 7064 (mod 97). In one piece, or in groups of four
 * with spaces or hyphens; letters in either case.
 */
export const iban: Detector = {
  type: "iban",
  anchor: "digit",
  matchAt(text, digits) {
    const start = digits - 2;
    if (!isLetter(text.charCodeAt(start)) || !isLetter(text.charCodeAt(start + 1)) || !isDigit(text.charCodeAt(digits + 1))) return undefined;
    const length = LENGTHS.get(text.slice(start, digits).toUpperCase());
    if (length === undefined || !startsClean(text, start)) return undefined;

    // The check reads the country and the two check digits last.
    let remainder = 0;
    let end = digits + 2;
    for (let count = 4; count < length; count++) {
      const code = text.charCodeAt(end);
      if (count % 4 === 0 && (code === SPACE || code === HYPHEN)) end++;
      const next = shift(remainder, text.charCodeAt(end));
      if (next === undefined) return undefined;
      remainder = next;
      end++;
    }
    for (let index = start; index < start + 4; index++) remainder = shift(remainder, text.charCodeAt(index)) ?? remainder;
    return remainder === 1 && endsClean(text, end) ? { start, end } : undefined;
  },
};

/** The remainder modulo 97 after one more digit, or a letter as the two digits it stands for (A is 10). */
function shift(remainder: number, code: number): number | undefined {
  if (isDigit(code)) return (remainder * 10 + code - 0x30) % 97;
  return isLetter(code) ? (remainder * 100 + (code & 0x1f) + 9) % 97 : undefined;
}

// The longest account numbers have eight groups and a rest.
const MOST_GROUPS = 8;

/**
 * Whether the group that starts at `start` stands in a row of fours behind the country and check digits of an account: four digits each pass for a card or a
 * phone number now and then, whatever the check digits say.
 */
export function isInAccount(text: string, start: number): boolean {
  const separator = text.charCodeAt(start - 1);
  if (separator !== SPACE && separator !== HYPHEN) return false;
  for (let at = start, group = 0; group < MOST_GROUPS && text.charCodeAt(at - 1) === separator; group++) {
    at -= 5;
    for (let place = at; place < at + 4; place++) if (!isAlphanumeric(text.charCodeAt(place))) return false;
    if (LENGTHS.has(text.slice(at, at + 2)) && digitsEnd(text, at + 2, 3) === at + 4) return startsClean(text, at);
  }
  return false;
}
