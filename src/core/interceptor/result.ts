import { LocalError } from "../base/errors.ts";
import { cloneJson, equalJson } from "../base/json.ts";
import type { Limits } from "../base/limits.ts";
import type { InvokeResult } from "../wire/gen/interceptors.ts";
import { mutationResult, readVerdict, type Asked } from "../wire/results.ts";
import { readMutation } from "./verdict.ts";

type ResultLimits = Pick<Limits, "maxDepth" | "maxMessageBytes">;

/**
 * What a handler returned, as the canonical result. Everything in it is a copy, so that the handler cannot change it afterwards. `original`
 * is the payload before the handler had a copy of it. Throws `malformed_result`, `not_json` for what JSON cannot carry, or `limit_exceeded` for
 * what no message can: a few objects that refer to each other many times are a result of any size.
 */
export function resultOfHandler(output: unknown, original: unknown, asked: Asked, limits: ResultLimits): InvokeResult {
  const { maxDepth, maxMessageBytes } = limits;
  if (asked.type === "validation") {
    if (output === undefined) throw new LocalError("malformed_result", "a validator must return a verdict: true, false, allow() or deny(message)");
    return readVerdict(typeof output === "boolean" ? { valid: output } : cloneJson(output, maxDepth, maxMessageBytes), asked);
  }
  if (output === undefined) throw new LocalError("malformed_result", "a mutator must return a payload, or unchanged()");
  const mutation = readMutation(output);
  const extra = mutation?.info === undefined ? undefined : cloneJson(mutation.info, maxDepth, maxMessageBytes);
  if (mutation?.changed === false) return mutationResult(asked, extra, false, original);
  const payload = cloneJson(mutation === undefined ? output : mutation.payload, maxDepth, maxMessageBytes);
  return equalJson(payload, original) ? mutationResult(asked, extra, false, original) : mutationResult(asked, extra, true, payload);
}
