import { isAlphanumeric } from "./characters.ts";

// Escapes whose letters and digits look as if they were glued to what follows them: colours of terminals, and characters that JSON, URLs and code write by their numbers.

// How ESC is written in logs and in code.
const COLOUR = /(?:\u001b|\\{1,4}(?:u001[bB]|x1[bB]|0?33|e)|\^\[)(?:\[[0-9;:?]{0,40}[A-Za-z]|\([A-Z0-9])/g;

/** Whether a text may hold an escape sequence of a terminal; most are done with here. */
function mayColour(text: string): boolean {
  return text.includes("\u001b") || text.includes("^[") || (text.includes("\\") && text.includes("["));
}

/** The text with blanks in place of the escape sequences of terminals (`ESC[32m`), unit by unit; they may be written out (`\u001b`, `\x1b`, `\033`, `^[`). */
export function blankColours(text: string): string {
  return mayColour(text) ? text.replace(COLOUR, (sequence) => " ".repeat(sequence.length)) : text;
}

/** Where escape sequences of terminals stand in a text, in order. */
export function coloursIn(text: string): readonly { readonly start: number; readonly end: number }[] {
  return mayColour(text) ? Array.from(text.matchAll(COLOUR), ({ index, 0: { length } }) => ({ start: index, end: index + length })) : [];
}

// One whose last digit would be the first of a number or an address behind it.
const GLUED = /(?:%|\\u[0-9A-Fa-f]{2}|\\x)[0-9A-Fa-f]{2}(?=[0-9A-Fa-f])/g;
const NOTHING = "\0";

/** The text without escapes that stand for a sign and touch a digit or a letter of hex behind them, unit by unit; nothing where it has none. */
export function withoutGluedEscapes(text: string): string | undefined {
  if (!text.includes("%") && !text.includes("\\")) return undefined;
  let isChanged = false;
  const read = text.replace(GLUED, (escape) => {
    const digits = escape.startsWith("%") ? 1 : 2;
    if (isAlphanumeric(Number.parseInt(escape.slice(digits), 16))) return escape;
    isChanged = true;
    return NOTHING.repeat(escape.length);
  });
  return isChanged ? read : undefined;
}
