import { sha256 } from "../../core/base/sha256.ts";

// Without 0, O, I and l. By character code: one more than the value, so that 0 is no digit.
const DIGITS = new Uint8Array(128);
[..."123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"].forEach((digit, value) => (DIGITS[digit.charCodeAt(0)] = value + 1));

// What ids are at most, since the time that it takes grows with the square of the length.
const MOST_CHARS = 100;

/** The bytes of a number in base 58, as Bitcoin writes it; nothing where something else is in it, or where it is longer than ids are. */
export function base58Bytes(text: string): Uint8Array | undefined {
  if (text.length > MOST_CHARS) return undefined;
  // The lowest byte comes first.
  const bytes: number[] = [];
  let zeros = 0;
  for (let at = 0; at < text.length; at++) {
    let carry = (DIGITS[text.charCodeAt(at)] ?? 0) - 1;
    if (carry < 0) return undefined;
    if (carry === 0 && zeros === at) zeros++;
    for (let index = 0; index < bytes.length; index++) {
      carry += bytes[index]! * 58;
      bytes[index] = carry & 0xff;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff);
  }
  return Uint8Array.from([...new Array<number>(zeros).fill(0), ...bytes.reverse()]);
}

const CHECK_BYTES = 4;

/** Whether the last four bytes are the start of the digest of the digest of those before, as in Base58Check. */
export function endsInDigest(bytes: Uint8Array): boolean {
  const body = bytes.length - CHECK_BYTES;
  const digest = sha256(sha256(bytes.subarray(0, body)));
  return bytes.subarray(body).every((byte, index) => byte === digest[index]);
}
