import { CLASS_OF, VALUE_END_CLASS } from "../detect/characters.ts";
import { LEAST_CHANGES } from "./entropy.ts";
import { isPassphrase, isSentence } from "./passphrase.ts";
import { distinctChars, isPlaceholder, makeOf } from "./plausible.ts";
import { kindOfName } from "./secret-names.ts";

// What is longer is judged by how it begins, and is a secret only as machines write them.
const LONG_VALUE = 256;
/** What is shorter is no secret anywhere. */
export const SHORTEST_VALUE = 4;

const SPACE = 0x20;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;

export interface Value {
  readonly start: number;
  readonly end: number;
  readonly isQuoted: boolean;
}

export function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60;
}

export function skipBlanks(text: string, from: number, most: number): number {
  let at = from;
  while (at - from < most && (text.charCodeAt(at) === SPACE || text.charAt(at) === "\t")) at++;
  return at;
}

/**
 * The value that starts at `from`: what stands between quotes, or up to where one without ends. Nothing where it is code. In a text that is nothing but names,
 * each value would end where all do: one without quotes is long only near the start of what it stands in. Quotes end the one that they begin, so that no two values overlap.
 */
export function readValueAt(text: string, from: number): Value | undefined {
  let start = from;
  if (text.charCodeAt(start) === BACKSLASH && isQuote(text.charCodeAt(start + 1))) start++;
  else start = skipLiteralPrefix(text, start);
  const quote = text.charCodeAt(start);
  if (isQuote(quote)) {
    start++;
    let end = start;
    while (end < text.length && text.charCodeAt(end) !== quote && text.charCodeAt(end) !== LINE_FEED) end++;
    if (text.charCodeAt(end) === LINE_FEED) return undefined;
    const isEscaped = text.charCodeAt(end - 1) === BACKSLASH && text.charCodeAt(start - 2) === BACKSLASH;
    return { start, end: isEscaped ? end - 1 : end, isQuoted: true };
  }
  let end = unquotedEnd(text, start, start + LONG_VALUE);
  if (end === start + LONG_VALUE) {
    if (!isNearEnd(text, start)) return undefined;
    end = unquotedEnd(text, end, text.length);
  }
  // A call or a place in a list is code.
  if (text.charAt(end) === "(" || text.charAt(end) === "[") return undefined;
  if (end > start && (text.charAt(end - 1) === "." || text.charCodeAt(end - 1) === BACKSLASH)) end--;
  return { start, end, isQuoted: false };
}

function unquotedEnd(text: string, start: number, most: number): number {
  const limit = Math.min(text.length, most);
  let end = start;
  while (end < limit && (CLASS_OF[text.charCodeAt(end)]! & VALUE_END_CLASS) === 0) end++;
  return end;
}

/** Whether something that ends a value stands not far before a place. */
function isNearEnd(text: string, place: number): boolean {
  const limit = place - LONG_VALUE;
  let at = place;
  while (at > limit && at > 0 && (CLASS_OF[text.charCodeAt(at - 1)]! & VALUE_END_CLASS) === 0) at--;
  return at > limit;
}

// Visible ASCII without quotes, brackets and separators: text and code are longer than most secrets, too.
const MACHINE_MADE = /^[\x21\x23-\x26*+\x2d-:=?-Z\\^_a-z|~]+$/;

/** What of a value tells whether it is a secret: all of it, or how a long one begins; nothing of a long text, or code. */
export function judgedPart(value: string): string {
  if (value.length < LONG_VALUE) return value;
  return MACHINE_MADE.test(value) ? value.slice(0, LONG_VALUE) : "";
}

/** `b"…"`, `@"…"`, `u8"…"` */
function skipLiteralPrefix(text: string, start: number): number {
  for (let length = 1; length <= 2; length++) {
    if (isQuote(text.charCodeAt(start + length)) && /^[A-Za-z@][A-Za-z8]?$/.test(text.slice(start, start + length))) return start + length;
  }
  return start;
}

export interface Setting {
  readonly isPassword: boolean;
  /** `NAME=value`, or `"name": "value"`: as machines write it, not prose. */
  readonly isTight: boolean;
  readonly isQuoted: boolean;
  /** Nothing follows in the line: a setting, and no argument among others. */
  readonly isLine: boolean;
}

const WORDS = /^[A-Za-z]?[a-z]*(?:(?:[ ._-][A-Z]?|[A-Z])[a-z]+)*$/;
const CODE = /^(?:[A-Za-z_$][\w$]*\.)+[A-Za-z_$][\w$]*$/;
const PATH = /^(?:[.~]{0,2}\/|[A-Za-z]:\\|https?:\/\/|[\w.-]+\/[\w./-]*$)/;

/** `min:8`, as forms are validated by. */
export function isRule(value: string): boolean {
  return /^[a-z_]{2,20}:[0-9,]*$/.test(value);
}

const MOST_ITEMS = 20;

/** The values in quotes of a list that starts with the `[` at `from`: `["…", "…"]`. */
export function readList(text: string, from: number): Value[] {
  const values: Value[] = [];
  for (let at = from; values.length < MOST_ITEMS && (at === from || text.charAt(at) === ","); ) {
    at = skipSpace(text, at + 1);
    const isEscaped = text.charCodeAt(at) === BACKSLASH;
    const value = isQuote(text.charCodeAt(isEscaped ? at + 1 : at)) ? readValueAt(text, at) : undefined;
    if (value === undefined) break;
    values.push(value);
    at = skipSpace(text, value.end + (isEscaped ? 2 : 1));
  }
  return values;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at - from < 40 && " \t\r\n".includes(text.charAt(at) || "-")) at++;
  return at;
}

// From these many characters on a value is taken for a secret, the less there is to go by around it.
const SHORTEST_IN_PROSE = 7;
const SHORTEST_PIN = 6;
const SHORTEST_WORD = 6;
const SHORTEST_KEY = 8;
const SHORTEST_KEY_IN_LINE = 10;
const SHORTEST_KEY_IN_PROSE = 12;
/** What is longer and holds blanks is a text. */
const LONGEST_PHRASE = 64;
/** Of the pairs of neighbours, those of two kinds: more than words have. */
const CHANGES_OF_WORDS = 0.3;
/** Of digits and of letters, each. */
const LEAST_MIXED = 2;
const LEAST_MIXED_IN_PROSE = 3;
const SHORTEST_WORD_IN_PROSE = 8;
const SHORTEST_SALT = 32;
const LEAST_CHARS_OF_SALT = 24;

/** As salts are made of all that keyboards have; what is said and templates have fewer marks. */
function isSalt(value: string): boolean {
  if (value.length < SHORTEST_SALT || value.length >= LONG_VALUE || distinctChars(value) < LEAST_CHARS_OF_SALT) return false;
  const { digits, upper, lower, others, changes } = makeOf(value);
  return digits > 2 && upper > 2 && lower > 2 && others > 5 && changes > LEAST_CHANGES;
}

/** Whether what is assigned to a secret's name is one: no template, no word that stands for it, and for a key nothing that looks like a name itself. */
export function isSecretValue(value: string, { isPassword, isTight, isQuoted, isLine }: Setting): boolean {
  if (value.length < SHORTEST_VALUE) return false;
  if (isQuoted && isTight && isSalt(value)) return true;
  if (isPlaceholder(value)) return false;
  const { digits, upper, lower, others, changes } = makeOf(value);
  const letters = upper + lower;
  // A phrase may be words; what is said about a password in prose is, too.
  if (value.includes(" ")) return isQuoted && isTight && (isPassphrase(value) || (isPassword && digits + others - (value.split(" ").length - 1) > 0 && value.length <= LONGEST_PHRASE));
  if (isPassword) {
    if (CODE.test(value) || (isPath(value, changes) && digits < LEAST_MIXED)) return false;
    if (digits > 0 && letters > 0) return isTight || isQuoted || value.length >= SHORTEST_IN_PROSE;
    if (others > 0) return isTight || isQuoted;
    if (digits === value.length) return isTight || (value.length >= SHORTEST_PIN && (isQuoted || isLine));
    if (isQuoted && !isTight) return value.length >= SHORTEST_WORD_IN_PROSE && !isSentence(value) && kindOfName(value) === undefined;
    return isTight && (isQuoted ? value.length >= SHORTEST_WORD : changes > CHANGES_OF_WORDS || isLine);
  }
  if (value.length < SHORTEST_KEY || isPath(value, changes) || CODE.test(value) || WORDS.test(value)) return false;
  if (digits === value.length) return false;
  if (isTight || isQuoted || (isLine && value.length >= SHORTEST_KEY_IN_LINE)) return digits >= LEAST_MIXED && letters >= LEAST_MIXED;
  return digits >= LEAST_MIXED_IN_PROSE && letters >= LEAST_MIXED_IN_PROSE && value.length >= SHORTEST_KEY_IN_PROSE;
}

/** Base64 has slashes, too. */
function isPath(value: string, changes: number): boolean {
  return changes < LEAST_CHANGES && PATH.test(value);
}
