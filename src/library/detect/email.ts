import { BACKSLASH, BEYOND_GREEK_AND_CYRILLIC, DOT, EQUALS, HYPHEN, isAccented, isAlphanumeric, isDigit, isLetter } from "./characters.ts";
import type { Detector } from "./detector.ts";

// Marks that people have in addresses. `=`, `/`, `?`, `|`, braces and the backtick are legal too, but mostly belong to the text around.
const LOCAL = 1;
const LABEL = 2;
const OF_ADDRESS = new Uint8Array(0x80);
for (const mark of "._%+-'&~!#$*") OF_ADDRESS[mark.charCodeAt(0)] = LOCAL;
for (let code = 0; code < OF_ADDRESS.length; code++) if (isAlphanumeric(code) || code === HYPHEN) OF_ADDRESS[code] = LOCAL | LABEL;

/**
 * E-mail addresses: a dotted local part, and a domain of two labels or more whose last is a word (no bare host, no address
 * literal, no quoted local part). Internationalised addresses count. Reads as far as the `@` on either side, so each unit at most twice.
 */
export const email: Detector = {
  type: "email",
  anchor: "@",
  matchAt(text, at) {
    const start = localStart(text, at);
    if (start === at) return undefined;
    const end = domainEnd(text, at + 1);
    return end === undefined ? undefined : { start, end };
  },
};

function localStart(text: string, at: number): number {
  let start = localRun(text, at);
  // `bounce+bob=example.com@list.example`: an address within one. In front of a `=` without that plus stands the name of what is assigned.
  if (text.charCodeAt(start - 1) === EQUALS && start < at) {
    const outer = localRun(text, start - 1);
    if (text.slice(outer + 1, start - 1).includes("+")) start = outer;
  }
  if (start < at) start = Math.min(at, skipEscape(text, start));
  // Marks in front are quotes, bullets or emphasis. What is left of a local part must not be marks alone.
  while (start < at && !isWordLike(text.charCodeAt(start))) start++;
  return start;
}

function localRun(text: string, end: number): number {
  // A name in Chinese characters is taken whole; before a name in Latin letters they are the sentence it stands in.
  const unspaced = text.charCodeAt(end - 1) >= BEYOND_GREEK_AND_CYRILLIC;
  let start = end;
  while (start > 0 && isLocal(text.charCodeAt(start - 1), unspaced)) start--;
  return start;
}

function isLocal(code: number, unspaced: boolean): boolean {
  return code < 0x80 ? (OF_ADDRESS[code]! & LOCAL) !== 0 : isAccented(code) || (unspaced && isUnspaced(code));
}

function isWordLike(code: number): boolean {
  return isAlphanumeric(code) || code === 0x5f || code >= 0xc0;
}

// Letters of the other scripts and both halves of a surrogate pair; not the punctuation that stands among them.
function isUnspaced(code: number): boolean {
  return code >= BEYOND_GREEK_AND_CYRILLIC && !(code >= 0x2000 && code <= 0x2bff) && !(code >= 0x3000 && code <= 0x303f) && code < 0xfe00;
}

const BY_NUMBER = /^(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})/;

/** In JSON text the letters of an escape (`\n`, `\u00e9`) look like the start of the name; taking them would leave a lone backslash. */
function skipEscape(text: string, start: number): number {
  let backslashes = 0;
  while (text.charCodeAt(start - 1 - backslashes) === BACKSLASH) backslashes++;
  const number = backslashes === 0 ? undefined : BY_NUMBER.exec(text.slice(start, start + 5))?.[0];
  if (number !== undefined) return start + number.length;
  return backslashes % 2 === 0 ? start : start + 1;
}

function domainEnd(text: string, start: number): number | undefined {
  let end: number | undefined;
  let label = start;
  for (let index = 0; ; index++) {
    const labelEnd = endOfLabel(text, label);
    if (labelEnd === label) break;
    if (index > 0) end = topLevelEnd(text, label, labelEnd) ?? end;
    if (text.charCodeAt(labelEnd) !== DOT) break;
    label = labelEnd + 1;
  }
  return end === undefined || isVersionOrScale(text, start, end) ? undefined : end;
}

function endOfLabel(text: string, start: number): number {
  const unspaced = isUnspaced(text.charCodeAt(start));
  let end = start;
  for (;;) {
    const code = text.charCodeAt(end);
    if (code < 0x80 ? (OF_ADDRESS[code]! & LABEL) === 0 : !isAccented(code) && !(unspaced && isUnspaced(code))) break;
    end++;
  }
  return end;
}

/**
 * Where the domain ends if this label is its last: after a word of two letters or more, with the digits that are glued to it, or a
 * Punycode label as a whole.
 */
function topLevelEnd(text: string, start: number, labelEnd: number): number | undefined {
  // A search for the word alone costs more than all the rest.
  if (text.charCodeAt(start) === 0x78 && text.startsWith("xn--", start)) return labelEnd;
  let end = start;
  while (end < labelEnd && (isLetter(text.charCodeAt(end)) || text.charCodeAt(end) >= 0xc0)) end++;
  if (end - start < 2) return undefined;
  while (end < labelEnd && isAlphanumeric(text.charCodeAt(end))) end++;
  return end;
}

/** `lodash@4.17.21-beta.rc` and `icon@2x.png` are no addresses. */
function isVersionOrScale(text: string, start: number, end: number): boolean {
  let dot = start;
  while (isDigit(text.charCodeAt(dot))) dot++;
  if (dot === start) return false;
  if (text.charCodeAt(dot) === DOT) return isDigit(text.charCodeAt(dot + 1));
  return text.charAt(dot) === "x" && text.charCodeAt(dot + 1) === DOT && text.lastIndexOf(".", end - 1) === dot + 1;
}
