import { isAlphanumeric } from "./characters.ts";
import type { Span } from "./detector.ts";

// Escapes whose letters and digits look as if they were glued to what follows them: colours of terminals, and characters that JSON, URLs and code write by their numbers.

// What follows ESC.
const REST = "(?:\\[[0-9;:?]{0,40}[A-Za-z]|\\([A-Z0-9])";
const SEQUENCE = new RegExp(`\u001b${REST}`, "y");
// ESC as logs and code write it.
const WRITTEN = new RegExp(`(?:\\\\{1,4}(?:u001[bB]|x1[bB]|0?33|e)|\\^\\[)${REST}`, "g");
const OF_WRITTEN = ["1b[", "1B[", "33[", "\\e[", "^[["];
const NONE: readonly Span[] = [];

/** Where escape sequences of terminals (`ESC[32m`) stand in a text, in order; they may be written out (`\u001b`, `\x1b`, `\033`, `^[`). */
export function coloursIn(text: string): readonly Span[] {
  const isWritten = (text.includes("\\") || text.includes("^[")) && OF_WRITTEN.some((end) => text.includes(end));
  let at = text.indexOf("\u001b");
  if (at === -1 && !isWritten) return NONE;
  const found: Span[] = [];
  // The engine's own search is faster than an expression.
  for (; at !== -1; at = text.indexOf("\u001b", at + 1)) {
    SEQUENCE.lastIndex = at;
    if (SEQUENCE.test(text)) found.push({ start: at, end: SEQUENCE.lastIndex });
  }
  if (!isWritten) return found;
  for (const { index, 0: sequence } of text.matchAll(WRITTEN)) found.push({ start: index, end: index + sequence.length });
  return found.sort((left, right) => left.start - right.start);
}

/** The text with blanks in place of its colours, unit by unit. */
export function blankColours(text: string, colours = coloursIn(text)): string {
  if (colours.length === 0) return text;
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end } of colours) {
    pieces.push(text.slice(done, start), BLANKS.slice(0, end - start));
    done = end;
  }
  return pieces.join("") + text.slice(done);
}

const BLANKS = " ".repeat(64);

// One whose last digit would be the first of a number or an address behind it.
const GLUED = /%([0-9A-Fa-f]{2})(?=[0-9A-Fa-f])|\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2}))(?=[0-9A-Fa-f])/y;
const NOTHING = "\0".repeat(6);

/** The text without escapes that stand for a sign and touch a digit or a letter of hex behind them, unit by unit; nothing where it has none. */
export function withoutGluedEscapes(text: string): string | undefined {
  const ofUrls = withoutGlued(text, "%");
  const ofCode = withoutGlued(withoutGlued(ofUrls, "\\u"), "\\x");
  return ofCode === text ? undefined : ofCode;
}

// The engine's own search is faster than an expression.
function withoutGlued(text: string, opening: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (let at = text.indexOf(opening); at !== -1; at = text.indexOf(opening, at + 1)) {
    GLUED.lastIndex = at;
    const found = GLUED.exec(text);
    if (found === null || isAlphanumeric(Number.parseInt(found[1] ?? found[2] ?? found[3] ?? "", 16))) continue;
    pieces.push(text.slice(done, at), NOTHING.slice(0, found[0].length));
    done = at + found[0].length;
  }
  return done === 0 ? text : pieces.join("") + text.slice(done);
}
