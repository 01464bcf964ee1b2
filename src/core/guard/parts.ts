import { isObject, ownMember, setMember, type JsonObject } from "../base/json.ts";
import { isResult, type Message } from "../wire/message.ts";

/** The task that a result has created, if it has (tasks of revision 2025-11-25 and of the extension). */
export function createdTask(message: Message): string | undefined {
  if (!isResult(message)) return undefined;
  const task = ownMember(message.result, "task");
  const id = isObject(task) ? ownMember(task, "taskId") : ownMember(message.result, "taskId");
  return typeof id === "string" ? id : undefined;
}

/** The params of a message; empty where it has none. */
export function paramsOf(message: Message): JsonObject {
  // Whatever the type says: a transport of somebody's own may let through what ours refuse.
  return "params" in message && isObject(message.params) ? message.params : {};
}

/** A member of the `_meta` of a message's params. */
export function metaOf(message: Message, key: string): unknown {
  const meta = ownMember(paramsOf(message), "_meta");
  return isObject(meta) ? ownMember(meta, key) : undefined;
}

/** The message with another of its parts. */
export function withMember(message: Message, member: "params" | "result" | "error", value: unknown): Message {
  // The message keeps its kind: only the named part is replaced, and the final check judges what it has become.
  return { ...message, [member]: value } as Message;
}

/** What is at a path of members; `undefined` where there is nothing. */
export function readAt(message: Message, path: readonly string[]): unknown {
  let value: unknown = message;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isObject(value)) value = ownMember(value, step);
    else return undefined;
  }
  return value;
}

/** Copies along the path only; everything beside it is shared with the original, which nobody changes. */
export function writeAt(message: Message, path: readonly string[], leaf: unknown): Message {
  const write = (value: unknown, depth: number): unknown => {
    const step = path[depth];
    if (step === undefined) return leaf;
    if (Array.isArray(value)) return value.map((item, index) => (index === Number(step) ? write(item, depth + 1) : item));
    const copy: JsonObject = {};
    const source = isObject(value) ? value : {};
    for (const member of Object.keys(source)) setMember(copy, member, source[member]);
    setMember(copy, step, write(ownMember(source, step), depth + 1));
    return copy;
  };
  // A message stays a message: the path lies below params or result.
  return write(message, 0) as Message;
}
