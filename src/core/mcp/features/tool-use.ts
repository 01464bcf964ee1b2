import { ownMember } from "../../base/json.ts";
import type { SamplingMessage } from "../../wire/gen/mcp.ts";

/**
 * What is wrong with the uses of tools in a conversation that a model goes on with: results of tools stand alone in a message of the user's,
 * and each use of a tool is answered in the next message (2025-11-25, client/sampling, Message Content Constraints).
 */
export function problemOfToolUse(messages: readonly SamplingMessage[]): string | undefined {
  let owed: ReadonlySet<unknown> = new Set();
  for (const { role, content } of messages) {
    const blocks = Array.isArray(content) ? content : [content];
    const results = blocks.filter(({ type }) => type === "tool_result");
    if (results.length > 0 && (results.length < blocks.length || role !== "user")) {
      return "results of tools stand in user messages that hold nothing else";
    }
    const given = new Set(results.map((block) => ownMember(block, "toolUseId")));
    for (const id of owed) if (!given.has(id)) return "a use of a tool has no result in the message after it";
    for (const id of given) if (!owed.has(id)) return "a result of a tool answers nothing";
    owed = new Set(blocks.filter(({ type }) => type === "tool_use").map((block) => ownMember(block, "id")));
  }
  return owed.size === 0 ? undefined : "a use of a tool has no result in the message after it";
}
