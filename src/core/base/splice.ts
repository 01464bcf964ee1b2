import { LocalError } from "./errors.ts";
import { editBetween, listChanges, type Change, type Edit, type ListEdit, type ObjectEdit } from "./json-diff.ts";
import { closingQuote, keyText, memberValue, skipSpace, valueEnd } from "./json-spans.ts";

/** The new text, and where it says something else than the old one (in the order that `diffJson` documents). */
export interface Spliced {
  readonly text: string;
  readonly changes: readonly Change[];
}

/**
 * JSON text of `after`, made from `text`, the source of `before` (accepted by `scanJson`), so that a mutation alters what it means to and
 * nothing else: big integers, `1.10`, escapes, white space and key order of whatever is untouched are copied byte for byte. A
 * changed value is written as `JSON.stringify` writes it; a removed member or item goes with its comma; added members come
 * last. The same string comes back where nothing changed. Both values are plain JSON of bounded depth (see `cloneJson`); a text that is
 * not the source of `before` throws a `LocalError` of code `invalid_argument`.
 */
export function splice(text: string, before: unknown, after: unknown): Spliced {
  const edit = editBetween(before, after);
  if (edit === undefined) return { text, changes: [] };
  return { text: applyEdit(text, edit), changes: listChanges(edit) };
}

/** The text alone, where nobody asks what changed. */
export function spliceText(text: string, before: unknown, after: unknown): string {
  const edit = editBetween(before, after);
  return edit === undefined ? text : applyEdit(text, edit);
}

function applyEdit(text: string, edit: Edit): string {
  const output = createOutput(text);
  const start = skipSpace(text, 0);
  output.copy(0, start);
  output.copy(writeValue(output, edit, start), text.length);
  return output.join();
}

// Each writer takes the offset of a value in the source and returns the offset past it. A member or item runs from the separator before
// it to the one after it, white space included; the white space before a closing bracket belongs to the bracket.

function writeValue(output: Output, edit: Edit, at: number): number {
  if (edit.kind === "object") return writeObject(output, edit, at);
  if (edit.kind === "list") return writeList(output, edit, at);
  if (edit.kind === "replace") output.put(toText(edit.value));
  return valueEnd(output.source, at);
}

function writeObject(output: Output, edit: ObjectEdit, open: number): number {
  const { source } = output;
  expect(source, open, "{");
  output.copy(open, open + 1);
  let written = 0;
  let met = 0;
  let end = open + 1;
  for (let start: number | undefined = end; start !== undefined; ) {
    const quote = skipSpace(source, start);
    if (source[quote] === "}" && end === start) break;
    expect(source, quote, '"');
    const closing = closingQuote(source, quote);
    const value = memberValue(source, closing);
    const change = edit.members.get(keyText(source, quote, closing));
    if (change !== undefined) met++;
    end = writePart(output, change, start, value, written);
    if (change?.kind !== "remove") written++;
    start = afterComma(source, end);
  }
  if (met !== edit.members.size) throw foreignText();
  for (const [name, value] of edit.added) output.put(`${written++ > 0 ? "," : ""}${JSON.stringify(name)}:${toText(value)}`);
  return closeBracket(output, end, "}");
}

function writeList(output: Output, edit: ListEdit, open: number): number {
  const { source } = output;
  expect(source, open, "[");
  output.copy(open, open + 1);
  const changed = edit.start + edit.items.length;
  let written = 0;
  let end = open + 1;
  let start: number | undefined = source[skipSpace(source, end)] === "]" ? undefined : end;
  for (let index = 0; index <= edit.length; index++) {
    if (index === changed + edit.removed) for (const item of edit.added) output.put((written++ > 0 ? "," : "") + toText(item));
    if (index === edit.length) break;
    if (start === undefined) throw foreignText();
    const removed = index >= changed && index < changed + edit.removed;
    const change: Edit | undefined = removed ? { kind: "remove" } : edit.items[index - edit.start];
    end = writePart(output, change, start, skipSpace(source, start), written);
    if (!removed) written++;
    start = afterComma(source, end);
  }
  if (start !== undefined) throw foreignText();
  return closeBracket(output, end, "]");
}

function writePart(output: Output, change: Edit | undefined, start: number, value: number, written: number): number {
  const { source } = output;
  if (change?.kind === "remove") return valueEnd(source, value);
  // The comma of the source where there is one, as it joins its neighbours to one stretch.
  if (written > 0 && source[start - 1] === ",") output.copy(start - 1, start);
  else if (written > 0) output.put(",");
  output.copy(start, value);
  const end = change === undefined ? valueEnd(source, value) : writeValue(output, change, value);
  if (change === undefined) output.copy(value, end);
  const next = skipSpace(source, end);
  if (source[next] === ",") output.copy(end, next);
  return end;
}

function afterComma(source: string, end: number): number | undefined {
  const next = skipSpace(source, end);
  return source[next] === "," ? next + 1 : undefined;
}

function closeBracket(output: Output, end: number, bracket: string): number {
  const at = skipSpace(output.source, end);
  expect(output.source, at, bracket);
  output.copy(end, at + 1);
  return at + 1;
}

function expect(source: string, at: number, character: string): void {
  if (source[at] !== character) throw foreignText();
}

function foreignText(): LocalError {
  return new LocalError("invalid_argument", "the text is not the source of the value that it is spliced with");
}

function toText(value: unknown): string {
  // Undefined for what is no JSON at all, which the library's type does not say.
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new LocalError("not_json", "a value that JSON cannot carry was to be spliced in");
  return text;
}

interface Output {
  readonly source: string;
  /** Appends a stretch of the source. */
  copy(start: number, end: number): void;
  put(text: string): void;
  join(): string;
}

function createOutput(source: string): Output {
  const pieces: string[] = [];
  // The stretch that is to be copied next: neighbours are joined first, so that untouched members cost no piece each.
  let from = 0;
  let to = 0;
  const flush = () => {
    if (to > from) pieces.push(source.slice(from, to));
    from = to = 0;
  };
  return {
    source,
    copy(start, end) {
      if (start !== to) {
        flush();
        from = start;
      }
      to = end;
    },
    put(text) {
      flush();
      pieces.push(text);
    },
    join() {
      flush();
      return pieces.join("");
    },
  };
}
