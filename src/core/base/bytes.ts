import type { Host } from "./host.ts";

/** Bytes that the text takes as UTF-8; a lone surrogate counts as the three of U+FFFD, which takes its place. */
export function utf8Length(text: string): number {
  const length = text.length;
  let bytes = length;
  for (let at = 0; at < length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else {
      bytes += 2;
      // A pair: two units, four bytes.
      if (isHigh(unit) && isLow(text.charCodeAt(at + 1))) at++;
    }
  }
  return bytes;
}

/** UTF-8 of a text: the platform's encoder where the host has one, else our own. A lone surrogate becomes U+FFFD, as WHATWG says. */
export function utf8Encode(text: string, host?: Pick<Host, "utf8">): Uint8Array {
  if (host?.utf8 !== undefined) return host.utf8.encode(text);
  const bytes = new Uint8Array(utf8Length(text));
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    let code = text.charCodeAt(at);
    if (code >= 0xd800 && code < 0xe000) {
      const next = text.charCodeAt(at + 1);
      if (isHigh(code) && isLow(next)) {
        code = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
        at++;
      } else code = 0xfffd;
    }
    if (code < 0x80) bytes[end++] = code;
    else {
      if (code < 0x800) bytes[end++] = 0xc0 | (code >> 6);
      else {
        if (code < 0x10000) bytes[end++] = 0xe0 | (code >> 12);
        else {
          bytes[end++] = 0xf0 | (code >> 18);
          bytes[end++] = 0x80 | ((code >> 12) & 0x3f);
        }
        bytes[end++] = 0x80 | ((code >> 6) & 0x3f);
      }
      bytes[end++] = 0x80 | (code & 0x3f);
    }
  }
  return bytes;
}

/**
 * Text of UTF-8 bytes: the platform's decoder where the host has one, else our own. What is malformed becomes U+FFFD, one for each maximal
 * part of a sequence, as WHATWG says. A leading byte order mark is kept: whether it may stand there is for the caller to judge (in a
 * message it may not, and JSON refuses it).
 */
export function utf8Decode(bytes: Uint8Array, host?: Pick<Host, "utf8">): string {
  if (host?.utf8 !== undefined) return host.utf8.decode(bytes);
  const pieces: string[] = [];
  // One sequence adds three at most.
  const units = new Uint16Array(Math.min(bytes.length, PIECE_UNITS) + 3);
  let end = 0;
  // The sequence being read: its code point so far, continuation bytes that it still wants, and the range of the next one, which is
  // narrower after E0, ED, F0 and F4 (overlong forms, surrogates, past U+10FFFF).
  let code = 0;
  let wanted = 0;
  let lower = 0x80;
  let upper = 0xbf;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (wanted > 0) {
      if (byte >= lower && byte <= upper) {
        code = (code << 6) | (byte & 0x3f);
        lower = 0x80;
        upper = 0xbf;
        if (--wanted > 0) continue;
        if (code < 0x10000) units[end++] = code;
        else {
          units[end++] = 0xd7c0 + (code >> 10);
          units[end++] = 0xdc00 | (code & 0x3ff);
        }
        continue;
      }
      // The broken sequence ends before this byte, which is read on its own.
      units[end++] = 0xfffd;
      wanted = 0;
      lower = 0x80;
      upper = 0xbf;
    }
    if (end >= PIECE_UNITS) {
      pieces.push(textOfUnits(units, end));
      end = 0;
    }
    if (byte < 0x80) units[end++] = byte;
    else if (byte >= 0xc2 && byte <= 0xdf) {
      wanted = 1;
      code = byte & 0x1f;
    } else if (byte >= 0xe0 && byte <= 0xef) {
      wanted = 2;
      code = byte & 0x0f;
      if (byte === 0xe0) lower = 0xa0;
      if (byte === 0xed) upper = 0x9f;
    } else if (byte >= 0xf0 && byte <= 0xf4) {
      wanted = 3;
      code = byte & 0x07;
      if (byte === 0xf0) lower = 0x90;
      if (byte === 0xf4) upper = 0x8f;
    } else units[end++] = 0xfffd;
  }
  if (wanted > 0) units[end++] = 0xfffd;
  pieces.push(textOfUnits(units, end));
  return pieces.join("");
}

// As many arguments as every engine takes.
const PIECE_UNITS = 8_000;

/** The text of the first `end` UTF-16 code units. */
export function textOfUnits(units: Uint16Array, end: number): string {
  const pieces: string[] = [];
  // What `apply` takes is anything with a length.
  for (let at = 0; at < end; at += PIECE_UNITS) pieces.push(String.fromCharCode.apply(undefined, units.subarray(at, Math.min(end, at + PIECE_UNITS)) as unknown as number[]));
  return pieces.length === 1 ? pieces[0]! : pieces.join("");
}

/** Text of bytes that are UTF-8, all of them; `undefined` for others, which {@link utf8Decode} would read like bytes that they are not. */
export function utf8DecodeExact(bytes: Uint8Array, host?: Pick<Host, "utf8">): string | undefined {
  const text = utf8Decode(bytes, host);
  // What is malformed became U+FFFD, so a text without it needs no second look.
  if (!text.includes("\ufffd")) return text;
  const again = utf8Encode(text, host);
  return again.length === bytes.length && again.every((byte, index) => byte === bytes[index]) ? text : undefined;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** All pieces in one, copied once; a single piece is given back as it is. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  let length = 0;
  for (const piece of pieces) length += piece.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** RFC 4648: `standard` is section 4, with padding; `url` is section 5, without. */
export type Base64Alphabet = "standard" | "url";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const ALPHABETS: { readonly [alphabet in Base64Alphabet]: string } = { standard: LETTERS + "+/", url: LETTERS + "-_" };

export function base64Encode(bytes: Uint8Array, alphabet: Base64Alphabet = "standard"): string {
  const letters = ALPHABETS[alphabet];
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const group = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    let piece = letters[group >> 18]! + letters[(group >> 12) & 63]!;
    if (left > 1) piece += letters[(group >> 6) & 63]!;
    if (left > 2) piece += letters[group & 63]!;
    else if (alphabet === "standard") piece += left > 1 ? "=" : "==";
    pieces.push(piece);
  }
  return pieces.join("");
}

/**
 * The bytes of a base64 text, or `undefined` where it is anything but what {@link base64Encode} writes: wrong alphabet, white space,
 * missing or unwanted padding, stray bits in the last letter. So no two texts stand for the same bytes.
 */
export function base64Decode(text: string, alphabet: Base64Alphabet = "standard"): Uint8Array | undefined {
  let length = text.length;
  if (alphabet === "standard") {
    if (length % 4 !== 0) return undefined;
    if (text.endsWith("==")) length -= 2;
    else if (text.endsWith("=")) length -= 1;
  }
  if (length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  let end = 0;
  let bits = 0;
  let held = 0;
  for (let at = 0; at < length; at++) {
    const value = letterValue(text.charCodeAt(at), alphabet);
    if (value < 0) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[end++] = bits >> held;
    }
  }
  return (bits & ((1 << held) - 1)) === 0 ? bytes : undefined;
}

function letterValue(code: number, alphabet: Base64Alphabet): number {
  if (code >= 0x41 && code <= 0x5a) return code - 0x41;
  if (code >= 0x61 && code <= 0x7a) return code - 0x61 + 26;
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 52;
  if (code === (alphabet === "url" ? 0x2d : 0x2b)) return 62;
  return code === (alphabet === "url" ? 0x5f : 0x2f) ? 63 : -1;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Lower-case hexadecimal digits of the bytes from `start` up to `end`. */
export function toHex(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = "";
  for (let at = start; at < end; at++) text += HEX[bytes[at]!];
  return text;
}
