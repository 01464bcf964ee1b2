import { LocalError } from "../base/errors.ts";
import { cloneJson, equalJson } from "../base/json.ts";
import type { InvokeResult } from "../wire/gen/interceptors.ts";
import { mutationResult, readVerdict, type Asked } from "../wire/results.ts";
import { readMutation } from "./verdict.ts";

/**
 * What a handler returned, as the canonical result. Everything in it is a copy, so that the handler cannot change it afterwards. `original`
 * is the payload before the handler had a copy of it. Throws `malformed_result`, or `not_json` for what JSON cannot carry.
 */
export function resultOfHandler(output: unknown, original: unknown, asked: Asked, maxDepth: number): InvokeResult {
  if (asked.type === "validation") {
    return readVerdict(typeof output === "boolean" ? { valid: output } : cloneJson(output, maxDepth), asked);
  }
  if (output === undefined) throw new LocalError("malformed_result", "a mutator must return a payload, or unchanged()");
  const mutation = readMutation(output);
  const extra = mutation?.info === undefined ? undefined : cloneJson(mutation.info, maxDepth);
  if (mutation?.changed === false) return mutationResult(asked, extra, false, original);
  const payload = cloneJson(mutation === undefined ? output : mutation.payload, maxDepth);
  return equalJson(payload, original) ? mutationResult(asked, extra, false, original) : mutationResult(asked, extra, true, payload);
}
