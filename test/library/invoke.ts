import type { JsonObject } from "../../src/core/base/json.ts";
import { DEFAULT_LIMITS } from "../../src/core/base/limits.ts";
import type { Interceptor } from "../../src/core/interceptor/define.ts";
import { invokeInterceptor } from "../../src/core/interceptor/invoke.ts";
import type { InvokeParams, InvokeResult } from "../../src/core/wire/gen/interceptors.ts";
import { fakeHost } from "../support/fake-host.ts";

/** Runs an interceptor as `interceptor/invoke` would. Every ready-made one is synchronous. */
export function invoke(interceptor: Interceptor, params: Omit<InvokeParams, "name">): InvokeResult {
  const result = invokeInterceptor(interceptor, { name: interceptor.descriptor.name, ...params }, { host: fakeHost(), maxDepth: DEFAULT_LIMITS.maxDepth, maxMessageBytes: DEFAULT_LIMITS.maxMessageBytes });
  if (result instanceof Promise) throw new TypeError("the handler is asynchronous");
  return result;
}

/** The members of a result that say what the interceptor decided. */
export function decided(interceptor: Interceptor, params: Omit<InvokeParams, "name">): JsonObject {
  const { type: _type, interceptor: _interceptor, phase: _phase, durationMs: _durationMs, ...rest } = invoke(interceptor, params);
  return rest;
}
