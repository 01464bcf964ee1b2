import { ownMember, type JsonObject } from "../../base/json.ts";
import { badAnswer, badRequest, requireAnswer, requireParams, type AskedMethod, type InputContext } from "./client-asked.ts";
import {
  checkCreateMessageParams,
  checkCreateMessageResult,
  type CreateMessageParams,
  type CreateMessageResult,
  type SamplingMessage,
} from "../../wire/gen/mcp.ts";

export type SamplingHandler = (params: CreateMessageParams, context: InputContext) => CreateMessageResult | Promise<CreateMessageResult>;

export interface SamplingOptions {
  /** The handler's model can use the tools that a request brings along. Default false: such a request is refused. */
  readonly tools?: boolean;
  /** The handler looks at `includeContext` (deprecated since 2026-07-28). */
  readonly context?: boolean;
}

const METHOD = "sampling/createMessage";

/** Answers `sampling/createMessage`. Requests and answers are held to the rules of tool use (client/sampling). */
export function answerSampling(handler: SamplingHandler, { tools = false, context: includesContext = false }: SamplingOptions): AskedMethod {
  return {
    method: METHOD,
    capabilities: () => ({ sampling: { ...(tools ? { tools: {} } : {}), ...(includesContext ? { context: {} } : {}) } }),
    async answer(params, context) {
      requireParams(METHOD, checkCreateMessageParams(params));
      if (!tools && (params["tools"] !== undefined || params["toolChoice"] !== undefined)) {
        throw badRequest(METHOD, "this client has not announced sampling.tools");
      }
      // The check has just found it so.
      const asked = params as CreateMessageParams;
      const unbalanced = problemOfToolUse(asked.messages);
      if (unbalanced !== undefined) throw badRequest(METHOD, unbalanced);
      const answer: JsonObject = { ...(await handler(asked, context)) };
      requireAnswer(METHOD, checkCreateMessageResult(answer));
      return fitted(answer, context.protocolVersion);
    },
  };
}

// Before 2025-11-25 a message has one block of content, and no list.
function fitted(answer: JsonObject, version: string): JsonObject {
  const { content } = answer;
  if (!Array.isArray(content) || version >= "2025-11-25") return answer;
  if (content.length !== 1) throw badAnswer(METHOD, `revision ${version} takes one block of content, not ${content.length}`);
  return { ...answer, content: content[0] as unknown };
}

/** Results of tools stand alone in a message, and each use of a tool is answered in the next one. */
function problemOfToolUse(messages: readonly SamplingMessage[]): string | undefined {
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
