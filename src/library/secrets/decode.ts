import { utf8Decode } from "../../core/base/bytes.ts";
import type { Span } from "../detect/detector.ts";
import { base64Bytes, base64Value, hexBytes } from "../encoded-bytes.ts";

/** A text in another form, and where each of its units starts and ends in the one that it was read from. */
export interface View {
  readonly text: string;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", "/": "/", '"': '"', "'": "'", "\\": "\\" };

// So many escapes in a row are an encoding, and no sign within a text.
const FEWEST_IN_ROW = 8;

// Letters and digits of full width, and their hyphen and underscore; other full-width signs are punctuation of Chinese and Japanese.
const WIDE = /[\uff0d\uff10-\uff19\uff21-\uff3a\uff3f\uff41-\uff5a]/;
const TO_ASCII = 0xfee0;

/**
 * The text without escapes of JSON, of URLs and of HTML (`\/`, `\u002d`, `%3A`, `&#45;`), and without letters of full width; nothing where it has none. What is escaped letter by letter is one unit as to its place:
 * all of it stands for each.
 */
export function unescaped(text: string): View | undefined {
  if (!text.includes("\\") && !text.includes("%") && !text.includes("&#") && !text.includes("&quot;:") && !WIDE.test(text)) return undefined;
  const pieces: string[] = [];
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  let length = 0;
  let done = 0;
  const copyTo = (end: number) => {
    if (end > done) pieces.push(text.slice(done, end));
    for (let at = done; at < end; at++) {
      starts[length] = at;
      ends[length++] = at + 1;
    }
  };
  // The unit that a row of escapes starts with, while it goes on.
  let row = 0;
  const endRow = () => {
    if (length - row < FEWEST_IN_ROW) return;
    starts.fill(starts[row]!, row, length);
    ends.fill(ends[length - 1]!, row, length);
  };
  let isChanged = false;
  for (let at = nextEscape(text, 0); at !== -1; at = nextEscape(text, Math.max(at + 1, done))) {
    const { read, width } = readEscape(text, at);
    if (read === undefined) continue;
    if (at > done || !isChanged) {
      endRow();
      copyTo(at);
      row = length;
    }
    isChanged = true;
    pieces.push(read);
    for (let unit = 0; unit < read.length; unit++) {
      starts[length] = at;
      ends[length++] = at + width;
    }
    done = at + width;
  }
  if (!isChanged) return undefined;
  endRow();
  copyTo(text.length);
  return { text: pieces.join(""), starts, ends };
}

/** The text as a terminal shows it, without its colours, in order. */
export function withoutColours(text: string, colours: readonly Span[]): View {
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  const pieces: string[] = [];
  let length = 0;
  let done = 0;
  const copyTo = (stop: number) => {
    pieces.push(text.slice(done, stop));
    for (; done < stop; length++) {
      starts[length] = done;
      ends[length] = ++done;
    }
  };
  for (const { start, end } of colours) {
    copyTo(start);
    done = end;
  }
  copyTo(text.length);
  return { text: pieces.join(""), starts, ends };
}

const ESCAPE = new RegExp(`[\\\\%]|&(?=#|quot;)|${WIDE.source}`, "g");

function nextEscape(text: string, from: number): number {
  ESCAPE.lastIndex = from;
  return ESCAPE.test(text) ? ESCAPE.lastIndex - 1 : -1;
}

// Other names stand for what no name or value is told by, and are in every page.
const QUOTE = "&quot;";
const LAST_CODE = 0x10ffff;
// The semicolon may be left out.
const REFERENCE = /&#(?:0{0,4}([0-9]{2,7})|[xX]0{0,4}([0-9A-Fa-f]{2,6}));?/y;

function readReference(text: string, at: number): { readonly read?: string; readonly width: number } {
  if (text.startsWith(QUOTE, at)) return { read: '"', width: QUOTE.length };
  REFERENCE.lastIndex = at;
  const found = REFERENCE.exec(text);
  if (found === null) return { width: 1 };
  const code = found[1] === undefined ? Number.parseInt(found[2] ?? "", 16) : Number.parseInt(found[1], 10);
  return code <= LAST_CODE ? { read: String.fromCodePoint(code), width: found[0].length } : { width: 1 };
}

function readEscape(text: string, at: number): { readonly read?: string; readonly width: number } {
  const code = text.charCodeAt(at);
  if (code === 0x26) return readReference(text, at);
  if (code >= 0x80) return { read: String.fromCharCode(code - TO_ASCII), width: 1 };
  if (text.charAt(at) === "%") return readHex(text, at + 1, 2, 3);
  const next = text.charAt(at + 1);
  if (next === "u") return readHex(text, at + 2, 4, 6);
  if (next === "x") return readHex(text, at + 2, 2, 4);
  const read = Object.hasOwn(ESCAPES, next) ? ESCAPES[next] : undefined;
  return read === undefined ? { width: 1 } : { read, width: 2 };
}

// A byte beyond ASCII is read as some letter: it is a part of one, and what secrets are told by is ASCII.
function readHex(text: string, start: number, digits: number, width: number): { readonly read?: string; readonly width: number } {
  const hex = text.slice(start, start + digits);
  if (hex.length < digits || !/^[0-9A-Fa-f]+$/.test(hex)) return { width: 1 };
  return { read: String.fromCharCode(Number.parseInt(hex, 16)), width };
}

const SHORTEST_ENCODED = 16;
const HEX = /^(?:[0-9a-f]{2})+$|^(?:[0-9A-F]{2})+$/;

/** What a run of token characters says in hex or in Base64 of either alphabet, padded or not, if that is text. */
export function decodedRun(run: string): string | undefined {
  if (run.length < SHORTEST_ENCODED) return undefined;
  return (HEX.test(run.slice(0, 64)) && HEX.test(run) ? textOf(hexBytes(run)) : undefined) ?? textOfBase64(run);
}

/** What hex says whose bytes colons part (`67:68:70:5f`), if that is text. */
export function decodedColons(run: string): string | undefined {
  return COLONS.test(run) ? textOf(hexBytes(run.replaceAll(":", ""))) : undefined;
}

const COLONS = /^[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2})+$/;

function textOfBase64(run: string): string | undefined {
  // Most runs are names, which say nothing in Base64: that shows at once.
  return beginsText(run) ? textOf(base64Bytes(run.replace(/={1,2}$/, ""))) : undefined;
}

/** Whether the first twelve letters of Base64 are nine bytes of text. */
function beginsText(run: string): boolean {
  let awaited = 0;
  for (let at = 0; at < 12 && awaited >= 0; at += 4) {
    const group =
      (base64Value(run.charCodeAt(at)) << 18) | (base64Value(run.charCodeAt(at + 1)) << 12) | (base64Value(run.charCodeAt(at + 2)) << 6) | base64Value(run.charCodeAt(at + 3));
    if (group < 0) return false;
    for (let shift = 16; shift >= 0 && awaited >= 0; shift -= 8) awaited = awaitedAfter(awaited, (group >> shift) & 0xff);
  }
  return awaited >= 0;
}

/** The bytes as text if they are UTF-8 without control characters but white space, which a text that was cut short may end within. */
function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined || bytes.length === 0) return undefined;
  let awaited = 0;
  for (const byte of bytes) {
    awaited = awaitedAfter(awaited, byte);
    if (awaited < 0) return undefined;
  }
  return utf8Decode(bytes);
}

/** How many bytes of a character are still to come after one more, of which `awaited` were; -1 if there is no such text. */
function awaitedAfter(awaited: number, byte: number): number {
  if (awaited > 0) return (byte & 0xc0) === 0x80 ? awaited - 1 : -1;
  if (byte < 0x80) return byte < 0x7f && (byte >= 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) ? 0 : -1;
  if (byte < 0xc2 || byte > 0xf4) return -1;
  return byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
}
