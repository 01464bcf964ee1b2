// What Base64 and hex stand for where they are found in a text: of either alphabet or both, unpadded, cut short, with stray bits at the end.

// By character code: one more than the value, so that 0 is no letter.
const BASE64 = new Uint8Array(128);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((letter, value) => (BASE64[letter.charCodeAt(0)] = value + 1));
BASE64[0x2d] = 63;
BASE64[0x5f] = 64;

/** The six bits of a letter of Base64; -1 for any other code, `=` too. */
export function base64Value(code: number): number {
  // A place that the table does not have would make each look-up slow; past the end of a text there is no number.
  return code < 128 ? BASE64[code]! - 1 : -1;
}

/** The bytes of what is Base64 from `start` on; nothing if something else is in it. */
export function base64Bytes(run: string, start = 0): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor(((run.length - start) * 3) / 4));
  let end = 0;
  let bits = 0;
  for (let at = start, held = 0; at < run.length; at++) {
    const value = base64Value(run.charCodeAt(at));
    if (value < 0) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[end++] = bits >> held;
  }
  return bytes.subarray(0, end);
}

/** The bytes of an even number of hex digits. */
export function hexBytes(digits: string): Uint8Array {
  const bytes = new Uint8Array(digits.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = (hexValue(digits.charCodeAt(at * 2)) << 4) | hexValue(digits.charCodeAt(at * 2 + 1));
  return bytes;
}

/** The four bits of a hex digit; -1 for any other code. */
export function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1;
}
