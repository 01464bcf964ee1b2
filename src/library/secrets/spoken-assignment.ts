import { isNameCharacter, reportSecret } from "./assignment.ts";
import { findDefault } from "./config-forms.ts";
import type { Report } from "./kinds.ts";
import { findSaid, findSaidBehindWord, findSaidInForeign } from "./said-passwords.ts";
import { kindOfName, mayNameSecret } from "./secret-names.ts";
import { isQuote, isSecretValue, readValueAt, skipBlanks } from "./secret-value.ts";

// Secrets that are assigned without `=` or `:`: elements of XML, flags of commands, arguments of calls, `.netrc`, SQL.

const MOST_NAME = 60;

// One search for all, since each character is looked at once for each: the end of an element, a flag, an argument, what a blank and a quote part from a word.
const ANCHOR = / ["']| -|--|<\/|\(["']/g;

export function findSpokenAssignments(text: string, report: Report): void {
  if (MARKS.some((mark) => text.includes(mark))) findAtAnchors(text, report);
  // The rarest letters of `password`, `Kennwort` and `wachtwoord`: one search for all.
  for (let at = text.indexOf("wo"); at !== -1; at = text.indexOf("wo", at + 2)) {
    if (text.startsWith("word ", at)) findBehindWord(text, at, report);
    else findSaidBehindWord(text, at, report);
  }
  findSaidInForeign(text, report);
}

function findBehindWord(text: string, at: number, report: Report): void {
  if (!text.startsWith("ass", at - 3)) return;
  SAYS.lastIndex = at + 5;
  if (SAYS.test(text)) findSaid(text, SAYS.lastIndex, report);
  else if (text.charAt(at - 4) === "p") findLine(text, at - 4, report);
}

// `password for admin is …`; the last is Italian.
const SAYS = /(?:(?:for [\w.@-]{1,40} )?is|\u00e8) /y;

// A text without any of these has no anchor, which is found out in no time.
const MARKS = ['"', "'", "-", "<"];

function findAtAnchors(text: string, report: Report): void {
  ANCHOR.lastIndex = 0;
  for (let found = ANCHOR.exec(text); found !== null; found = ANCHOR.exec(text)) {
    const { index } = found;
    const first = text.charAt(index);
    if (first === "<") findElement(text, index, report);
    else if (first === "(") findArgument(text, index, report);
    else if (first === "-" || text.charAt(index + 1) === "-") ANCHOR.lastIndex = findFlag(text, first === "-" ? index : index + 1, report);
    else if (text.startsWith(VARIABLE, index - VARIABLE.length)) findDefault(text, index - VARIABLE.length, report);
    else findQuoted(text, index, report);
  }
}

const VARIABLE = "variable";

// Elements that hold the value of what something else names.
const HOLDERS: ReadonlySet<string> = new Set(["value", "string", "entry", "param", "property", "item", "field", "variable", "env"]);
const MOST_BEFORE = 160;
const NAMED = /(?:\s(?:name|key|id)=["']|<(?:name|key)>)([A-Za-z0-9_.-]{2,60})(?:["'][^<>]{0,80}(?:>\s{0,20}<value)?|<\/(?:name|key)>\s{0,20}<(?:string|value))$/;

/** `<clientSecret>…</clientSecret>`, `<entry key="password">…</entry>`, `<name>password</name><value>…</value>` */
function findElement(text: string, at: number, report: Report): void {
  if (mayNameSecret(text, at)) findCell(text, at, report);
  const end = nameEnd(text, at + 2);
  if (end === at + 2 || text.charAt(end) !== ">") return;
  const own = text.slice(at + 2, end);
  const isHolder = HOLDERS.has(own);
  if (!isHolder && !mayNameSecret(text, end)) return;
  // No search reads what another one did: the tag ends in such a sign, too.
  const open = text.lastIndexOf(">", at - 1);
  if (open === -1 || open + 1 === at) return;
  const kind = kindOfName(isHolder ? (NAMED.exec(text.slice(Math.max(0, open - MOST_BEFORE), open))?.[1] ?? "") : own);
  if (kind !== undefined) reportSecret(text, { start: open + 1, end: at, isQuoted: true }, { isPassword: kind === "password", isTight: true }, report);
}

const CELL = /<\/(?:th|td|dt)>\s{0,40}<(?:td|dd)(?: [^<>]{0,80})?>\s{0,40}/y;

/** `<th>Password</th><td>…</td>` */
function findCell(text: string, at: number, report: Report): void {
  CELL.lastIndex = at;
  if (!CELL.test(text)) return;
  let start = at;
  while (at - start < MOST_NAME && isNameCharacter(text.charCodeAt(start - 1))) start--;
  const kind = kindOfName(text.slice(start, at));
  if (kind !== undefined) reportArgument(text, CELL.lastIndex, kind === "password", report);
}

function nameEnd(text: string, from: number): number {
  let end = from;
  while (end - from < MOST_NAME && (isNameCharacter(text.charCodeAt(end)) || text.charAt(end) === ":")) end++;
  return end;
}

/** `--password …`, `"--password", "…"`, `-password …`, and what `findShort` finds; what has a `=` is found as an assignment. Gives where to go on. */
function findFlag(text: string, at: number, report: Report): number {
  let start = at + 1;
  if (text.charAt(start) === "-") start++;
  const end = nameEnd(text, start);
  if (end === start || text.charAt(start) === "-") return end;
  const isItem = isQuote(text.charCodeAt(end)) && text.charAt(end + 1) === ",";
  const from = skipBlanks(text, isItem ? end + 2 : end, 3);
  const kind = from > end && mayNameSecret(text, end) && text.charAt(from) !== "-" ? kindOfName(text.slice(start, end)) : undefined;
  if (kind !== undefined) reportArgument(text, from, kind === "password", report);
  else findShort(text, at, report);
  if (from === end && mayNameSecret(text, end)) findItem(text, start, end, report);
  return end;
}

const NEXT_ITEM = /["']?\r?\n[ \t]{0,40}-[ \t]{1,4}/y;

/** Arguments as a list of YAML: `- --password`, and in the next line `- …`. */
function findItem(text: string, start: number, end: number, report: Report): void {
  NEXT_ITEM.lastIndex = end;
  const kind = NEXT_ITEM.test(text) ? kindOfName(text.slice(start, end)) : undefined;
  if (kind !== undefined) reportArgument(text, NEXT_ITEM.lastIndex, kind === "password", report);
}

const MARKED = /[0-9!^*~$%@]/;

/** What follows a flag is a word of prose unless it has digits or marks. */
function reportArgument(text: string, from: number, isPassword: boolean, report: Report): void {
  const value = readValueAt(text, from);
  if (value === undefined || !MARKED.test(text.slice(value.start, value.end))) return;
  reportSecret(text, value, { isPassword, isTight: true }, report);
}

const MOST_QUOTED_NAME = 40;

/** `define('API_SECRET', '…')`, `headers.set("X-Api-Key", "…")`: a name and a value in quotes, at the start of a list of arguments. */
function findArgument(text: string, at: number, report: Report): void {
  findSet(text, at, report);
  const end = nameEnd(text, at + 2);
  if (end - at > MOST_QUOTED_NAME || text.charAt(end) !== text.charAt(at + 1) || text.charAt(end + 1) !== "," || !mayNameSecret(text, end)) return;
  const kind = kindOfName(text.slice(at + 2, end));
  const value = kind === undefined ? undefined : readValueAt(text, skipBlanks(text, end + 2, 4));
  // Two names are arguments, too.
  if (value?.isQuoted !== true || !/[0-9]/.test(text.slice(value.start, value.end))) return;
  reportSecret(text, value, { isPassword: kind === "password", isTight: true }, report);
}

const SETS = /(?:set|with)_?[A-Za-z_]{0,30}$/i;
const WRAPPED = /([A-Za-z0-9_.-]{2,60})["']?\s{0,3}[:=]\s{0,3}(?:[a-z]{1,20}\.)?Secret(?:Str|Bytes)$/;

/** `user.setPassword("…")`, `password=SecretStr('…')` */
function findSet(text: string, at: number, report: Report): void {
  const isWrapped = text.startsWith("Secret", at - 9) || text.startsWith("Secret", at - 11);
  if (!isWrapped && !mayNameSecret(text, at)) return;
  const before = text.slice(Math.max(0, at - 2 * MOST_NAME), at);
  const name = isWrapped ? WRAPPED.exec(before)?.[1] : SETS.exec(before)?.[0];
  const kind = name === undefined ? undefined : kindOfName(name);
  if (kind !== undefined && closes(text, at + 1)) reportArgument(text, at + 1, kind === "password", report);
}

/** Whether the literal at `from` is the only argument. */
function closes(text: string, from: number): boolean {
  const value = readValueAt(text, from);
  return value !== undefined && text.charAt(value.end + 1) === ")";
}

/** What defaults, properties and assignments of some languages part from a name. */
const LINKED = /([A-Za-z0-9_.-]{2,60})(?:["']?[\])])?\s{0,3}(?:\|\||\?\?|<-|As String =|\{ get;[^{}]{0,30}\} =)$/i;

/** `process.env.DB_PASSWORD || "…"`, `Dim password As String = "…"`, `string Password { get; set; } = "…"`, `password <- "…"` */
function findLinked(text: string, at: number, report: Report): void {
  // Of each, one unit more tells most others apart.
  const [second, last] = [text.charAt(at - 2), text.charAt(at - 1)];
  if (last === "=" ? !"}g".includes(text.charAt(at - 3) || "-") : second !== (last === "-" ? "<" : last)) return;
  const name = LINKED.exec(text.slice(Math.max(0, at - 2 * MOST_NAME), at))?.[1];
  const kind = name === undefined ? undefined : kindOfName(name);
  if (kind !== undefined) reportArgument(text, at + 1, kind === "password", report);
}

/** `PASSWORD '…'`, `IDENTIFIED BY '…'` and `PASSWORD = N'…'` of SQL, `#define API_KEY "…"`. */
function findQuoted(text: string, at: number, report: Report): void {
  if ("|?-=".includes(text.charAt(at - 1) || ".")) return findLinked(text, at, report);
  const isIdentified = /[yY]/.test(text.charAt(at - 1)) && /identified by$/i.test(text.slice(Math.max(0, at - 14), at));
  if (!isIdentified && !mayNameSecret(text, at)) return;
  let start = at;
  while (start > 0 && at - start < MOST_NAME && isNameCharacter(text.charCodeAt(start - 1))) start--;
  const kind = isIdentified ? "password" : kindOfName(text.slice(start, at));
  if (kind !== undefined) reportArgument(text, at + 1, kind === "password", report);
}

/** `machine … login … password …` of `.netrc`, and a line `password …`. */
function findLine(text: string, at: number, report: Report): void {
  const before = text.slice(Math.max(0, at - MOST_BEFORE), at);
  const from = skipBlanks(text, at + "password ".length, 20);
  if (/\b(?:login|user)\s{1,20}\S{1,100}\s{1,20}$/.test(before)) {
    const value = readValueAt(text, from);
    if (value !== undefined) reportSecret(text, value, { isPassword: true, isTight: true }, report);
  } else if (/(?:^|\n)[ \t]{0,20}$/.test(before) && /^\S{1,60}$/.test(text.slice(from, lineEnd(text, from)))) reportArgument(text, from, true, report);
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 || end - from > MOST_BEFORE ? Math.min(text.length, from + MOST_BEFORE) : end;
}

// Commands whose short options hold a password; the same option is a port or a path to others.
const TAKES: Readonly<Record<string, RegExp>> = {
  p: /\b(?:sshpass|mongo(?:sh|dump|restore|export|import)?|cqlsh|twine|(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|registry|az|acr|oc|cf) login)\b/,
  a: /\bredis-cli\b/,
  w: /\bldap(?:search|modify|add|delete|passwd|whoami)\b/,
  P: /\b(?:zip|unzip|sqlcmd|bcp|isql|tsql)\b/,
  u: /\b(?:curl|wget)\b/,
};
// Here a blank ends the option, and what follows is something else.
const TAKES_GLUED = /\b(?:mysql(?:dump|admin|import)?|mariadb(?:-dump|-admin)?|sshpass|7za?)\b/;
const MOST_COMMAND = 200;
const USER = /--(?:proxy-)?user[ =]/y;

/** `sshpass -p …`, `mysql -u root -p…`, `curl -u user:…` */
function findShort(text: string, at: number, report: Report): void {
  USER.lastIndex = at;
  const long = USER.exec(text)?.[0].length;
  const option = long === undefined ? text.charAt(at + 1) : "u";
  if (!Object.hasOwn(TAKES, option)) return;
  const from = skipBlanks(text, at + (long ?? 2), 2);
  const takes = from === at + 2 && option === "p" ? TAKES_GLUED : TAKES[option];
  const before = text.slice(Math.max(0, at - MOST_COMMAND), at);
  if (takes?.test(before.slice(before.lastIndexOf("\n") + 1)) !== true) return;
  const value = readValueAt(text, from);
  if (value === undefined) return;
  // Behind `-u` the user comes first.
  const start = option === "u" ? text.slice(value.start, value.end).indexOf(":") + 1 + value.start : value.start;
  if (option === "u" && start === value.start) return;
  const password = text.slice(start, value.end);
  const isOne = MARKED.test(password) && isSecretValue(password, { isPassword: true, isTight: true, isQuoted: false, isLine: false });
  if (isOne) report("assignment", start, value.end);
}
