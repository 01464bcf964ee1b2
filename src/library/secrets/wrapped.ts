import { TOKEN_CLASS } from "../detect/characters.ts";
import type { Span } from "../detect/detector.ts";
import { runEnd } from "../detect/runs.ts";

/** Token characters broken into lines, as encoders write Base64 and hex. */
export interface Block {
  readonly end: number;
  /** The lines without their breaks; then, where the last is shorter and may be none of them, those before it. */
  readonly readings: readonly (Span & { readonly joined: string })[];
}

const MOST_INDENT = 40;
const ENDS_LINE = "\r\n=\"'`<\\ \t";

/**
 * The lines that start with the run from `start` to `end`, all of one length but the last, which may be shorter, and indented or not; nothing for a line by
 * itself. Asked again from its end on, it reads each line at most twice.
 */
export function readBlock(text: string, start: number, end: number): Block | undefined {
  const width = end - start;
  const lines: string[] = [];
  let [stop, before] = [end, end];
  for (let next = nextLine(text, stop); next !== -1; next = nextLine(text, stop)) {
    const lineEnd = runEnd(text, next, TOKEN_CLASS, next + width + 1);
    if (lineEnd === next || lineEnd - next > width || !(lineEnd >= text.length || ENDS_LINE.includes(text.charAt(lineEnd)))) break;
    if (lines.length === 0) lines.push(text.slice(start, end));
    lines.push(text.slice(next, lineEnd));
    [before, stop] = [stop, lineEnd];
    if (lineEnd - next < width) break;
  }
  if (lines.length === 0) return undefined;
  const isShorter = lines.length > 2 && lines.at(-1)!.length < width;
  while (stop < text.length && text.charAt(stop) === "=") stop++;
  const all = { start, end: stop, joined: lines.join("") };
  return { end: stop, readings: isShorter ? [all, { start, end: before, joined: lines.slice(0, -1).join("") }] : [all] };
}

/** Past a line break and what the next line is indented by; -1 where there is none. */
function nextLine(text: string, end: number): number {
  let at = end;
  if (text.charAt(at) === "\r") at++;
  if (text.charAt(at) !== "\n") return -1;
  at++;
  const limit = at + MOST_INDENT;
  while (at < limit && (text.charAt(at) === " " || text.charAt(at) === "\t")) at++;
  return at;
}
