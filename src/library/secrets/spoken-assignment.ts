import { isNameCharacter, reportSecret } from "./assignment.ts";
import type { Report } from "./kinds.ts";
import { kindOfName, mayNameSecret } from "./secret-names.ts";
import { isQuote, isSecretValue, readValueAt, skipBlanks } from "./secret-value.ts";

// Secrets that are assigned without `=` or `:`: elements of XML, flags of commands, arguments of calls, `.netrc`, SQL.

const MOST_NAME = 60;
const MOST_ELEMENT = 256;

export function findSpokenAssignments(text: string, report: Report): void {
  findElements(text, report);
  findFlags(text, report);
  findArguments(text, report);
  findByWords(text, report);
  findCommandLines(text, report);
}

// Elements that hold the value of what something else names.
const HOLDERS: ReadonlySet<string> = new Set(["value", "string", "entry", "param", "property", "item", "field", "variable", "env"]);
const MOST_BEFORE = 160;
const NAMED = /(?:\s(?:name|key|id)=["']|<(?:name|key)>)([A-Za-z0-9_.-]{2,60})(?:["'][^<>]{0,80}(?:>\s{0,20}<value)?|<\/(?:name|key)>\s{0,20}<(?:string|value))$/;

/** `<clientSecret>…</clientSecret>`, `<entry key="password">…</entry>`, `<name>password</name><value>…</value>` */
function findElements(text: string, report: Report): void {
  for (let at = text.indexOf("</"); at !== -1; at = text.indexOf("</", at + 2)) {
    const end = nameEnd(text, at + 2);
    if (end === at + 2 || text.charAt(end) !== ">") continue;
    const own = text.slice(at + 2, end);
    const isHolder = HOLDERS.has(own);
    if (!isHolder && !mayNameSecret(text, end)) continue;
    const from = Math.max(0, at - MOST_ELEMENT);
    const open = from + text.slice(from, at).lastIndexOf(">");
    if (open < from || open + 1 === at) continue;
    const kind = kindOfName(isHolder ? (NAMED.exec(text.slice(Math.max(0, open - MOST_BEFORE), open))?.[1] ?? "") : own);
    if (kind !== undefined) reportSecret(text, { start: open + 1, end: at, isQuoted: true }, { isPassword: kind === "password", isTight: true }, report);
  }
}

function nameEnd(text: string, from: number): number {
  let end = from;
  while (end - from < MOST_NAME && (isNameCharacter(text.charCodeAt(end)) || text.charAt(end) === ":")) end++;
  return end;
}

/** `--password …`, `"--password", "…"`; what has a `=` is found as an assignment. */
function findFlags(text: string, report: Report): void {
  for (let at = text.indexOf("--"); at !== -1; ) {
    const end = nameEnd(text, at + 2);
    const isItem = isQuote(text.charCodeAt(end)) && text.charAt(end + 1) === ",";
    const from = skipBlanks(text, isItem ? end + 2 : end, 3);
    if (from > end && text.charAt(at + 2) !== "-" && text.charAt(from) !== "-") {
      const kind = kindOfName(text.slice(at + 2, end));
      if (kind !== undefined) reportArgument(text, from, kind === "password", report);
    }
    at = text.indexOf("--", Math.max(end, at + 2));
  }
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
function findArguments(text: string, report: Report): void {
  for (let at = text.indexOf("("); at !== -1; at = text.indexOf("(", at + 1)) {
    const quote = text.charAt(at + 1);
    if (quote !== '"' && quote !== "'") continue;
    const end = nameEnd(text, at + 2);
    if (end - at > MOST_QUOTED_NAME || text.charAt(end) !== quote || text.charAt(end + 1) !== ",") continue;
    const kind = kindOfName(text.slice(at + 2, end));
    const value = kind === undefined ? undefined : readValueAt(text, skipBlanks(text, end + 2, 4));
    // Two names are arguments, too.
    if (value?.isQuoted !== true || !/[0-9]/.test(text.slice(value.start, value.end))) continue;
    reportSecret(text, value, { isPassword: kind === "password", isTight: true }, report);
  }
}

/** `machine … login … password …` of `.netrc`, a line `password …`, `PASSWORD '…'` and `IDENTIFIED BY '…'` of SQL, `#define API_KEY "…"`. */
function findByWords(text: string, report: Report): void {
  for (let at = text.indexOf("password "); at !== -1; at = text.indexOf("password ", at + 9)) {
    const before = text.slice(Math.max(0, at - 150), at);
    const from = skipBlanks(text, at + 9, 20);
    if (/\b(?:login|user)\s{1,20}\S{1,100}\s{1,20}$/.test(before)) reportPassword(text, from, report);
    else if (/(?:^|\n)[ \t]{0,20}$/.test(before) && /^\S{1,60}$/.test(text.slice(from, lineEnd(text, from)))) reportArgument(text, from, true, report);
  }
  for (const quote of [" '", ' "']) {
    for (let at = text.indexOf(quote); at !== -1; at = text.indexOf(quote, at + 2)) {
      const end = text.startsWith(" N", at - 2) ? at - 2 : at;
      const isIdentified = /identified by$/i.test(text.slice(Math.max(0, end - 14), end));
      if (!isIdentified && !mayNameSecret(text, end)) continue;
      let start = end;
      while (start > 0 && end - start < MOST_NAME && isNameCharacter(text.charCodeAt(start - 1))) start--;
      const kind = isIdentified ? "password" : kindOfName(text.slice(start, end));
      if (kind !== undefined) reportArgument(text, at + 1, kind === "password", report);
    }
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 || end - from > MOST_BEFORE ? Math.min(text.length, from + MOST_BEFORE) : end;
}

function reportPassword(text: string, from: number, report: Report): void {
  const value = readValueAt(text, from);
  if (value !== undefined) reportSecret(text, value, { isPassword: true, isTight: true }, report);
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

/** `-password …`, `sshpass -p …`, `mysql -u root -p…`, `curl -u user:…` */
function findCommandLines(text: string, report: Report): void {
  for (let at = text.indexOf(" -"); at !== -1; at = text.indexOf(" -", at + 2)) {
    const end = nameEnd(text, at + 2);
    const kind = text.charAt(at + 2) === "-" ? undefined : kindOfName(text.slice(at + 2, end));
    if (kind !== undefined && text.charAt(end) === " ") reportArgument(text, skipBlanks(text, end, 3), kind === "password", report);
    const isUser = text.startsWith("-user ", at + 2);
    const option = isUser ? "u" : text.charAt(at + 2);
    if (!Object.hasOwn(TAKES, option)) continue;
    const from = skipBlanks(text, isUser ? at + 8 : at + 3, 2);
    const takes = from === at + 3 && option === "p" ? TAKES_GLUED : TAKES[option];
    const before = text.slice(Math.max(0, at - MOST_COMMAND), at);
    if (takes?.test(before.slice(before.lastIndexOf("\n") + 1)) !== true) continue;
    const value = readValueAt(text, from);
    if (value === undefined) continue;
    // Behind `-u` the user comes first.
    const start = option === "u" ? text.slice(value.start, value.end).indexOf(":") + 1 + value.start : value.start;
    if (option === "u" && start === value.start) continue;
    const password = text.slice(start, value.end);
    const isOne = MARKED.test(password) && isSecretValue(password, { isPassword: true, isTight: true, isQuoted: false, isLine: false });
    if (isOne) report("assignment", start, value.end);
  }
}
