import type { Host } from "../base/host.ts";
import type { InvocationContext } from "../wire/gen/interceptors.ts";
import type { Message } from "../wire/message.ts";
import { metaOf } from "./routes.ts";

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/** Lower-case hexadecimal digits of as many random bytes. */
export function randomHex(host: Host, bytes: number): string {
  let text = "";
  for (const byte of host.random(new Uint8Array(bytes))) text += byte.toString(16).padStart(2, "0");
  return text;
}

export type Trace = Required<Pick<InvocationContext, "traceId" | "spanId">>;

/** The trace that a request or a notification belongs to: from its `_meta.traceparent` (W3C Trace Context) if well formed, else a new one. */
export function traceOf(message: Message, host: Host): Trace {
  const parent = metaOf(message, "traceparent");
  const match = typeof parent === "string" ? TRACEPARENT.exec(parent) : null;
  const [traceId, spanId] = [match?.[1], match?.[2]];
  if (traceId !== undefined && spanId !== undefined && !/^0+$/.test(traceId) && !/^0+$/.test(spanId)) return { traceId, spanId };
  return { traceId: randomHex(host, 16), spanId: randomHex(host, 8) };
}
