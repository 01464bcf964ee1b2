import { toHex, utf8Encode } from "../base/bytes.ts";
import { canonicalText } from "../base/canonical-text.ts";
import type { Host } from "../base/host.ts";
import { hmacSha256 } from "../base/hmac.ts";

/** What stands for a value that an interceptor may not read. */
export type Digester = (value: unknown) => string;

export const DIGEST_PREFIX = "digest:";
const KEY_BYTES = 64;
const KEPT_BYTES = 16;

/**
 * Digests of JSON values: `digest:` and 32 hexadecimal digits, the first half of an HMAC-SHA256 (RFC 2104) over the value's text with sorted
 * members. Equal values have equal digests. The key is random, never leaves the process, and is made on first use: without it nobody can try out
 * what a short value might be. Throws `host_missing` where the host has no random source.
 */
export function createDigester(host: Host): Digester {
  let key: Uint8Array | undefined;
  return (value) => {
    key ??= host.random(new Uint8Array(KEY_BYTES));
    return DIGEST_PREFIX + toHex(hmacSha256(key, utf8Encode(canonicalText(value), host)), 0, KEPT_BYTES);
  };
}
