import { itemSpans, skipSpace } from "../base/json-spans.ts";
import { scanJson } from "../base/json-text.ts";
import type { Limits } from "../base/limits.ts";
import { isRequest, isResult, type Message, type RequestId } from "../wire/message.ts";

/** The one revision in which several messages may come as one (2025-03-26, basic/index, Batching). Both sides must be able to read that. */
const BATCH_VERSION = "2025-03-26";

/**
 * Takes batches apart, so that nothing above ever sees one: each message goes its own way, and is answered on its own, as answers need not be
 * batched. Nothing is to be learnt of a connection but its revision.
 */
export interface Batches {
  /** Told of each message, in either direction: the answer to `initialize` says which revision is spoken. */
  learn(message: Message, direction: "in" | "out"): void;
  /** The messages of a batch, as their exact sources; `undefined` for any other text, and in any other revision. */
  split(text: string): string[] | undefined;
}

export function createBatches(limits: Limits): Batches {
  let spoken = false;
  let opening: { readonly id: RequestId; readonly direction: "in" | "out" } | undefined;
  return {
    learn(message, direction) {
      if (isRequest(message)) {
        if (message.method === "initialize") opening = { id: message.id, direction };
      } else if (opening !== undefined && isResult(message) && message.id === opening.id && direction !== opening.direction) {
        opening = undefined;
        spoken = message.result["protocolVersion"] === BATCH_VERSION;
      }
    },
    split(text) {
      if (!spoken || text[skipSpace(text, 0)] !== "[") return undefined;
      // One level more than a message may have. What is refused here is refused as one, by whoever decodes it.
      const { refusal } = scanJson(text, { maxDepth: limits.maxDepth + 1, maxBytes: limits.maxMessageBytes });
      if (refusal !== undefined) return undefined;
      const items = itemSpans(text);
      return items.length === 0 || items.length > limits.maxQueuedFrames ? undefined : items.map(({ start, end }) => text.slice(start, end));
    },
  };
}
