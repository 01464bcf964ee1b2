import { ALPHANUMERIC_CLASS, CLASS_OF, DIGIT_CLASS, LETTER_CLASS } from "../detect/characters.ts";
import { isUserAndPassword } from "./authorization.ts";
import { MIXED_TAILS, MOST_FOREIGN, mayNameForeign } from "./foreign-passwords.ts";
import type { Report } from "./kinds.ts";
import { endingOf, endings, isCount, kindOfEntries, kindOfName, mayNameSecret } from "./secret-names.ts";
import { isQuote, isRule, isSecretValue, judgedPart, readList, readValueAt, skipBlanks, type Value } from "./secret-value.ts";

const MOST_NAME = 40;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const SMALL_W = 0x77;

/**
 * What is assigned to a name that says it is a secret: `DB_PASSWORD=…`, `"apiKey": "…"`, `token: '…'`, `Password=…;`, and to the `value` beside such a
 * name (`name: API_KEY, value: …`). `at` is the place of the `=` or `:`. Templates and words that stand for a secret are none; nor is, for the name of a
 * key, what looks like a name itself.
 */
export function findAssignment(text: string, at: number, report: Report): void {
  const name = nameBefore(text, at);
  const kind = name === undefined ? undefined : (kindOfName(text.slice(name.start, name.end)) ?? kindBeside(text, name) ?? kindOfList(text, name, at));
  if (name === undefined || kind === undefined) {
    if (mayBeUnusual(text, at)) findUnusual(text, at, name, report);
    return;
  }
  const from = pastMarks(text, at, valueStart(text, at));
  const isPassword = kind === "password";
  if (text.charAt(from) === "[" && name.isQuoted) {
    for (const item of readList(text, from)) if (!/^[A-Za-z]*$/.test(text.slice(item.start, item.end)) && !isRule(text.slice(item.start, item.end))) reportSecret(text, item, { isPassword, isTight: false }, report);
    return;
  }
  if (isLineEnd(text.charCodeAt(from)) && text.charAt(at) === ":") {
    const below = lineBelow(text, from);
    if (below !== undefined) reportSecret(text, below, { isPassword, isTight: false }, report);
    return;
  }
  const value = withoutEmphasis(text, readValueAt(text, from));
  if (value === undefined || (isComparison(text, at) && !value.isQuoted)) return;
  const isDigits = !value.isQuoted && /^[0-9]+$/.test(text.slice(value.start, value.end));
  const isNumber = name.isQuoted && isDigits;
  if ((isNumber || (isDigits && text.charCodeAt(name.end - 1) === SMALL_W)) && isCount(text.slice(name.start, name.end))) return;
  const isTight = from === at + 1 || (name.isQuoted && (value.isQuoted || isNumber)) || (isPassword && !value.isQuoted && isBelowUser(text, name.start, text.slice(value.start, value.end)));
  reportSecret(text, value, { isPassword, isTight }, report);
}

/** `"passwords": ["…"]` */
function kindOfList(text: string, name: Name, at: number): "password" | "key" | undefined {
  return name.isQuoted && text.charAt(skipBlanks(text, at + 1, 6)) === "[" ? kindOfEntries(text.slice(name.start, name.end)) : undefined;
}

/** Without the two marks behind a value that as many stand in front of. */
function withoutEmphasis(text: string, value: Value | undefined): Value | undefined {
  const isIn = value !== undefined && text.startsWith("**", value.start - 2) && text.startsWith("**", value.end - 2);
  return isIn ? { ...value, end: value.end - 2 } : value;
}

const MOST_LINE = 160;
const USER_LINE = /^[ \t>*-]{0,10}(?:user ?name|user|login|e-?mail|account)[ "'*`]{0,4}[:=][ \t]{0,4}\S{1,64}[ \t]{0,4}\r?$/i;
const INDENT = /^[ \t>*-]{0,10}$/;

/** Whether a password that is a word stands below the name of its user, as in `Username: ada` and `Password: sunflower`. */
function isBelowUser(text: string, at: number, word: string): boolean {
  if (!/^[A-Za-z]{6,64}$/.test(word) || kindOfName(word) !== undefined) return false;
  const before = text.slice(Math.max(0, at - MOST_LINE), at);
  const lineEnd = before.lastIndexOf("\n");
  return lineEnd > 0 && INDENT.test(before.slice(lineEnd + 1)) && USER_LINE.test(before.slice(before.lastIndexOf("\n", lineEnd - 1) + 1, lineEnd));
}

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

const BELOW = /\r?\n[ \t]{0,40}([^\s"'`<>,;&|(){}[\]]{7,128})(?=[ \t]{0,4}\r?\n|[ \t]{0,4}$)/y;

/** A word with digits by itself in the next line, as people and forms write it; no name of something else. */
function lineBelow(text: string, from: number): Value | undefined {
  BELOW.lastIndex = from;
  const word = BELOW.exec(text)?.[1];
  if (word === undefined || word.endsWith(":") || !/[0-9]/.test(word) || !/[A-Za-z]/.test(word)) return undefined;
  const start = text.indexOf(word, from);
  return { start, end: start + word.length, isQuoted: false };
}

/** Whether a name may end at `at` as `auth`, or as those of other languages do; few others do. */
function mayBeUnusual(text: string, at: number): boolean {
  const end = isQuote(text.charCodeAt(at - 1)) ? at - 1 : at;
  const last = text.charCodeAt(end - 1);
  if (last === 0x68) return text.charCodeAt(end - 3) === 0x75;
  if (last === SPACE || last >= 0x80) return true;
  return last < 0x80 && UNUSUAL[endingOf(text, end)] === 1;
}

// Of Latin names: `passe`, `senha`, `sifre`, `heslo`, and those whose accents cut the name short; `ña` and `ło` are told by the last bits of their codes.
const UNUSUAL = endings(["se ha na ya ka la re lo zo ne di rd qa bo", ...MIXED_TAILS].join(" "));

/** `"auth": "…"` of Docker, `_auth=…` of npm: a user and a password in Base64. */
function findUnusual(text: string, at: number, name: Name | undefined, report: Report): void {
  if (name === undefined || !text.startsWith("auth", name.end - 4)) return findForeign(text, at, report);
  const value = readValueAt(text, valueStart(text, at));
  if (value !== undefined && isUserAndPassword(text.slice(value.start, value.end))) report("assignment", value.start, value.end);
}

/** `mot de passe : …`, `密码：…`; what is said about one in such a language is not in ASCII. */
function findForeign(text: string, at: number, report: Report): void {
  let end = at;
  let last = text.charCodeAt(end - 1);
  while ((last === SPACE || last === 0xa0) && at - end < 3) last = text.charCodeAt(--end - 1);
  const isQuoted = isQuote(last);
  if (isQuoted) end--;
  if (!mayNameForeign(text, end) || kindOfName(text.slice(Math.max(0, end - MOST_FOREIGN), end)) !== "password") return;
  const from = skipBlanks(text, at + 1, 6);
  const value = text.charCodeAt(from) < 0x80 ? readValueAt(text, from) : undefined;
  if (value === undefined) return;
  const isTight = isQuoted && value.isQuoted;
  // In prose of another script ASCII is what a password is told by.
  const length = isTight ? value.end - value.start : /^[!-~]*/.exec(text.slice(value.start, value.end))![0].length;
  if (length > 0) reportSecret(text, { ...value, end: value.start + length }, { isPassword: true, isTight }, report);
}

/** Reports a value that stands for a secret by its name if it is one. */
export function reportSecret(text: string, value: Value, { isPassword, isTight }: { readonly isPassword: boolean; readonly isTight: boolean }, report: Report): void {
  const secret = judgedPart(text.slice(value.start, value.end));
  // The quote that ends a literal ends what is written in it, too, but not so in code, where a word may be glued to one.
  const ends = /[0-9]/.test(secret) ? "\r\n&;\"'`<" : "\r\n&;";
  const isLine = secret.length >= 6 && (value.end === text.length || ends.includes(text.charAt(value.end)));
  if (isSecretValue(secret, { isPassword, isTight, isQuoted: value.isQuoted, isLine })) report("assignment", value.start, value.end);
}

interface Name {
  readonly start: number;
  readonly end: number;
  readonly isQuoted: boolean;
}

/** The name in front of a `=` or `:`: bare, in quotes, in `config["…"]`, with an operator (`?=`, `==`), with a type behind it, or with the word `is`. */
function nameBefore(text: string, at: number): Name | undefined {
  let end = at;
  // Most are letters and quotes of names, and digits of times.
  const before = text.charCodeAt(at - 1);
  if ((CLASS_OF[before]! & ALPHANUMERIC_CLASS) === 0 && !isQuote(before)) {
    if (!"?|+! ]*>".includes(text.charAt(at - 1))) return undefined;
    end = text.charAt(at - 1) === ">" ? beforeTag(text, at) : skipBack(text, skipBack(text, at, "?|+!*"), " ");
  }
  if (text.charAt(end - 1) === "]") end = text.charAt(end - 2) === "[" ? end - 2 : end - 1;
  const isQuoted = isQuote(text.charCodeAt(end - 1));
  if (isQuoted) {
    end--;
    if (text.charCodeAt(end - 1) === BACKSLASH) end--;
  }
  const last = skipNumber(text, end);
  if (last < 2 || (CLASS_OF[text.charCodeAt(last - 1)]! & LETTER_CLASS) === 0) return undefined;
  if (last < end) return mayNameSecret(text, last) ? { start: nameStart(text, end), end, isQuoted } : undefined;
  if (!isQuoted) end = skipWord(text, end);
  if (!mayNameSecret(text, end) && (text.charCodeAt(end - 1) !== 0x65 || !text.startsWith("alue", end - 4))) return undefined;
  const start = nameStart(text, end);
  return start === end ? undefined : { start, end, isQuoted };
}

/** `password2`, `new_password_1` */
function skipNumber(text: string, end: number): number {
  let at = end;
  while (end - at < 2 && (CLASS_OF[text.charCodeAt(at - 1)]! & DIGIT_CLASS) !== 0) at--;
  return at < end && "_-".includes(text.charAt(at - 1)) ? at - 1 : at;
}

/** `password string = "…"` in Go, `the password is: …` */
function skipWord(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  if (last === 0x73) return text.startsWith(" is", end - 3) ? end - 3 : end;
  return last === 0x67 && text.startsWith(" string", end - 7) ? end - 7 : end;
}

function skipBack(text: string, from: number, characters: string): number {
  let at = from;
  while (at > 0 && from - at < 3 && characters.includes(text.charAt(at - 1))) at--;
  return at;
}

function nameStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < MOST_NAME && isNameCharacter(text.charCodeAt(start - 1))) start--;
  return start;
}

export function isNameCharacter(code: number): boolean {
  return (CLASS_OF[code]! & ALPHANUMERIC_CLASS) !== 0 || code === 0x5f || code === 0x2d || code === 0x2e;
}

const MOST_BESIDE = 160;
const BESIDE = /(?<![A-Za-z0-9])(?:name|key|id|field|label|variable|param(?:eter)?|header)["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z0-9_.-]{2,60})/gi;

/** What the `name` or `key` says that stands beside a `value`, in one object, element or item of a list. */
function kindBeside(text: string, name: Name): "password" | "key" | undefined {
  if (!/^value$/i.test(text.slice(name.start, name.end))) return undefined;
  const before = text.slice(Math.max(0, name.start - MOST_BESIDE), name.start);
  const own = before.split(OF_ITEM).at(-1) ?? "";
  let last: string | undefined;
  for (const match of own.matchAll(BESIDE)) last = match[1];
  if (last === undefined && own.trim().length < 2) last = HOLDS.exec(before)?.[1];
  if (last === undefined && name.isQuoted) last = BEHIND.exec(text.slice(name.end, name.end + 2 * MOST_BESIDE))?.[1];
  return last === undefined ? undefined : kindOfName(last);
}

/** Where an object, element or item begins or ends. */
const OF_ITEM = /[{}<>]|\n[ \t]{0,20}-\s|\n\n/;
/** `"password": {"value": …` */
const HOLDS = /([A-Za-z0-9_.-]{2,60})["']?\s{0,4}:\s{0,4}\{\s{0,20}["']?$/;
const BEHIND = /^[^{}]*?["']\s{0,4},\s{0,20}["'](?:name|key)["']\s{0,4}:\s{0,4}["']([A-Za-z0-9_.-]{2,60})/i;

// `: str = "…"`, `: &'static str = "…"`
const TYPE = /[ \t]{0,4}&?(?:'[a-z]{1,12} )?[A-Za-z_][A-Za-z_.<>[\]|? ]{0,40}? = /y;
const SCHEME = /[ \t]{0,4}["']?[A-Za-z][A-Za-z0-9-]{1,24} {1,3}/y;

const CLOSES_TAG = /<\/[a-z]{1,6}>$/;

/** `<b>Password</b>:` */
function beforeTag(text: string, at: number): number {
  return at - (CLOSES_TAG.exec(text.slice(Math.max(0, at - 9), at))?.[0].length ?? 0);
}

// What ends emphasis around a name, what starts it around a value, and what a block of YAML starts with.
const MARK = /(?:\*{1,3}|_{2,3}|<\/[a-z]{1,6}>)[ \t]{1,4}(?:\*{2,3}(?=[^\s*]))?|\*{2,3}(?=[^\s*])|[|>][+-]?[ \t]{0,4}(?=\r?\n[ \t])/y;

/** `**Password:** …`, `Password: **…**`, `<b>Password:</b> …`, `password: |` */
function pastMarks(text: string, at: number, from: number): number {
  MARK.lastIndex = from;
  return text.charAt(at) === ":" && MARK.test(text) ? MARK.lastIndex : from;
}

/** Where the value starts that is assigned at `at`, past the rest of the operator, a type, or the scheme of an authorization. */
function valueStart(text: string, at: number): number {
  let start = at + 1;
  if (text.charAt(at) === ":") {
    if (text.charAt(start) === "=") start++;
    else {
      TYPE.lastIndex = start;
      if (TYPE.test(text)) return skipBlanks(text, TYPE.lastIndex, 6);
    }
  } else if (text.charAt(start) === ">") start++;
  else while (text.charAt(start) === "=" && start < at + 3) start++;
  if (/uthorization$/.test(text.slice(Math.max(0, at - 15), at).replace(/["' \\]+$/, ""))) {
    // `Authorization: token …`: the scheme is no part of the value.
    SCHEME.lastIndex = start;
    if (SCHEME.test(text)) return SCHEME.lastIndex;
  }
  return skipBlanks(text, start, 6);
}

function isComparison(text: string, at: number): boolean {
  return text.charAt(at) === "=" && (text.charAt(at + 1) === "=" || text.charAt(at - 1) === "!");
}
