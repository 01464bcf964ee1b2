import { textOfUnits, utf8Decode } from "../core/base/bytes.ts";
import { LocalError } from "../core/base/errors.ts";
import { base64Bytes, base64Value, hexBytes, hexValue } from "./encoded-bytes.ts";
import { withoutEntities } from "./markup.ts";

// Texts can be written in ways that say the same: what a policy looks for is looked for in all of them.

/** How often one encoding may lie within another. */
const MAX_LAYERS = 3;
// All decodings together, as a multiple of the text: honest text has a few encoded runs, and each layer is shorter than the one around it.
const MAX_GROWTH = 8;
const LEAST_BUDGET_CHARS = 65_536;
const SHORTEST_BASE64 = 16;
// In characters; the last line of many is short.
const SHORTEST_LINE = 4;
/** Of as many characters, one may be a control character or broken in what is text all the same. */
const STRANGE_AMONG = 20;

/**
 * The text itself, and what it says where parts of it are JSON-escaped, URL-encoded, written as character references of HTML, Base64 (either alphabet, padded or not) or hexadecimal, in one piece or in groups, and so on
 * within those, three layers deep. Linear. Throws `limit_exceeded` for text that is made to have ever more of them, which blocks.
 */
export function decodings(text: string): readonly string[] {
  const all = [text];
  let budget = Math.max(LEAST_BUDGET_CHARS, text.length * MAX_GROWTH);
  let from = 0;
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const end = all.length;
    for (; from < end; from++) {
      for (const decoded of decodedOnce(all[from] ?? "")) {
        budget -= decoded.length;
        if (budget < 0) throw new LocalError("limit_exceeded", "a text has too many encoded parts to be judged");
        all.push(decoded);
      }
    }
  }
  return all;
}

function decodedOnce(text: string): readonly string[] {
  const found: string[] = [];
  push(found, withoutEscapes(text));
  if (text.includes("%")) {
    const plain = text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => textOf(hexBytes(run.replaceAll("%", ""))) ?? run);
    if (plain !== text) found.push(plain);
  }
  const shown = withoutEntities(text);
  if (shown !== text) found.push(shown);
  for (const run of base64Runs(text)) {
    const decoded = /^(?:[0-9A-Fa-f]{2})+$/.test(run) ? textOf(hexBytes(run)) : undefined;
    push(found, decoded ?? textOfBase64(run));
  }
  for (const run of groupedRuns(text)) push(found, /^(?:[0-9A-Fa-f]{2})+$/.test(run) ? textOf(hexBytes(run)) : textOfBase64(run));
  return found;
}

const SHORTEST_GROUPED = 32;
const FEWEST_GROUPS = 4;
// Two of them part two groups at most.
const BETWEEN = " \t\r\n:,;.|-";

/** Base64 and hex that are written in groups of one length (`4f 70 65`, `0x4f, 0x70`, `SWdu b3Jl`), without what parts them; the last group may be shorter. */
function groupedRuns(text: string): readonly string[] {
  const runs: string[] = [];
  let [start, end, length, groups] = [0, 0, 0, 0];
  const close = () => {
    if (groups >= FEWEST_GROUPS && groups * length >= SHORTEST_GROUPED) runs.push(text.slice(start, end).replace(/(?<![A-Za-z0-9+/_])0x/g, "").replace(/[^A-Za-z0-9+/_]+/g, ""));
    groups = 0;
  };
  // No pattern: most words end here, and a search for each would cost more than all else.
  for (let at = 0; at < text.length; at++) {
    if (!isOfGroup(text.charCodeAt(at))) continue;
    const from = at;
    while (isOfGroup(text.charCodeAt(at))) at++;
    const chars = at - from - (at - from > 2 && text.charCodeAt(from + 1) === 0x78 && text.charCodeAt(from) === 0x30 ? 2 : 0);
    const isNext = groups > 0 && chars <= length && from - end <= 2 && BETWEEN.includes(text.charAt(end)) && BETWEEN.includes(text.charAt(from - 1));
    if (!isNext) close();
    if (!isNext) [start, length] = [from, chars];
    end = at;
    // One character is no group.
    groups = chars > 1 || isNext ? groups + 1 : 0;
    if (isNext && chars < length) close();
  }
  close();
  return runs;
}

/** As Base64 has them, but for the hyphen, which parts groups. */
function isOfGroup(code: number): boolean {
  return code !== 0x2d && base64Value(code) >= 0;
}

// By character code: what a letter behind a backslash stands for; 0 for what is no escape.
const ESCAPES = new Uint8Array(128);
for (const [letter, stands] of ['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"]) ESCAPES[letter!.charCodeAt(0)] = stands!.charCodeAt(0);

/** The text without the escapes of JSON, and `\x`; nothing where it has none. By code units: a text of escapes alone would be a call of a function for each of them. */
function withoutEscapes(text: string): string | undefined {
  const first = text.indexOf("\\");
  if (first === -1) return undefined;
  const units = new Uint16Array(text.length - first);
  let end = 0;
  let escapes = 0;
  for (let at = first; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const next = unit === 0x5c ? text.charCodeAt(at + 1) : 0;
    const plain = next < 128 ? ESCAPES[next]! : 0;
    const digits = next === 0x75 ? 4 : next === 0x78 ? 2 : 0;
    const code = digits === 0 ? plain : hexUnit(text, at + 2, digits);
    if (digits === 0 ? plain === 0 : code < 0) {
      units[end++] = unit;
      continue;
    }
    units[end++] = code;
    at += 1 + digits;
    escapes++;
  }
  return escapes === 0 ? undefined : text.slice(0, first) + textOfUnits(units, end);
}

function hexUnit(text: string, start: number, digits: number): number {
  let unit = 0;
  for (let at = start; at < start + digits; at++) {
    const value = hexValue(text.charCodeAt(at));
    if (value < 0) return -1;
    unit = unit * 16 + value;
  }
  return unit;
}

function push(into: string[], text: string | undefined): void {
  if (text !== undefined) into.push(text);
}

/** Runs of Base64 characters that are long enough to say something; one that goes on in the next line, as mail and tools write it, is one. */
export function base64Runs(text: string): readonly string[] {
  const runs: string[] = [];
  // An expression would look at each word once for each of its letters.
  for (let at = 0; at < text.length; at++) {
    const start = at;
    at = endOfRun(text, at);
    if (at - start < SHORTEST_BASE64) continue;
    let run = text.slice(start, at);
    for (let next = nextLine(text, at); next !== undefined; next = nextLine(text, at)) {
      at = endOfRun(text, next);
      run += text.slice(next, at);
    }
    runs.push(run);
  }
  return runs;
}

function endOfRun(text: string, start: number): number {
  let at = start;
  while (base64Value(text.charCodeAt(at)) >= 0) at++;
  return at;
}

/** Where the next line goes on with Base64. */
function nextLine(text: string, end: number): number | undefined {
  let at = end;
  while (isBlank(text.charCodeAt(at))) at++;
  if (text[at] === "\r") at++;
  if (text[at] !== "\n") return undefined;
  at++;
  while (isBlank(text.charCodeAt(at))) at++;
  return endOfRun(text, at) - at >= SHORTEST_LINE ? at : undefined;
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}

/**
 * What a run of Base64 characters says, if that is text: of either alphabet, or both, with whatever bits are left at its end. It may have begun before the
 * encoded part did, so each of the four ways to read it is tried until one makes sense.
 */
function textOfBase64(run: string): string | undefined {
  for (let start = 0; start < 4 && run.length - start >= SHORTEST_BASE64; start++) {
    // Most runs are words, whose bytes are noise, as their first part shows already.
    const first = base64Bytes(run.slice(start, start + Math.ceil(run.length / 8)));
    if (first === undefined || isNoise(first, Math.floor(((run.length - start) * 3) / 4))) continue;
    const bytes = base64Bytes(run, start);
    const text = bytes === undefined ? undefined : textOf(bytes);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** What a value that is Base64 as a whole says, if that is text; undefined for anything else. Linear. */
export function textInBase64(value: string): string | undefined {
  const bytes = base64Bytes(value.replace(/[\s=]+/g, ""));
  return bytes === undefined ? undefined : textOf(bytes);
}

// Bytes that are no text say nothing. A few may be broken: the run was cut, or has something else at its ends.
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || isNoise(bytes, bytes.length)) return undefined;
  const text = utf8Decode(bytes);
  let strange = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0xfffd || isControl(unit)) strange++;
  }
  return strange * STRANGE_AMONG > text.length ? undefined : text;
}

/** Whether bytes hold more that is strange than a text of so many may. Where they are but the first of them, "no" says nothing. */
function isNoise(bytes: Uint8Array, ofAll: number): boolean {
  let strange = 0;
  for (let at = 0, before = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (isControl(byte)) strange++;
    // Each is one U+FFFD at least: what is in no sequence, and a sequence that ends before its second byte.
    if (byte >= 0x80 && byte < 0xc0 ? before < 0x80 : before >= 0xc2) strange++;
    if (strange * STRANGE_AMONG > ofAll) return true;
    before = byte;
  }
  return false;
}

function isControl(code: number): boolean {
  return code < 0x09 || (code > 0x0d && code < 0x20) || code === 0x7f;
}
