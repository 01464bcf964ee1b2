import type { JsonObject } from "../../src/core/base/json.ts";
import type { Interceptor } from "../../src/core/interceptor/define.ts";
import type { InvokeParams } from "../../src/core/wire/gen/interceptors.ts";
import { decided } from "./invoke.ts";

/** `pass`, or the first message of a verdict that blocks, with its path before it. */
export function verdictOf(interceptor: Interceptor, params: Omit<InvokeParams, "name">): string {
  const { valid, messages } = decided(interceptor, params) as { valid: boolean; messages?: { path?: string; message: string }[] };
  const [first] = messages ?? [];
  return valid ? "pass" : `${first?.path ?? ""}: ${first?.message}`;
}

/** The verdict on a call of a tool. */
export function verdictOnCall(interceptor: Interceptor, args: JsonObject, more: { name?: string; config?: JsonObject } = {}): string {
  const { name = "tool", config = {} } = more;
  return verdictOf(interceptor, { event: "tools/call", phase: "request", payload: { name, arguments: args }, config });
}
