import type { Limits } from "../../src/core/base/limits.ts";
import type { Decoded } from "../../src/core/wire/frame.ts";
import type { Message } from "../../src/core/wire/message.ts";

/** A decoder that a test of framing can foresee: a JSON object with `jsonrpc` and a known kind is a message, all else is not. */
export function plainDecode(text: string, _limits?: Limits): Decoded {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { invalid: { error: { code: -32700, message: "Parse error" } } };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { invalid: { error: { code: -32600, message: "Invalid request" } } };
  const object = value as Record<string, unknown>;
  const hasMethod = typeof object["method"] === "string";
  const isResponse = "result" in object || "error" in object;
  if (object["jsonrpc"] === "2.0" && (hasMethod || (isResponse && "id" in object))) return { frame: { message: object as never as Message, text } };
  const id = object["id"];
  const error = { code: -32600, message: "Invalid request" };
  return { invalid: typeof id === "string" || typeof id === "number" ? { error, id, answers: isResponse } : { error } };
}
