import { joinBytes } from "./bytes.ts";
import { sha256 } from "./sha256.ts";

const BLOCK_BYTES = 64;

/** HMAC-SHA256 (RFC 2104) without the platform; 32 bytes. For short texts, as {@link sha256}. */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const short = key.length > BLOCK_BYTES ? sha256(key) : key;
  const padded = (pad: number, rest: Uint8Array) => {
    const block = new Uint8Array(BLOCK_BYTES).fill(pad);
    short.forEach((byte, at) => (block[at] = byte ^ pad));
    return sha256(joinBytes([block, rest]));
  };
  return padded(0x5c, padded(0x36, message));
}
