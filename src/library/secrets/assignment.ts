import { CLASS_OF, DIGIT_CLASS, LETTER_CLASS, VALUE_END_CLASS } from "../detect/characters.ts";
import type { Report } from "./kinds.ts";
import { LEAST_CHANGES } from "./entropy.ts";
import { isPlaceholder, makeOf } from "./plausible.ts";

const MOST_NAME = 40;
const MOST_VALUE = 256;
const SHORTEST_VALUE = 4;

// What names of secrets end with, once hyphens and the like are left out: passwords, which people choose, and keys, which machines make.
const PASSWORD = /(?:pass(?:word|wd|phrase|code)|pwd|(?:^|[_-])pass)$/;
const KEY =
  /(?:secret|token|(?:api|access|secret|private|auth|signing|encryption|master|account|shared|storage|service|client|webhook)[_.-]?key|sharedaccesskey|credentials?|_auth|^sig|(?:session|client)[_-]?secret|authorization)$/;

/** Tokens that say where a list goes on, or that are words of a model. */
const CURSOR = /(?:page|continuation|sync|next|resume|start|stop|max|min|eos|bos|pad|unk|cancel(?:l?ation)?|progress)[_.-]?token$/;

/** The last two letters of each of these, since most names that anything is assigned to are none. */
const ENDINGS = endings("rd wd se de ss et en ey al ls th on ig");

function endings(pairs: string): Uint8Array {
  const table = new Uint8Array(32 * 32);
  for (const pair of pairs.split(" ")) table[endingOf(pair, pair.length)] = 1;
  return table;
}

/** The two letters before `end`, of either case, as one number. */
function endingOf(text: string, end: number): number {
  return ((text.charCodeAt(end - 2) & 31) << 5) | (text.charCodeAt(end - 1) & 31);
}

const SPACE = 0x20;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;

function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60;
}

/**
 * What is assigned to a name that says it is a secret: `DB_PASSWORD=…`, `"apiKey": "…"`, `token: '…'`, `Password=…;`. `at` is the place of the `=` or
 * `:`. Templates and words that stand for a secret are none; nor is, for the name of a key, what looks like a name itself.
 */
export function findAssignment(text: string, at: number, report: Report): void {
  let end = at;
  while (end > 0 && at - end < 3 && text.charCodeAt(end - 1) === SPACE) end--;
  const isQuoted = isQuote(text.charCodeAt(end - 1));
  if (isQuoted) {
    end--;
    if (text.charCodeAt(end - 1) === BACKSLASH) end--;
  }
  if (end < 3 || (CLASS_OF[text.charCodeAt(end - 1)]! & LETTER_CLASS) === 0) return;
  if (ENDINGS[endingOf(text, end)] === 0) return;
  let start = end;
  while (start > 0 && end - start < MOST_NAME && isNameCharacter(text.charCodeAt(start - 1))) start--;
  const name = text.slice(start, end);
  const isPassword = isPasswordName(name);
  if (!isPassword && !isKeyName(name)) return;
  const value = readValue(text, at + 1);
  if (value === undefined || value.end - value.start > MOST_VALUE - 2) return;
  const isTight = value.start === at + 1 || (isQuoted && value.isQuoted);
  const isLine = value.end - value.start >= 6 && text.charAt(at) === "=" && (value.end === text.length || "\r\n&;".includes(text.charAt(value.end)));
  if (isSecretValue(text.slice(value.start, value.end), { isPassword, isTight, isQuoted: value.isQuoted, isLine })) report("assignment", value.start, value.end);
}

/** Whether a member of this name holds a secret, whatever its value looks like. */
export function isSecretName(name: string): boolean {
  const last = name.slice(-MOST_NAME);
  return isPasswordName(last) || isKeyName(last);
}

function isPasswordName(name: string): boolean {
  return PASSWORD.test(name.toLowerCase());
}

function isKeyName(name: string): boolean {
  const lower = name.toLowerCase();
  return KEY.test(lower) && !CURSOR.test(lower);
}

function isNameCharacter(code: number): boolean {
  return (CLASS_OF[code]! & (LETTER_CLASS | DIGIT_CLASS)) !== 0 || code === 0x5f || code === 0x2d || code === 0x2e;
}

interface Value {
  readonly start: number;
  readonly end: number;
  readonly isQuoted: boolean;
}

function readValue(text: string, from: number): Value | undefined {
  let start = from;
  // `:=`, `=>`; a comparison assigns nothing.
  if (text.charAt(from - 1) === ":" && text.charAt(start) === "=") start++;
  else if (text.charAt(from - 1) === "=" && text.charAt(start) === ">") start++;
  else if (text.charAt(start) === "=") return undefined;
  while (start - from < 6 && (text.charCodeAt(start) === SPACE || text.charAt(start) === "\t")) start++;
  if (text.charCodeAt(start) === BACKSLASH && isQuote(text.charCodeAt(start + 1))) start++;
  // What goes on for longer is no secret.
  const quote = text.charCodeAt(start);
  const limit = Math.min(text.length, start + MOST_VALUE);
  if (isQuote(quote)) {
    start++;
    let end = start;
    while (end < limit && text.charCodeAt(end) !== quote && text.charCodeAt(end) !== LINE_FEED) end++;
    const isEscaped = text.charCodeAt(end - 1) === BACKSLASH && text.charCodeAt(start - 2) === BACKSLASH;
    return { start, end: isEscaped ? end - 1 : end, isQuoted: true };
  }
  let end = start;
  while (end < limit && (CLASS_OF[text.charCodeAt(end)]! & VALUE_END_CLASS) === 0) end++;
  // A call or a place in a list is code.
  if (text.charAt(end) === "(" || text.charAt(end) === "[") return undefined;
  if (end > start && (text.charAt(end - 1) === "." || text.charCodeAt(end - 1) === BACKSLASH)) end--;
  return { start, end, isQuoted: false };
}

interface Setting {
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

function isSecretValue(value: string, { isPassword, isTight, isQuoted, isLine }: Setting): boolean {
  if (value.length < SHORTEST_VALUE || isPlaceholder(value)) return false;
  const { digits, upper, lower, others, changes } = makeOf(value);
  const letters = upper + lower;
  const hasBlank = value.includes(" ");
  if (isPassword) {
    // A passphrase may be words; what is said about a password in prose is, too.
    if (hasBlank) return isQuoted && isTight && digits + others - (value.split(" ").length - 1) > 0 && value.length <= 64;
    if (CODE.test(value) || (isPath(value, changes) && digits < 2)) return false;
    if (digits > 0 && letters > 0) return isTight || isQuoted || value.length >= 7;
    if (others > 0) return isTight || isQuoted;
    return isTight && (isQuoted ? !WORDS.test(value) || value.length >= 6 : digits === value.length || changes > 0.3 || isLine);
  }
  if (hasBlank || value.length < 8 || isPath(value, changes) || CODE.test(value) || WORDS.test(value)) return false;
  if (digits === value.length) return false;
  if (isTight || isQuoted) return digits >= 2 && letters >= 2;
  return digits >= 3 && letters >= 3 && value.length >= 12;
}

/** Base64 has slashes, too. */
function isPath(value: string, changes: number): boolean {
  return changes < LEAST_CHANGES && PATH.test(value);
}
