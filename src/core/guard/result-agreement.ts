import { isJsonOf } from "../base/json-of.ts";
import { equalJson, isObject, ownMember, type JsonObject } from "../base/json.ts";

/**
 * Why the text and the structured content of a tool's result, as mutators have left it, do not belong together; undefined where they do. MCP
 * advises to give structured content as text, too (server/tools, Structured Content). Where the result before had a text block whose text was the
 * JSON of its structured content, a copy of it, and the mutators changed either, then
 * - no text block may be a copy of the old content any more, if the content has changed or is gone;
 * - a text block must be a copy of the new content, if there is any.
 *
 * So what is redacted in one is redacted in both, or refused. A result without such a copy is nobody's business here.
 */
export function disagreement(before: JsonObject, after: JsonObject): string | undefined {
  const old = ownMember(before, "structuredContent");
  if (old === undefined) return undefined;
  const copies = copiesOf(before, old);
  if (copies.length === 0) return undefined;
  const now = ownMember(after, "structuredContent");
  if (equalJson(old, now)) {
    return copiesOf(after, old).length > 0 ? undefined : "the text that repeats structuredContent has changed, and structuredContent has not";
  }
  if (copiesOf(after, old).length > 0) return "structuredContent has changed, and the text that repeats it has not";
  if (now === undefined || copiesOf(after, now).length > 0) return undefined;
  return "the text that repeats structuredContent has changed in another way than structuredContent";
}

// The text blocks that are JSON of the same value.
function copiesOf(result: JsonObject, value: unknown): unknown[] {
  const content = ownMember(result, "content");
  if (!Array.isArray(content)) return [];
  return content.filter((block: unknown) => isObject(block) && block["type"] === "text" && isJsonOf(ownMember(block, "text"), value));
}
