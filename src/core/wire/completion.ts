import { LocalError } from "../base/errors.ts";
import type { LlmCompletionRequest, LlmCompletionResponse, LlmContent, LlmContentBlock } from "./gen/completion.ts";

/** What interceptors see of calls of language models (SEP-2624 names the event `llm/completion`; the payloads are ours, see `spec/completion.schema.json`). */
export interface CompletionPayloads {
  "llm/completion": { request: LlmCompletionRequest; response: LlmCompletionResponse };
}

/** The content as blocks: a plain text is one block of it. The list is the message's own where it has one. Throws `invalid_argument` for what is neither. */
export function blocksOf(content: LlmContent): readonly LlmContentBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) throw new LocalError("invalid_argument", "the content of a message is a text or a list of blocks");
  return content;
}

/** All text blocks as one text, with nothing between them. What is in tool calls, tool results and resources is not part of it. */
export function textOf(content: LlmContent): string {
  if (typeof content === "string") return content;
  let text = "";
  for (const block of blocksOf(content)) if (block.type === "text") text += block.text;
  return text;
}
