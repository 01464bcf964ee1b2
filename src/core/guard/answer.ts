import { describeError, ErrorCode, LocalError, RpcError } from "../base/errors.ts";
import { cloneJson } from "../base/json.ts";
import { describeProblem } from "../wire/check.ts";
import { errorFrame, resultFrame, type Frame } from "../wire/frame.ts";
import { checkErrorObject } from "../wire/gen/json-rpc.ts";
import type { ErrorObject, Message, RequestId, RequestMessage } from "../wire/message.ts";
import { isStatelessVersion } from "../wire/versions.ts";
import type { Judgement } from "./judge.ts";
import type { GuardPolicy } from "./options.ts";
import { paramsOf } from "./parts.ts";

type Refused = NonNullable<Judgement["refusal"]>;

/**
 * What answers a refused request, or stands in for a refused response. `request` is the request as it came; its result would have gone to
 * whoever reads this.
 */
export function answerTo(request: RequestMessage, refusal: Refused, policy: GuardPolicy, version: string | undefined, warn: (message: string) => void): Frame {
  const { by, error } = refusal;
  const given = policy.answerAs;
  const answerAs = by !== undefined && given !== undefined && Object.hasOwn(given, by) ? given[by] : refusal.answerAs;
  const blockAs = refusal.blockAs ?? policy.blockAs;
  if (by !== undefined && answerAs !== undefined) {
    try {
      const answer: unknown = answerAs({ method: request.method, params: paramsOf(request), interceptor: by, error });
      return errorFrame(request.id, errorObject(answer));
    } catch (thrown) {
      // The owner's mapping failed: the plain answer is still a block.
      warn(`answerAs of ${by} failed, so the usual error is answered: ${describeError(thrown)}`);
      return errorFrame(request.id, error.toJson());
    }
  }
  if (blockAs === "result" && request.method === "tools/call") {
    const result = { content: [{ type: "text", text: textOf(error) }], isError: true };
    return resultFrame(request.id, isStatelessVersion(version) ? { resultType: "complete", ...result } : result);
  }
  return errorFrame(request.id, error.toJson());
}

// What a mapping returns is somebody else's code: it must be an error that JSON-RPC knows, and JSON.
function errorObject(answer: unknown): ErrorObject {
  if (!(answer instanceof RpcError)) throw new LocalError("invalid_argument", "it must return an RpcError");
  const error = cloneJson(answer.toJson());
  const problem = checkErrorObject(error);
  if (problem !== undefined) throw new LocalError("invalid_argument", describeProblem(problem, "error"));
  return error;
}

export function errorAnswer(id: RequestId, error: RpcError): Message {
  return errorFrame(id, error.toJson()).message;
}

/** What is answered where a message could not be judged; `more` where it is known what became of it. */
export function unjudgeable(more?: { readonly delivery: "none" }): RpcError {
  return new RpcError(ErrorCode.internalError, "Interceptor execution failed", { reason: "unavailable", ...more });
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
