import { isJsonOf } from "../core/base/json-of.ts";
import { isObject, setMember, type JsonObject } from "../core/base/json.ts";

/**
 * A tool's result whose text blocks that were JSON of its structured content are so again. What is masked in one of them is masked in all: a text may show by what
 * stands around a value what it is. Where the text is no JSON any more, as a number has become a mask in it, the structured content says how it goes on. A copy
 * that is still one keeps its spelling.
 */
export function withCopies(before: unknown, after: unknown): unknown {
  if (after === before || !isObject(before) || !isObject(after)) return after;
  const { content, structuredContent: old } = before;
  const { content: edited, structuredContent: data } = after;
  if (old === undefined || !Array.isArray(content) || !Array.isArray(edited)) return after;
  const copies = new Map<number, string>();
  for (const [index, was] of content.entries()) {
    const block: unknown = edited[index];
    if (isTextBlock(was) && isTextBlock(block) && isJsonOf(was.text, old)) copies.set(index, block.text);
  }
  let now: unknown = data;
  for (const text of copies.values()) if (!isJsonOf(text, now)) now = withTextsOf(parsed(text), old, now);
  const repeated = edited.map((block: unknown, index) => {
    const text = copies.get(index);
    return text === undefined || isJsonOf(text, now) ? block : { ...(block as JsonObject), text: JSON.stringify(now) };
  });
  return { ...after, content: repeated, structuredContent: now };
}

function isTextBlock(block: unknown): block is { readonly type: "text"; readonly text: string } {
  return isObject(block) && block["type"] === "text" && typeof block["text"] === "string";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the data has become, with those texts of the copy that have changed where the data has not. Members that were renamed are left as the data has them. */
function withTextsOf(copy: unknown, old: unknown, now: unknown): unknown {
  if (typeof old === "string") return now === old && typeof copy === "string" ? copy : now;
  if (Array.isArray(old) && Array.isArray(now) && Array.isArray(copy) && copy.length === now.length) return now.map((item, index) => withTextsOf(copy[index], old[index], item));
  if (!isObject(old) || !isObject(now) || !isObject(copy)) return now;
  const merged: JsonObject = {};
  for (const name of Object.keys(now)) setMember(merged, name, Object.hasOwn(old, name) && Object.hasOwn(copy, name) ? withTextsOf(copy[name], old[name], now[name]) : now[name]);
  return merged;
}
