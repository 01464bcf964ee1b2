import { isJsonOf } from "../core/base/json-of.ts";
import { isObject } from "../core/base/json.ts";

/**
 * A tool's result whose text blocks that were JSON of its structured content are so again. Text by text both are redacted alike, but for a number,
 * which becomes a string in data and breaks the JSON in text. A copy that is still one keeps its spelling.
 */
export function withCopies(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after;
  const { content, structuredContent: old } = before;
  const { content: redacted, structuredContent: now } = after;
  if (now === old || !Array.isArray(content) || !Array.isArray(redacted)) return after;
  const repeated = redacted.map((block: unknown, index) => {
    const was: unknown = content[index];
    if (!isObject(was) || !isObject(block) || was["type"] !== "text" || !isJsonOf(was["text"], old) || isJsonOf(block["text"], now)) return block;
    return { ...block, text: JSON.stringify(now) };
  });
  return { ...after, content: repeated };
}
