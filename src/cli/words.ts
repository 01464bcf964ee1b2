import { UsageError } from "./errors.ts";

/**
 * Splits a command line into words as a POSIX shell would: blanks separate, single quotes keep everything, double quotes keep all but `\"`
 * and `\\`, a backslash keeps the next character. Nothing is expanded, and no shell is run.
 */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: "'" | '"' | undefined;
  for (let index = 0; index < line.length; index++) {
    const char = line[index] ?? "";
    if (quote !== undefined) {
      if (char === quote) quote = undefined;
      else if (quote === '"' && char === "\\" && /["\\]/.test(line[index + 1] ?? "")) word = (word ?? "") + (line[++index] ?? "");
      else word = (word ?? "") + char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "\\") {
      const next = line[++index];
      if (next === undefined) throw new UsageError(`the command ends in a backslash: ${line}`);
      word = (word ?? "") + next;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote !== undefined) throw new UsageError(`the command has an unclosed ${quote}: ${line}`);
  if (word !== undefined) words.push(word);
  return words;
}

/** A word as a POSIX shell takes it for one. */
export function quoteWord(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Whether a word is meant as the URL of a server, rather than as a command or a path. */
export function isHttpUrl(word: string): boolean {
  return /^https?:\/\//i.test(word);
}
