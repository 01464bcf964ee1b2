import type { Limits } from "../base/limits.ts";
import type { ErrorObject, Message, RequestId } from "./message.ts";

/** One message as it travels. `text`, where there is any, is its exact source, without the line ending. */
export interface Frame {
  readonly message: Message;
  readonly text?: string;
}

/**
 * A text that is no valid message. `id` is set where a usable one could be read: then `answers` tells whether the text is a broken
 * response (its request must not wait for ever) or a broken request (it is owed one answer, which is `error`).
 */
export interface InvalidFrame {
  readonly error: ErrorObject;
  readonly id?: RequestId;
  readonly answers?: boolean;
}

export type Decoded = { readonly frame: Frame; readonly invalid?: undefined } | { readonly frame?: undefined; readonly invalid: InvalidFrame };

/** Reads the text of one message: strict JSON (see json-text.ts), then classification (see message.ts). */
export function decodeFrame(text: string, _limits: Limits): Decoded {
  // Being replaced on the branch that owns this file by the strict scanner and the full classification.
  return { frame: { message: JSON.parse(text) as Message, text } };
}
