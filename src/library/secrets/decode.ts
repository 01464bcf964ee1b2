import { base64Decode } from "../../core/base/bytes.ts";

/** A text in another form, and where each of its units stood in the one that it was read from; one more for the end. */
export interface View {
  readonly text: string;
  readonly places: Uint32Array;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", "/": "/", '"': '"', "'": "'", "\\": "\\" };

/** The text without escapes of JSON and of URLs (`\/`, `\u002d`, `%3A`); nothing where it has none. */
export function unescaped(text: string): View | undefined {
  if (!text.includes("\\") && !text.includes("%")) return undefined;
  const pieces: string[] = [];
  const places = new Uint32Array(text.length + 1);
  let length = 0;
  let done = 0;
  const copyTo = (end: number) => {
    if (end > done) pieces.push(text.slice(done, end));
    for (let at = done; at < end; at++) places[length++] = at;
  };
  let isChanged = false;
  for (let at = nextEscape(text, 0); at !== -1; at = nextEscape(text, Math.max(at + 1, done))) {
    const { read, width } = readEscape(text, at);
    if (read === undefined) continue;
    isChanged = true;
    copyTo(at);
    pieces.push(read);
    places[length++] = at;
    done = at + width;
  }
  if (!isChanged) return undefined;
  copyTo(text.length);
  places[length] = text.length;
  return { text: pieces.join(""), places };
}

const ESCAPE = /[\\%]/g;

function nextEscape(text: string, from: number): number {
  ESCAPE.lastIndex = from;
  return ESCAPE.test(text) ? ESCAPE.lastIndex - 1 : -1;
}

function readEscape(text: string, at: number): { readonly read?: string; readonly width: number } {
  if (text.charAt(at) === "%") return readHex(text, at + 1, 2, 3);
  const next = text.charAt(at + 1);
  if (next === "u") return readHex(text, at + 2, 4, 6);
  const read = Object.hasOwn(ESCAPES, next) ? ESCAPES[next] : undefined;
  return read === undefined ? { width: 1 } : { read, width: 2 };
}

// Only ASCII: what else URLs encode takes several escapes, and is in no secret.
function readHex(text: string, start: number, digits: number, width: number): { readonly read?: string; readonly width: number } {
  const hex = text.slice(start, start + digits);
  const code = /^[0-9A-Fa-f]+$/.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : Number.NaN;
  return code < 0x80 ? { read: String.fromCharCode(code), width } : { width: 1 };
}

const SHORTEST_ENCODED = 16;
const HEX = /^(?:[0-9a-f]{2})+$|^(?:[0-9A-F]{2})+$/;

/** What a run of token characters says in hex or in Base64 of either alphabet, padded or not, if that is text. */
export function decodedRun(run: string): string | undefined {
  if (run.length < SHORTEST_ENCODED) return undefined;
  return (HEX.test(run.slice(0, 64)) && HEX.test(run) ? textOf(hexBytes(run)) : undefined) ?? textOfBase64(run);
}

function textOfBase64(run: string): string | undefined {
  // Most runs are names, which say nothing in Base64: that shows at once.
  for (let at = 0; at < 12; at += 4) if (!saysText(run, at)) return undefined;
  return textOf(decodeBase64Run(run));
}

/** Whether four letters of Base64 are three characters of text. */
function saysText(run: string, at: number): boolean {
  const group = (letter(run, at) << 18) | (letter(run, at + 1) << 12) | (letter(run, at + 2) << 6) | letter(run, at + 3);
  return group >= 0 && isTextByte(group >> 16) && isTextByte((group >> 8) & 0xff) && isTextByte(group & 0xff);
}

function letter(run: string, at: number): number {
  const code = run.charCodeAt(at);
  if (code >= 0x61) return code <= 0x7a ? code - 71 : -1;
  if (code >= 0x41) return code <= 0x5a ? code - 65 : code === 0x5f ? 63 : -1;
  if (code >= 0x30) return code <= 0x39 ? code + 4 : -1;
  return code === 0x2b || code === 0x2d ? 62 : code === 0x2f ? 63 : -1;
}

export function decodeBase64Run(run: string): Uint8Array | undefined {
  const body = run.replace(/={1,2}$/, "").replaceAll("+", "-").replaceAll("/", "_");
  const whole = body.length % 4 === 1 ? body.slice(0, -1) : body;
  // A text that was cut short has stray bits in its last letter.
  return base64Decode(whole, "url") ?? base64Decode(whole.slice(0, whole.length - (whole.length % 4)), "url");
}

function hexBytes(run: string): Uint8Array {
  const bytes = new Uint8Array(run.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(run.slice(at * 2, at * 2 + 2), 16);
  return bytes;
}

const CHUNK = 8_192;

/** The bytes as text if they are ASCII without control characters but white space: a secret is. */
function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined || bytes.length === 0) return undefined;
  for (const byte of bytes) if (!isTextByte(byte)) return undefined;
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK) pieces.push(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  return pieces.join("");
}

function isTextByte(byte: number): boolean {
  return byte < 0x7f && (byte >= 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
}
