import type { Host } from "../../src/core/base/host.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { DEFAULT_LIMITS } from "../../src/core/base/limits.ts";
import type { Interceptor } from "../../src/core/interceptor/define.ts";
import { invokeInterceptor } from "../../src/core/interceptor/invoke.ts";
import type { InvokeParams, InvokeResult } from "../../src/core/wire/gen/interceptors.ts";
import { OWN_META } from "../../src/core/wire/meta.ts";
import { fakeHost } from "../support/fake-host.ts";

/** Runs an interceptor as `interceptor/invoke` would; most ready-made ones answer at once. */
export function invoke(interceptor: Interceptor, params: Omit<InvokeParams, "name">): InvokeResult {
  const result = invokeLater(interceptor, params);
  if (result instanceof Promise) throw new TypeError("the handler is asynchronous");
  return result;
}

/** The same for those that ask somebody. */
export function invokeLater(interceptor: Interceptor, params: Omit<InvokeParams, "name">, host: Host = fakeHost()): InvokeResult | Promise<InvokeResult> {
  return invokeInterceptor(interceptor, { name: interceptor.descriptor.name, ...params }, { host, maxDepth: DEFAULT_LIMITS.maxDepth, maxMessageBytes: DEFAULT_LIMITS.maxMessageBytes });
}

/** `_meta` of a call that asks a validator again, after its message was mutated. */
export const AGAIN = { [OWN_META.revalidation]: true };

/** The members of a result that say what the interceptor decided. */
export function decided(interceptor: Interceptor, params: Omit<InvokeParams, "name">): JsonObject {
  const { type: _type, interceptor: _interceptor, phase: _phase, durationMs: _durationMs, ...rest } = invoke(interceptor, params);
  return rest;
}
