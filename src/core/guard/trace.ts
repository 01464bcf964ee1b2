import type { Host } from "../base/host.ts";
import type { InvocationContext } from "../wire/gen/interceptors.ts";
import type { Message } from "../wire/message.ts";
import { metaOf } from "./routes.ts";

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/** Gives the lower-case hexadecimal digits of as many random bytes: names that are unique, and no secrets. */
export type RandomHex = (bytes: number) => string;

// A call to the runtime's random source costs 4 µs on Node 20, whatever the size, and each judged message wants 24 bytes.
const POOL_BYTES = 1536;
const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function createRandomHex(host: Host): RandomHex {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return (bytes) => {
    if (used + bytes > POOL_BYTES) {
      host.random(pool);
      used = 0;
    }
    let text = "";
    for (const end = used + bytes; used < end; used++) text += DIGITS[pool[used]!];
    return text;
  };
}

export type Trace = Required<Pick<InvocationContext, "traceId" | "spanId">>;

/** The trace that a request or a notification belongs to: from its `_meta.traceparent` (W3C Trace Context) if well formed, else a new one. */
export function traceOf(message: Message, randomHex: RandomHex): Trace {
  const parent = metaOf(message, "traceparent");
  const match = typeof parent === "string" ? TRACEPARENT.exec(parent) : null;
  const [traceId, spanId] = [match?.[1], match?.[2]];
  if (traceId !== undefined && spanId !== undefined && !/^0+$/.test(traceId) && !/^0+$/.test(spanId)) return { traceId, spanId };
  return { traceId: randomHex(16), spanId: randomHex(8) };
}
