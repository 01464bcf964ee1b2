import type { RandomHex } from "../base/random-hex.ts";
import type { InvocationContext } from "../wire/gen/interceptors.ts";
import type { Message } from "../wire/message.ts";
import { metaOf } from "./parts.ts";

// Version ff is none, and one after 00 may have more behind a dash (W3C Trace Context, Versioning of traceparent).
const TRACEPARENT = /^(?!ff|00-.{53})[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/;

export interface Trace extends Required<Pick<InvocationContext, "traceId" | "spanId">> {
  /** The span is one that the message names, not one that was made up here. */
  readonly given?: true;
}

/** The trace that a request or a notification belongs to: from its `_meta.traceparent` (W3C Trace Context) if well formed, else a new one. */
export function traceOf(message: Message, randomHex: RandomHex): Trace {
  const parent = metaOf(message, "traceparent");
  const match = typeof parent === "string" ? TRACEPARENT.exec(parent) : null;
  const [traceId, spanId] = [match?.[1], match?.[2]];
  if (traceId !== undefined && spanId !== undefined && !/^0+$/.test(traceId) && !/^0+$/.test(spanId)) return { traceId, spanId, given: true };
  return { traceId: randomHex(16), spanId: randomHex(8) };
}
