// Character codes as detectors compare them; `charCodeAt` gives NaN past either end of a text, which is in no class.

export const PLUS = 0x2b;
export const HYPHEN = 0x2d;
export const DOT = 0x2e;
export const SLASH = 0x2f;
export const COLON = 0x3a;
export const EQUALS = 0x3d;
export const SPACE = 0x20;
export const OPEN = 0x28;
export const CLOSE = 0x29;
export const BACKSLASH = 0x5c;

/** From here on scripts come whose words are often written without spaces between them and the Latin text. */
export const BEYOND_GREEK_AND_CYRILLIC = 0x530;

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

export function isLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

export function isAlphanumeric(code: number): boolean {
  return isDigit(code) || isLetter(code);
}

export function isHex(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

/** Accented Latin, Greek and Cyrillic letters, roughly: what may stand inside an internationalised address. */
export function isAccented(code: number): boolean {
  return code >= 0xc0 && code < BEYOND_GREEK_AND_CYRILLIC && code !== 0xd7 && code !== 0xf7;
}

/** The end of the run of digits that starts at `start`, looking at no more than `most` of them. */
export function digitsEnd(text: string, start: number, most: number): number {
  let end = start;
  while (end - start < most && isDigit(text.charCodeAt(end))) end++;
  return end;
}

/**
 * Whether something may start here: it is not glued to a letter or digit, and is not a later part of a dotted number (`0.4111`, an OID, a
 * version). The last letter or digit of an escape (`\n123-45-6789`, `%3D4111…`) is none.
 */
export function startsClean(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1);
  if (before === DOT) return !isDigit(text.charCodeAt(start - 2));
  return !isAlphanumeric(before) || endsEscape(text, start - 1);
}

/** The same for an end: neither a letter, nor a digit, nor a dot with a digit after it may follow. */
export function endsClean(text: string, end: number): boolean {
  const after = text.charCodeAt(end);
  return after === DOT ? !isDigit(text.charCodeAt(end + 1)) : !isAlphanumeric(after);
}

/**
 * Whether the letter or digit at `index` is the last of an escape that stands for what is neither (`\n`, `\u003e`, `\x3d`, `%3D`), behind however many backslashes, as JSON
 * within JSON has them.
 */
function endsEscape(text: string, index: number): boolean {
  if (text.charCodeAt(index - 1) === BACKSLASH) return "nrtbf".includes(text.charAt(index));
  return endsNumber(text, index, "%", 2) || endsNumber(text, index, "\\x", 2) || endsNumber(text, index, "\\u", 4);
}

function endsNumber(text: string, index: number, opening: string, digits: number): boolean {
  const start = index + 1 - digits;
  if (!text.startsWith(opening, start - opening.length)) return false;
  const hex = text.slice(start, index + 1);
  return /^[0-9A-Fa-f]+$/.test(hex) && !isAlphanumeric(Number.parseInt(hex, 16));
}

/** Classes of {@link CLASS_OF}, as bits. */
export const DIGIT_CLASS = 1;
/** What a number in groups is written with: digits, separators, brackets, a plus. */
export const NUMBER_CLASS = 2;
/** What tokens, Base64 of either alphabet and hex are written with; `=` ends Base64, and is none of it. */
export const TOKEN_CLASS = 4;
export const LETTER_CLASS = 8;
/** What an unquoted value ends before. */
export const VALUE_END_CLASS = 16;
/** What a URL in a text ends before. */
export const URL_END_CLASS = 32;
/** What IPv6 addresses are written with. */
export const IPV6_CLASS = 64;
/** What may stand next to a match without changing how what follows is read: white space, quotes, commas, brackets. */
export const LOOSE_CLASS = 128;
export const ALPHANUMERIC_CLASS = DIGIT_CLASS | LETTER_CLASS;

/** The classes of each UTF-16 unit. A table of all of them, since a look-up needs no test of its range then: scans live on that. */
export const CLASS_OF: Uint8Array = classes();

function classes(): Uint8Array {
  const table = new Uint8Array(0x10000);
  const put = (characters: string, bits: number) => {
    for (const character of characters) table[character.charCodeAt(0)]! |= bits;
  };
  const letters = "abcdefghijklmnopqrstuvwxyz";
  put("0123456789", DIGIT_CLASS | NUMBER_CLASS | TOKEN_CLASS);
  put(" -./()+", NUMBER_CLASS);
  put(letters + letters.toUpperCase(), LETTER_CLASS | TOKEN_CLASS);
  put("+/-_", TOKEN_CLASS);
  put("0123456789abcdefABCDEF:", IPV6_CLASS);
  put(" \n\r\t\"',;<>[]{}|", LOOSE_CLASS);
  put(" \t\r\n\"'`<>", VALUE_END_CLASS | URL_END_CLASS);
  put(",;&|(){}[]", VALUE_END_CLASS);
  put("|\\", URL_END_CLASS);
  return table;
}
