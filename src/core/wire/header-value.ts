import { base64Decode, base64Encode, utf8DecodeExact, utf8Encode } from "../base/bytes.ts";

// The form in which a header carries what a header may not: Base64 of the UTF-8, between markers whose case counts (2026-07-28, Value Encoding).
const OPEN = "=?base64?";
const CLOSE = "?=";

/**
 * A text as the value of a header: as it is where it has nothing but visible ASCII and inner spaces, else in the Base64 form. So no name can
 * smuggle in a line break, and no value reads like the encoding of another.
 */
export function encodeHeaderValue(text: string): string {
  return isPlain(text) && !looksEncoded(text) ? text : OPEN + base64Encode(utf8Encode(text)) + CLOSE;
}

/** What {@link encodeHeaderValue} was given; `undefined` for a value with characters that a header may not have, and for broken Base64 or UTF-8. */
export function decodeHeaderValue(value: string): string | undefined {
  const trimmed = trimOws(value);
  if (!looksEncoded(trimmed)) return isFieldValue(trimmed) ? trimmed : undefined;
  // The markers may not share the question mark: `=?base64?=` holds nothing.
  const bytes = trimmed.length < OPEN.length + CLOSE.length ? undefined : base64Decode(trimmed.slice(OPEN.length, -CLOSE.length));
  return bytes === undefined ? undefined : utf8DecodeExact(bytes);
}

/** White space around a value is no part of it (RFC 9110, section 5.5). */
export function trimOws(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start++;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--;
  return start === 0 && end === value.length ? value : value.slice(start, end);
}

function looksEncoded(text: string): boolean {
  return text.startsWith(OPEN) && text.endsWith(CLOSE);
}

function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return text === "" || (text.charCodeAt(0) !== 0x20 && text.charCodeAt(text.length - 1) !== 0x20);
}

// Visible ASCII, spaces and tabs (RFC 9110, section 5.5, without its obsolete bytes).
function isFieldValue(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== 0x09) || code > 0x7e) return false;
  }
  return true;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
