import type { JsonObject } from "../../base/json.ts";
import { badAnswer, badRequest, requireAnswer, requireParams, type AskedMethod, type InputContext } from "./client-asked.ts";
import {
  checkCreateMessageParams,
  checkCreateMessageResult,
  type CreateMessageParams,
  type CreateMessageResult,
} from "../../wire/gen/mcp.ts";
import { problemOfToolUse } from "./tool-use.ts";

/** Has a model answer for a server (MCP, Sampling). What it throws is answered as an error. */
export type SamplingHandler = (params: CreateMessageParams, context: InputContext) => CreateMessageResult | Promise<CreateMessageResult>;

/** What the handler can do; it is announced to servers as a capability. */
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
