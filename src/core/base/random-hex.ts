import { toHex } from "./bytes.ts";
import type { Host } from "./host.ts";

/** Gives the lower-case hexadecimal digits of as many random bytes: names that are unique, and no secrets. */
export type RandomHex = (bytes: number) => string;

// A call to the runtime's random source costs 4 µs on Node 20, whatever the size, and each judged message wants 24 bytes.
const POOL_BYTES = 1536;

export function createRandomHex(host: Host): RandomHex {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return (bytes) => {
    if (used + bytes > POOL_BYTES) {
      host.random(pool);
      used = 0;
    }
    used += bytes;
    return toHex(pool, used - bytes, used);
  };
}
