import { TOKEN_CLASS } from "../detect/characters.ts";
import type { Span } from "../detect/detector.ts";
import { runEnd, runStart } from "../detect/runs.ts";
import { bodyEnd } from "./private-key.ts";

// Random by its look, and no secret: what is wrapped into lines, public keys and certificates.

const LABEL = /^[A-Z0-9 ]{0,60}-----/;
// Dashes are common, and a search that starts with one is slow.
const BEGIN = "BEGIN ";
const DASHES = "-----";

/** The bodies of PEM blocks that are public: certificates, public keys, signatures. In order. */
export function publicBlocks(text: string): Span[] {
  const blocks: Span[] = [];
  for (let at = text.indexOf(BEGIN); at !== -1; at = text.indexOf(BEGIN, at + BEGIN.length)) {
    if (!text.endsWith(DASHES, at)) continue;
    const label = LABEL.exec(text.slice(at + BEGIN.length, at + BEGIN.length + 80))?.[0];
    if (label === undefined || label.includes("PRIVATE")) continue;
    const start = at + BEGIN.length + label.length;
    blocks.push({ start, end: bodyEnd(text, start) });
  }
  return blocks;
}

// The lengths of lines that encoders make.
const LINES: ReadonlySet<number> = new Set([60, 64, 70, 72, 76]);

/** Whether a run is a line of data that goes on over several, of one length up to the last. */
export function isWrapped(text: string, start: number, end: number): boolean {
  if (LINES.has(lineBefore(text, start))) return true;
  if (!LINES.has(end - start)) return false;
  const next = afterBreak(text, end);
  let nextEnd = runEnd(text, next, TOKEN_CLASS, Math.min(text.length, next + 80));
  while (nextEnd - next < 82 && text.charAt(nextEnd) === "=") nextEnd++;
  return nextEnd > next && (nextEnd >= text.length || "\r\n\\\"'<".includes(text.charAt(nextEnd)));
}

/** An OpenSSH public key says so by how it begins. */
export function isPublicKey(run: string): boolean {
  return /^AAAA[A-Z][A-Za-z0-9]NzaC1|^AAAAE2VjZHNh/.test(run);
}

/** Past a line break and what it is indented by, plain or as JSON text has it; the end of the text where there is none. */
function afterBreak(text: string, end: number): number {
  let at = end;
  while (text.charAt(at) === "\r" || text.startsWith("\\r", at)) at += text.charAt(at) === "\r" ? 1 : 2;
  if (text.charAt(at) === "\n") at++;
  else if (text.startsWith("\\n", at)) at += 2;
  else return text.length;
  while (text.charAt(at) === " " && at - end < 40) at++;
  return at;
}

/** How long the run is that ends before the line break in front of `start`; 0 if something else does. */
function lineBefore(text: string, start: number): number {
  let at = start;
  while (text.charAt(at - 1) === " " && start - at < 40) at--;
  if (text.charAt(at - 1) === "\n") at--;
  else if (text.startsWith("\\n", at - 2)) at -= 2;
  else return 0;
  if (text.charAt(at - 1) === "\r") at--;
  else if (text.startsWith("\\r", at - 2)) at -= 2;
  const before = runStart(text, at, TOKEN_CLASS, Math.max(0, at - 80));
  return at - (isEscaped(text, before) ? before + 1 : before);
}

/** Whether a run starts with the letter of an escape of JSON text. */
export function isEscaped(text: string, start: number): boolean {
  return text.charAt(start - 1) === "\\" && "nrt".includes(text.charAt(start));
}

/** Whether a place is in one of the blocks, which are asked for in order. */
export function within(blocks: readonly Span[]): (at: number) => boolean {
  let index = 0;
  return (at) => {
    while (index < blocks.length && blocks[index]!.end <= at) index++;
    return index < blocks.length && blocks[index]!.start <= at;
  };
}
