import { scanJson, type Refusal } from "../../core/base/json-text.ts";
import { sourceAt } from "../../core/base/json-spans.ts";
import { leftOpen } from "./jsonc-open.ts";
import { repair, withoutMadeUp, withoutRepeated } from "./jsonc-repair.ts";
import { createPlaces, type Locate, type Place } from "./places.ts";

export interface Fault {
  readonly place: Place | undefined;
  readonly pointer: string;
  readonly message: string;
}

/** A text that was read, or why it was not: `message` says what is wrong at `place` and what to do, and quotes a character at most. */
export type ReadText =
  | { readonly value: unknown; readonly locate: Locate; readonly fault?: undefined }
  | {
      readonly value?: undefined;
      readonly locate?: undefined;
      readonly fault: Fault;
      /** What is wrong behind it, as far as that can be told. */
      readonly more?: readonly Fault[];
      /** What was surely meant, where that is clear: to look for other faults in, and for nothing else. */
      readonly meant?: { readonly value: unknown; readonly locate: Locate };
    };

/**
 * Reads JSON with comments, of a line and of several, and with a comma after the last member or item, which lets lines be moved about. All else is
 * as strict as the wire: a name that stands twice, a number that no double holds and deep nesting are refused. Never throws.
 */
export function readJsonc(text: string): ReadText {
  const placeOf = createPlaces(text);
  const plain = blank(text);
  if (typeof plain === "number") return { fault: { place: placeOf(plain), pointer: "", message: "a comment begins here that does not end; close it with */" } };
  const { value, refusal } = scanJson(plain, { maxBytes: MAX_BYTES });
  if (refusal === undefined) return { value, locate: locator(plain, placeOf) };
  return readOn(plain, refusal, placeOf);
}

const MAX_FAULTS = 20;

// Mends what is wrong, fault by fault, to see what else is.
function readOn(plain: string, first: Refusal, placeOf: (offset: number) => Place): ReadText {
  const faultOf = (text: string, { code, offset, pointer, message }: Refusal): Fault => ({
    place: placeOf(offset),
    // The end of the text belongs to what is open there, and not to the last of what is not.
    pointer: withoutMadeUp((offset >= text.length ? leftOpen(text)?.pointer : undefined) ?? pointer),
    message: code === "syntax" ? explain(text, offset) : (REASONS.get(code) ?? message),
  });
  const fault = faultOf(plain, first);
  const more: Fault[] = [];
  let text = plain;
  let refusal = first;
  let sure = true;
  while (more.length < MAX_FAULTS) {
    const repaired = repair(text, refusal, more.length);
    if (repaired === undefined) break;
    text = repaired.text;
    sure &&= repaired.sure;
    const read = scanJson(text, { maxBytes: MAX_BYTES });
    if (read.refusal === undefined) return { fault, more, ...(sure ? { meant: { value: withoutRepeated(read.value), locate: locator(text, placeOf) } } : {}) };
    // A repair that did not help tells nothing of what comes behind it.
    if (read.refusal.offset <= refusal.offset) break;
    refusal = read.refusal;
    more.push(faultOf(text, refusal));
  }
  return { fault, more };
}

const MAX_BYTES = 4 * 1024 * 1024;

const REASONS: ReadonlyMap<string, string> = new Map([
  ["duplicate_key", "this name stands twice in one object; keep one of the two"],
  ["number_range", "this number is too large"],
]);

/** A text that {@link readJsonc} accepts as JSON: spaces stand for what JSON has not, and every offset is what it was. */
export function withoutComments(text: string): string {
  const plain = blank(text);
  return typeof plain === "number" ? text : plain;
}

// The same text with spaces for what JSON has not, so that every offset stays what it was; or the offset of a comment that does not end.
function blank(text: string): string | number {
  const erased: (readonly [start: number, end: number])[] = text.startsWith("\ufeff") ? [[0, 1]] : [];
  // The last two offsets that hold more than space and comments.
  let last = -1;
  let before = -1;
  for (let at = erased.length; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === " " || char === "\n" || char === "\r" || char === "\t") continue;
    if (char === "/" && (text[at + 1] === "/" || text[at + 1] === "*")) {
      const end = text[at + 1] === "/" ? lineEnd(text, at) : text.indexOf("*/", at + 2) + 2;
      if (end === 1) return at;
      erased.push([at, end]);
      at = end - 1;
      continue;
    }
    // A comma needs something before it: `[,]` stays what it is.
    const closes = char === "}" || char === "]";
    if (closes && text[last] === "," && !"[{,:".includes(text[before] ?? "[")) erased.push([last, last + 1]);
    before = last;
    last = at;
    if (char === '"') at = stringEnd(text, at);
  }
  let plain = "";
  let copied = 0;
  for (const [start, end] of erased.sort(([left], [right]) => left - right)) {
    plain += text.slice(copied, start) + text.slice(start, end).replace(/[^\r\n]/g, " ");
    copied = end;
  }
  return plain + text.slice(copied);
}

function lineEnd(text: string, at: number): number {
  while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at++;
  return at;
}

// The offset of the closing quote, or of the end of the line: a string has no line break, and the next line is read for what it is.
function stringEnd(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === '"' || char === "\n" || char === "\r") return at;
  }
  return text.length;
}

function explain(plain: string, offset: number): string {
  const char = plain[offset];
  if (plain.trim() === "") return "the file is empty; it takes an object in braces";
  if (char === undefined) return "the file ends too early: a bracket, a brace or a quote is not closed";
  const before = plain.slice(0, offset).trimEnd().at(-1) ?? "";
  if (char === "'") return "texts take double quotes";
  if (char === "\n" || char === "\r") return "a text ends with the line that it begins in: a double quote is missing";
  if (/["{[\w-]/.test(char) && /["}\]\w]/.test(before)) return before === '"' ? "a comma or a colon is missing before this" : "a comma is missing before this";
  if (/[A-Za-z_$]/.test(char)) return before === "{" || before === "," ? "names of members take double quotes" : "texts take double quotes; other words are true, false and null";
  return `${JSON.stringify(char)} cannot stand here`;
}

function locator(plain: string, placeOf: (offset: number) => Place): Locate {
  return (pointer, part) => {
    const span = sourceAt(plain, pointer);
    if (span === undefined) return undefined;
    return placeOf(part === "name" ? nameStart(plain, span.start) : span.start);
  };
}

// Back from a member's value over the colon to the quote that opens its name; an item of a list, and the root, have none.
function nameStart(plain: string, value: number): number {
  const colon = lastBefore(plain, value);
  if (plain[colon] !== ":") return value;
  const closing = lastBefore(plain, colon);
  for (let at = plain.lastIndexOf('"', closing - 1); at >= 0; at = plain.lastIndexOf('"', at - 1)) {
    if (/(?<!\\)(?:\\\\)*$/.test(plain.slice(Math.max(0, at - 64), at))) return at;
  }
  return value;
}

function lastBefore(plain: string, at: number): number {
  do at--;
  while (at > 0 && /\s/.test(plain[at] ?? ""));
  return at;
}
