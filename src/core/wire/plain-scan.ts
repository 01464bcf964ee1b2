import { DEFAULT_MAX_DEPTH } from "../base/json.ts";

/** Why a text was refused, and where: `offset` in UTF-16 code units, `pointer` to the value or to the second key. */
export interface Refusal {
  readonly code: "syntax" | "duplicate_key" | "case_variant_key" | "depth" | "size" | "number_range";
  readonly offset: number;
  readonly pointer: string;
  readonly message: string;
}

/** Reads a text as JSON under limits. Never throws. */
export type Scan = (
  text: string,
  options: { readonly maxDepth?: number; readonly maxBytes?: number },
) => { readonly value: unknown; readonly refusal?: undefined } | { readonly value?: undefined; readonly refusal: Refusal };

/**
 * The platform's parser under our limits, for embedders that take duplicate keys as it does: the last one wins. It tells no offsets
 * of bad syntax, and does not see what parsers disagree on.
 */
export const plainScan: Scan = (text, { maxDepth = DEFAULT_MAX_DEPTH, maxBytes = Infinity }) => {
  const tooLarge = text.length > maxBytes || (text.length * 3 > maxBytes && utf8Length(text) > maxBytes);
  if (tooLarge) return { refusal: { code: "size", offset: 0, pointer: "", message: `the text is larger than ${maxBytes} bytes` } };
  const tooDeep = firstPast(text, maxDepth);
  if (tooDeep >= 0) {
    return { refusal: { code: "depth", offset: tooDeep, pointer: "", message: `the text is nested deeper than ${maxDepth} levels` } };
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { refusal: { code: "syntax", offset: 0, pointer: "", message: "the text is no JSON" } };
  }
};

function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    const pair = code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    bytes += code < 0x800 ? 1 : 2;
    if (pair) at++;
  }
  return bytes;
}

// Where the nesting first goes past a depth, or -1.
function firstPast(text: string, maxDepth: number): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) return at;
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
    }
  }
  return -1;
}
