import { describeError, ErrorCode, RpcError } from "../base/errors.ts";
import type { Message, RequestId, RequestMessage } from "../wire/message.ts";
import { isStatelessVersion } from "../wire/versions.ts";
import type { Judgement } from "./judge.ts";
import type { GuardPolicy } from "./options.ts";
import { paramsOf } from "./routes.ts";

/**
 * The message that answers a refused request, or stands in for a refused response. `request` is the request as it came; its result would
 * have gone to whoever reads this.
 */
export function answerTo(request: RequestMessage, refusal: NonNullable<Judgement["refusal"]>, policy: GuardPolicy, version: string | undefined): Message {
  let { error } = refusal;
  const other = refusal.by === undefined || policy.answerAs === undefined || !Object.hasOwn(policy.answerAs, refusal.by) ? undefined : policy.answerAs[refusal.by];
  if (other !== undefined && refusal.by !== undefined) {
    try {
      error = other({ method: request.method, params: paramsOf(request), interceptor: refusal.by, error });
    } catch (thrown) {
      // The owner's mapping failed: the plain answer is still a block.
      error = new RpcError(error.code, `${error.message} (answerAs failed: ${policy.exposeErrors === true ? describeError(thrown) : "see the log"})`);
    }
    return errorAnswer(request.id, error);
  }
  if (policy.blockAs === "result" && request.method === "tools/call") {
    const result = { content: [{ type: "text", text: textOf(error) }], isError: true };
    return { jsonrpc: "2.0", id: request.id, result: isStatelessVersion(version) ? { resultType: "complete", ...result } : result };
  }
  return errorAnswer(request.id, error);
}

export function errorAnswer(id: RequestId, error: RpcError): Message {
  return { jsonrpc: "2.0", id, error: error.toJson() };
}

/** What is answered where a message could not be judged. */
export function unjudgeable(): RpcError {
  return new RpcError(ErrorCode.internalError, "Interceptor execution failed", { reason: "unavailable" });
}

/** What is answered where too many messages are being judged already. */
export function overloaded(): RpcError {
  return new RpcError(ErrorCode.internalError, "Too many messages are being checked; try again later", { reason: "overloaded" });
}

function textOf(error: RpcError): string {
  const data: unknown = error.data;
  const list = typeof data === "object" && data !== null && "validationErrors" in data ? data.validationErrors : undefined;
  if (!Array.isArray(list)) return error.message;
  const reasons = list.map((item: { interceptor?: unknown; message?: unknown }) => `${String(item.interceptor)}: ${String(item.message)}`);
  return [error.message, ...reasons].join("\n");
}
