import { formatPointer, type JsonObject } from "../../core/base/json.ts";
import { sourceAt } from "../../core/base/json-spans.ts";
import { withoutComments } from "./jsonc.ts";

/** A client's file with other entries, as a text. */
export interface EditedText {
  readonly text: string;
  /** Servers that had comments in their entries, which are gone with them. */
  readonly uncommented: readonly string[];
}

/**
 * Puts entries in the place of those of the same names below `member` of a file that `readJsonc` accepts, in the file's own indentation and line ends. All
 * else of it stays as it is to the character.
 */
export function replaceEntries(text: string, member: string, entries: ReadonlyMap<string, JsonObject>): EditedText {
  const plain = withoutComments(text);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const unit = /\n([ \t]+)\S/.exec(plain)?.[1] ?? "";
  const spans = [...entries]
    .flatMap(([name, entry]) => {
      const span = sourceAt(plain, formatPointer([member, name]));
      return span === undefined ? [] : [{ name, entry, ...span }];
    })
    .sort((left, right) => left.start - right.start);
  let edited = "";
  let copied = 0;
  for (const { entry, start, end } of spans) {
    const indent = /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", start - 1) + 1, start))?.[0] ?? "";
    // Where the file is in one line, so is what is put in.
    const lines = JSON.stringify(entry, null, unit).split("\n");
    edited += text.slice(copied, start) + lines.join(unit === "" ? "" : `${newline}${indent}`);
    copied = end;
  }
  const uncommented = spans.filter(({ start, end }) => /\/[/*]/.test(erased(text, plain, start, end))).map(({ name }) => name);
  return { text: edited + text.slice(copied), uncommented };
}

// What stands in the text and not in the plain one: comments, and commas after the last.
function erased(text: string, plain: string, start: number, end: number): string {
  let characters = "";
  for (let at = start; at < end; at++) if (text[at] !== plain[at]) characters += text[at] ?? "";
  return characters;
}
