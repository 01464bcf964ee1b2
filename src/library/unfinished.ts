import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";

/**
 * Whether the response to a request is no result yet: the receipt of a task (2025-11-25, and the extension of 2026-07-28), whose result comes by itself later, or a question
 * (`input_required`). What has a member of a tool's result all the same is held for one.
 */
export function isUnfinished(payload: JsonObject): boolean {
  if (["content", "structuredContent", "isError"].some((member) => Object.hasOwn(payload, member))) return false;
  const resultType = ownMember(payload, "resultType");
  if (resultType === "input_required") return true;
  const task = resultType === "task" ? payload : ownMember(payload, "task");
  return isObject(task) && typeof ownMember(task, "taskId") === "string";
}
