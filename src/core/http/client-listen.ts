import type { Signal } from "../base/signal.ts";
import type { Frame } from "../wire/frame.ts";
import { isErrorResponse, isResult } from "../wire/message.ts";
import { readStream } from "./answer-reader.ts";
import type { Caller } from "./client-call.ts";
import { isFinal, isResumable, mediaTypeOf, type ExchangeParts } from "./client-exchange.ts";
import { STREAM_GET } from "./client-headers.ts";
import type { HeaderList, HttpAnswer } from "./exchange.ts";
import { pause, reconnectWait } from "./pause.ts";
import { HEADER } from "./routing-headers.ts";

export interface ListenParts extends ExchangeParts {
  readonly call: Caller;
  /** A message of the server that belongs to no request of ours. */
  arrive(frame: Frame): Promise<void>;
  /** The server had such a stream in this session, and knows the session no more. Settles when there is another one, or none to be had now; never rejects. */
  lost(): Promise<void>;
}

/**
 * Keeps a stream open for what a server says on its own (2025-03-26 to 2025-11-25, Listening for Messages), until the signal aborts or the server has
 * none (405 as a rule). Never rejects: such a stream is optional, and its failure says nothing of the session. After a cut it asks for
 * what it missed.
 */
export async function listen(headers: HeaderList, signal: Signal, parts: ListenParts): Promise<void> {
  const { call, host, log } = parts;
  let lastEventId = "";
  let retryMs: number | undefined;
  let failures = 0;
  let first = true;
  // A server that has no such stream may answer 404 as well.
  let opened = false;
  while (!signal.aborted) {
    const resuming = isResumable(lastEventId);
    const from: HeaderList = resuming ? [[HEADER.lastEventId, lastEventId]] : [];
    const answer = await call({ method: "GET", headers: [...STREAM_GET, ...headers, ...from], signal }).catch(() => undefined);
    if (answer !== undefined && answer.status === 200 && mediaTypeOf(answer) === "text/event-stream") {
      opened = true;
      const read = await readAll(answer, lastEventId, retryMs, parts);
      ({ lastEventId, retryMs } = read);
      if (read.heard) failures = 0;
    } else if (answer !== undefined) {
      answer.body.cancel();
      if (opened && answer.status === 404) await parts.lost();
      else if (isFinal(answer.status)) {
        if (resuming && answer.status !== 405) {
          // What was missed is gone for good.
          lastEventId = "";
          continue;
        }
        return log({ level: "debug", message: "the server offers no stream of its own messages", details: { httpStatus: answer.status } });
      }
      retryMs = undefined;
    }
    // Nobody waits for this stream, so it keeps no process alive.
    await pause(host, reconnectWait(retryMs, failures++, first), signal, true);
    first = false;
  }
}

async function readAll({ body }: HttpAnswer, lastEventId: string, retryMs: number | undefined, parts: ListenParts) {
  const reader = readStream(body, parts, { lastEventId, retryMs });
  try {
    for (let item = await reader.next(); item !== undefined; item = await reader.next()) {
      if (item.frame === undefined) parts.broken(item.invalid);
      else if (isResult(item.frame.message) || isErrorResponse(item.frame.message)) parts.stray(item.frame);
      else await parts.arrive(item.frame);
    }
  } catch {
    // Cut, or nobody takes messages any more: then the signal has aborted.
    body.cancel();
  }
  return { lastEventId: reader.lastEventId, retryMs: reader.retryMs, heard: reader.heard };
}
