import { TOKEN_CLASS } from "../detect/characters.ts";
import { nextRun, runStart } from "../detect/runs.ts";
import type { Report } from "./kinds.ts";
import { distinctChars } from "./plausible.ts";

const LABEL = "PRIVATE KEY";
const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}$/;
const END = /-----END [A-Z0-9 ]{0,40}$/;
const AFTER_LABEL = /^[A-Z ]{0,10}-----/;
const MOST_LABEL = 64;
// The first line of a body comes after its headers, if any.
const MOST_HEADERS = 512;
const SHORTEST_LINE = 16;
const FEWEST_CHARACTERS = 5;

/**
 * PEM and OpenPGP blocks of private keys, headers included. A block without its end goes up to where its Base64 ends, and one without its beginning starts where
 * its Base64 does, so one that was cut short counts. The escapes of JSON text (`\n`) belong to the block, and so do signs and quotes around its lines.
 */
export function findPrivateKeys(text: string, report: Report): void {
  findPutty(text, report);
  let done = 0;
  for (let at = text.indexOf(LABEL); at !== -1; at = text.indexOf(LABEL, at + LABEL.length)) {
    const before = text.slice(Math.max(done, at - MOST_LABEL), at);
    const rest = AFTER_LABEL.exec(text.slice(at + LABEL.length, at + LABEL.length + MOST_LABEL))?.[0];
    if (rest === undefined) continue;
    const labelEnd = at + LABEL.length + rest.length;
    const begin = BEGIN.exec(before)?.[0];
    if (begin !== undefined) {
      const bodyStop = bodyEnd(text, labelEnd);
      const end = endLine(text, bodyStop);
      if (holdsKey(text, labelEnd, bodyStop)) report("private-key", at - begin.length, end);
      at = end;
    } else {
      const end = END.exec(before)?.[0];
      const start = end === undefined ? at : bodyStart(text, at - end.length, done);
      if (end !== undefined && holdsKey(text, start, at - end.length)) report("private-key", start, labelEnd);
      at = labelEnd;
    }
    done = at;
  }
}

/** Prose about the label has no such line, and a template one of few characters. */
function holdsKey(text: string, start: number, end: number): boolean {
  const head = text.slice(start, Math.min(end, start + MOST_HEADERS));
  const line = nextRun(head, 0, SHORTEST_LINE, TOKEN_CLASS);
  return line !== -1 && distinctChars(head.slice(line, line + 64)) >= FEWEST_CHARACTERS;
}

// What stands before a line in comments, quotations and differences, and around one that is a literal by itself.
const SIGN = /[ \t]{0,40}(?:[#>|*;%+]|\/\/)?/y;
const BETWEEN_LITERALS = /["'`][ \t]{0,4}[+.\\]?[ \t]{0,4}\r?\n[ \t]{0,40}["'`]/y;

/** Where a body ends: Base64, header lines (`Proc-Type: 4,ENCRYPTED`, `Version: …`), and line ends, plain or escaped. */
export function bodyEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length) {
    const character = text.charAt(end);
    if (character === "-" && text.startsWith("-----", end)) break;
    if (character === "\n" || (character === "\\" && text.charAt(end + 1) === "n")) {
      SIGN.lastIndex = end + (character === "\n" ? 1 : 2);
      SIGN.test(text);
      end = SIGN.lastIndex;
    } else if (isOfBody(text, end)) end++;
    else {
      BETWEEN_LITERALS.lastIndex = end;
      if (!BETWEEN_LITERALS.test(text)) break;
      end = BETWEEN_LITERALS.lastIndex;
    }
  }
  return end;
}

function isOfBody(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  const isBase64 = (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
  return isBase64 || "+/=\r\n\t :,.-\\()".includes(text.charAt(at));
}

function endLine(text: string, start: number): number {
  // A difference has its own dash before the line.
  const line = /^-{5,6}END [A-Z0-9 ]{0,60}-----/.exec(text.slice(start, start + 80))?.[0];
  return line === undefined ? start : start + line.length;
}

const LONGEST_LINE = 80;

/** Where the lines of Base64 start that end before `end`. */
function bodyStart(text: string, end: number, limit: number): number {
  let start = end;
  for (;;) {
    const lineEnd = beforeBreak(text, start, limit);
    if (lineEnd === undefined) return start;
    let padding = lineEnd;
    while (padding > limit && lineEnd - padding < 2 && text.charAt(padding - 1) === "=") padding--;
    let line = runStart(text, padding, TOKEN_CLASS, Math.max(limit, padding - LONGEST_LINE));
    // The checksum of OpenPGP.
    if (padding - line === 4 && text.charAt(line - 1) === "=") line--;
    if (text.charAt(line - 1) === "\\" && text.charAt(line) === "n") line++;
    // A word of prose is a run, too, but not all of its line.
    if (line === padding || (line > limit && beforeBreak(text, line, limit) === undefined)) return start;
    start = line;
  }
}

/** Where the line before a break in front of `end` ends; nothing if there is no break. */
function beforeBreak(text: string, end: number, limit: number): number | undefined {
  let at = end;
  while (at > limit && end - at < 40 && "#>|*;%+/ \t".includes(text.charAt(at - 1))) at--;
  if (text.charAt(at - 1) === "\n") at--;
  else if (text.startsWith("\\n", at - 2)) at -= 2;
  else return undefined;
  if (text.charAt(at - 1) === "\r") at--;
  else if (text.startsWith("\\r", at - 2)) at -= 2;
  return Math.max(at, limit);
}

const PUTTY = "Private-Lines: ";
const PUTTY_BODY = /[0-9]{1,4}\r?\n((?:[A-Za-z0-9+/]{1,64}={0,2}(?:\r?\n|$)){1,200})/y;

/** The lines of a key in PuTTY's own form. */
function findPutty(text: string, report: Report): void {
  for (let at = text.indexOf(PUTTY); at !== -1; at = text.indexOf(PUTTY, at + PUTTY.length)) {
    PUTTY_BODY.lastIndex = at + PUTTY.length;
    const found = PUTTY_BODY.exec(text);
    const body = found?.[1]?.trimEnd() ?? "";
    const start = PUTTY_BODY.lastIndex - (found?.[1]?.length ?? 0);
    if (holdsKey(body, 0, body.length)) report("private-key", start, start + body.length);
  }
}
