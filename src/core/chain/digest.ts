import { utf8Encode } from "../base/bytes.ts";
import { canonicalText } from "../base/canonical-text.ts";
import type { Host } from "../base/host.ts";
import { sha256 } from "../base/sha256.ts";

/** What stands for a value that an interceptor may not read. */
export type Digester = (value: unknown) => string;

export const DIGEST_PREFIX = "digest:";
const BLOCK_BYTES = 64;
const KEPT_BYTES = 16;

/**
 * Digests of JSON values: `digest:` and 32 hexadecimal digits, the first half of an HMAC-SHA256 (RFC 2104) over the value's text with sorted
 * members. Equal values have equal digests. The key is random, never leaves the process, and is made on first use: without it nobody can try out
 * what a short value might be. Throws `host_missing` where the host has no random source.
 */
export function createDigester(host: Host): Digester {
  let key: Uint8Array | undefined;
  const padded = (pad: number, message: Uint8Array) => {
    key ??= host.random(new Uint8Array(BLOCK_BYTES));
    const bytes = new Uint8Array(BLOCK_BYTES + message.length);
    for (let at = 0; at < BLOCK_BYTES; at++) bytes[at] = key[at]! ^ pad;
    bytes.set(message, BLOCK_BYTES);
    return sha256(bytes);
  };
  return (value) => {
    const digest = padded(0x5c, padded(0x36, utf8Encode(canonicalText(value), host)));
    let text = DIGEST_PREFIX;
    for (let at = 0; at < KEPT_BYTES; at++) text += digest[at]!.toString(16).padStart(2, "0");
    return text;
  };
}
