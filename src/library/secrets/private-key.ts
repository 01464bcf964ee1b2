import { TOKEN_CLASS } from "../detect/characters.ts";
import { nextRun } from "../detect/runs.ts";
import type { Report } from "./kinds.ts";

const LABEL = "PRIVATE KEY";
const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}$/;
const AFTER_LABEL = /^[A-Z ]{0,10}-----/;
const MOST_LABEL = 64;
// The first line of a body comes after its headers, if any.
const MOST_HEADERS = 512;
const SHORTEST_LINE = 16;

/**
 * PEM and OpenPGP blocks of private keys, headers included. A block without its end goes up to where its Base64 ends, so one that was cut short
 * counts. The escapes of JSON text (`\n`) belong to the block.
 */
export function findPrivateKeys(text: string, report: Report): void {
  for (let at = text.indexOf(LABEL); at !== -1; at = text.indexOf(LABEL, at + LABEL.length)) {
    const begin = BEGIN.exec(text.slice(Math.max(0, at - MOST_LABEL), at))?.[0];
    const rest = AFTER_LABEL.exec(text.slice(at + LABEL.length, at + LABEL.length + MOST_LABEL))?.[0];
    if (begin === undefined || rest === undefined) continue;
    const body = at + LABEL.length + rest.length;
    const bodyStop = bodyEnd(text, body);
    const end = endLine(text, bodyStop);
    // Prose about the label has no such body.
    if (nextRun(text.slice(body, Math.min(bodyStop, body + MOST_HEADERS)), 0, SHORTEST_LINE, TOKEN_CLASS) !== -1) report("private-key", at - begin.length, end);
    at = end;
  }
}

// What stands in a body: Base64, header lines (`Proc-Type: 4,ENCRYPTED`, `Version: …`), line ends, plain or escaped, and quotes of a literal for each line.
export function bodyEnd(text: string, start: number): number {
  let end = start;
  for (; end < text.length; end++) {
    if (text.charAt(end) === "-" && text.startsWith("-----", end)) break;
    const code = text.charCodeAt(end);
    const isBase64 = (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || "+/=".includes(text.charAt(end));
    if (!isBase64 && !"\r\n\t :,.-\\()".includes(text.charAt(end))) break;
  }
  return end;
}

function endLine(text: string, start: number): number {
  const line = /^-----END [A-Z0-9 ]{0,60}-----/.exec(text.slice(start, start + 80))?.[0];
  return line === undefined ? start : start + line.length;
}
