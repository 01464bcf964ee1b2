import { isNameCharacter } from "./assignment.ts";
import type { Report } from "./kinds.ts";
import { isCount, kindOfName, mayNameSecret } from "./secret-names.ts";
import { isSecretValue } from "./secret-value.ts";

// Secrets that stand beside or below their names: rows and columns of tables, in Markdown, CSV and TSV, and lines of `.pgpass`.

const MOST_NAME = 40;
const MOST_BLANKS = 40;
const MOST_LINE = 1_000;
const SHORTEST = 6;
// Where a cell ends.
const SEPARATORS = ["|", ",", "\t", ";"] as const;
const CELL_END = /[|,\t;\n]/g;

/** Finds them; each line is read at most a bounded number of times. */
export function findInTables(text: string, report: Report): void {
  // A table has two lines, or bars.
  if (!text.includes("\n") && !text.includes("|")) return;
  // What was tried as a header, or belongs to a table.
  let done = 0;
  CELL_END.lastIndex = 0;
  for (let found = CELL_END.exec(text); found !== null; found = CELL_END.exec(text)) {
    const at = found.index;
    const isBar = text.charAt(at) === "|";
    const end = isBar ? skipBack(text, at) : isMark(text.charCodeAt(at - 1)) ? at - 1 : isPadded(text, at) ? skipBack(text, at) : at;
    if (!mayNameSecret(text, end) || !isCellStart(text, end, isBar)) continue;
    if (isBar) findBeside(text, end, at, report);
    if (at >= done) done = findBelow(text, at, report);
  }
}

/** Quotes of CSV, and the return before a line feed. */
function isMark(code: number): boolean {
  return code === 0x22 || code === 0x0d;
}

/** Whether blanks stand before the end of a line, as psql writes them behind the last name. */
function isPadded(text: string, at: number): boolean {
  return text.charAt(at - 1) === " " && text.charAt(at) === "\n";
}

function skipBack(text: string, from: number): number {
  let at = from;
  while (at > 0 && from - at < MOST_BLANKS && " *`".includes(text.charAt(at - 1))) at--;
  return at;
}

function nameStart(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < MOST_NAME && isNameCharacter(text.charCodeAt(start - 1))) start--;
  return start;
}

/** Whether nothing but a name stands between `end` and what parts cells. */
function isCellStart(text: string, end: number, isBar: boolean): boolean {
  const start = nameStart(text, end);
  const blank = skipBack(text, start);
  const before = isBar || text.charAt(blank - 1) === "|" ? blank : start;
  const code = text.charAt(before - 1);
  return before === 0 || code === "\n" || code === '"' || SEPARATORS.some((separator) => separator === code);
}

/** `| password | … |` */
function findBeside(text: string, end: number, bar: number, report: Report): void {
  const name = text.slice(nameStart(text, end), end);
  let stop = bar + 1;
  while (stop - bar < MOST_LINE && !"|\r\n".includes(text.charAt(stop) || "|")) stop++;
  const { start, end: valueEnd } = trimmed(text, bar + 1, stop);
  reportCell(text, start, valueEnd, name, report);
}

function reportCell(text: string, start: number, end: number, name: string, report: Report): void {
  const kind = kindOfName(name);
  if (kind === undefined || isCount(name) || end - start < SHORTEST) return;
  const value = text.slice(start, end);
  // Types (`varchar(64)`), dates and lengths are what tables about passwords have.
  if (/[()<>[\]{}\s]/.test(value) || /^\d{4}-\d\d/.test(value) || !/[A-Za-z]/.test(value) || !/[0-9!^*~$%@]/.test(value)) return;
  if (isSecretValue(value, { isPassword: kind === "password", isTight: true, isQuoted: false, isLine: true })) report("assignment", start, end);
}

interface Cell {
  readonly start: number;
  readonly end: number;
}

// Those of psql and mysql have a plus where bars cross.
const RULE = /[ \t]{0,40}[|+]?[ \t]{0,40}:?-/y;

/** What stands in the column of a header that has a separator, or a line end, at `at`. Gives where to go on. */
function findBelow(text: string, at: number, report: Report): number {
  const from = Math.max(0, at - MOST_LINE);
  const lineBreak = text.slice(from, at).lastIndexOf("\n");
  const headerEnd = lineEnd(text, at);
  if ((lineBreak === -1 && from > 0) || headerEnd === undefined || headerEnd >= text.length) return at + MOST_LINE / 2;
  const headerStart = from + lineBreak + 1;
  // A table of Markdown has a rule below its header; most rows with bars are done with here.
  RULE.lastIndex = headerEnd + 1;
  if (text.charAt(at) === "|" && !RULE.test(text)) return headerEnd + 1;
  const line = text.slice(headerStart, headerEnd);
  const separator = SEPARATORS.find((one) => line.includes(one));
  if (separator === undefined) return headerEnd + 1;
  const names = cellsOf(text, headerStart, headerEnd, separator).map(({ start, end }) => text.slice(start, end));
  if (names.length < 2 || !names.every((name) => /^[\p{L}\d][\p{L}\d _.#-]{0,39}$|^$/u.test(name))) return headerEnd + 1;
  let next = headerEnd + 1;
  const secrets = names.flatMap((name, column) => (kindOfName(name) === undefined ? [] : [column]));
  for (let isFirst = true; secrets.length > 0 && next < text.length; isFirst = false) {
    const end = lineEnd(text, next);
    if (end === undefined) break;
    const isRule = separator === "|" && /^[\s|:+-]*$/.test(text.slice(next, end));
    if (separator === "|" && isFirst !== isRule) break;
    const cells = cellsOf(text, next, end, separator);
    if (!isRule && cells.length !== names.length) break;
    if (!isRule) for (const column of secrets) reportCell(text, cells[column]!.start, cells[column]!.end, names[column]!, report);
    next = end + 1;
  }
  return next;
}

/** Undefined for a line that is too long to be one of a table. */
function lineEnd(text: string, from: number): number | undefined {
  const end = text.slice(from, from + MOST_LINE).indexOf("\n");
  return end === -1 ? (from + MOST_LINE >= text.length ? text.length : undefined) : from + end;
}

/** The cells of a line, without blanks, marks of emphasis and quotes around them. */
function cellsOf(text: string, from: number, to: number, separator: string): Cell[] {
  const cells: Cell[] = [];
  for (let start = from, isQuoted = false, at = from; at <= to; at++) {
    const character = text.charAt(at);
    if (character === '"' && separator !== "|") isQuoted = !isQuoted;
    if (at < to && (isQuoted || character !== separator)) continue;
    cells.push(trimmed(text, start, at));
    start = at + 1;
  }
  // What stands before the first bar and behind the last is no cell.
  return separator === "|" ? cells.slice(isEmpty(cells[0]) ? 1 : 0, isEmpty(cells.at(-1)) ? -1 : undefined) : cells;
}

function isEmpty(cell: Cell | undefined): boolean {
  return cell === undefined || cell.start >= cell.end;
}

/** Marks of emphasis and code count in pairs: a password may end with one. */
function trimmed(text: string, from: number, to: number): Cell {
  let [start, end] = [from, to];
  while (start < end && " \r".includes(text.charAt(start))) start++;
  while (end > start && " \r".includes(text.charAt(end - 1))) end--;
  while (end - start > 1 && "*`\"".includes(text.charAt(start)) && text.charAt(start) === text.charAt(end - 1)) {
    start++;
    end--;
  }
  return { start, end };
}

const HOST = /(?:^|\n)(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,100}|\*|\/[\w/.-]{0,100})$/;
const REST = /:([1-9][0-9]{3,4}|\*):[^\s:]{1,63}:[^\s:]{1,63}:((?:\\.|[^\s:\\]){4,128})(?=\r?\n|$)/y;
const MOST_HOST = 104;

/** The password in a line `host:port:database:user:password`, the first of whose colons is at `at`. */
export function findPgpass(text: string, at: number, report: Report): void {
  REST.lastIndex = at;
  const found = REST.exec(text);
  const password = found?.[2];
  if (found === null || password === undefined || !HOST.test(text.slice(Math.max(0, at - MOST_HOST), at))) return;
  // A place in a file has such numbers, too, and words behind them.
  if (found[1] !== "*" && found[1] !== "5432" && !/[0-9!^*~$%@]/.test(password)) return;
  const end = at + found[0].length;
  if (isSecretValue(password, { isPassword: true, isTight: true, isQuoted: false, isLine: true })) report("assignment", end - password.length, end);
}

/** Whether what follows a colon may be the port of such a line: a time has two digits. */
export function mayBePort(text: string, at: number): boolean {
  const code = text.charCodeAt(at + 1);
  if (code === 0x2a) return text.charAt(at + 2) === ":";
  return code >= 0x31 && code <= 0x39 && isDigitAt(text, at + 4) && (text.charAt(at + 5) === ":" || text.charAt(at + 6) === ":");
}

function isDigitAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}
