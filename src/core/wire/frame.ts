import type { Message } from "./message.ts";

/** One message as it travels. `text`, where there is any, is its exact source, without the line ending. */
export interface Frame {
  readonly message: Message;
  readonly text?: string;
}
