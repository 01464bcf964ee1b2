import { ErrorCode, RpcError } from "../base/errors.ts";
import { equalJson, isObject, ownMember, type JsonObject } from "../base/json.ts";
import type { ChainResult } from "../chain/result.ts";
import { isResult, type Message } from "../wire/message.ts";
import { paramsOf } from "./parts.ts";
import { disagreement } from "./result-agreement.ts";
import type { ToolSchemas } from "./tool-schemas.ts";

/** Why the result of a tool cannot go on as mutators have left it. */
export interface BrokenResult {
  readonly why: string;
  readonly by: string;
  readonly error: RpcError;
}

/**
 * Looks at a tool's result once the last mutator is done: it must still fit the output schema that the tool advertises (what mutators have not
 * touched is not theirs to answer for), and its text and structured content must belong together. `tool` is the name as the asker knows it.
 */
export function brokenResult(before: unknown, result: ChainResult, tool: string | undefined, schemas: ToolSchemas): BrokenResult | undefined {
  const after = result.finalPayload;
  if (!isObject(before) || !isObject(after)) return undefined;
  const why = (tool === undefined ? undefined : schemaBreak(before, after, tool, schemas)) ?? disagreement(before, after);
  if (why === undefined) return undefined;
  // No single mutator has to be at fault; the last one had it in its hands.
  const by = result.results.findLast(({ type, mode, modified }) => type === "mutation" && mode !== "audit" && modified === true)?.interceptor ?? "";
  const error = new RpcError(ErrorCode.internalError, "Interceptor mutation failed", { failedInterceptor: by, reason: "malformed_result" });
  return { why, by, error };
}

function schemaBreak(before: JsonObject, after: JsonObject, tool: string, schemas: ToolSchemas): string | undefined {
  if (ownMember(after, "isError") === true) return undefined;
  const touched = ["structuredContent", "isError"].some((member) => !equalJson(ownMember(before, member), ownMember(after, member)));
  return touched ? schemas.misfit(tool, ownMember(after, "structuredContent")) : undefined;
}

/** The tool that a request calls, by the name that its sender knows it by. */
export function calledTool(message: Message): string | undefined {
  if (!("method" in message) || message.method !== "tools/call") return undefined;
  const name = ownMember(paramsOf(message), "name");
  return typeof name === "string" ? name : undefined;
}

/** Takes note of tools that are being advertised. */
export function learnTools(method: string, message: Message, schemas: ToolSchemas): void {
  if (method === "tools/list" && isResult(message)) schemas.learn(message.result);
}
