import assert from "node:assert/strict";
import { test } from "node:test";
import { interceptorMethod, writeCapability } from "../../../src/core/wire/dialects.ts";
import type { InterceptorDescriptor } from "../../../src/core/wire/gen/interceptors.ts";

const descriptor: InterceptorDescriptor = { name: "a", type: "mutation", hooks: [{ events: ["tools/call"], phase: "request" }] };

test("both spellings of both methods are known, and nothing else is", () => {
  assert.equal(interceptorMethod("interceptors/list"), "list");
  assert.equal(interceptorMethod("interceptor/list"), "list");
  assert.equal(interceptorMethod("interceptor/invoke"), "invoke");
  assert.equal(interceptorMethod("interceptors/invoke"), "invoke");
  for (const other of ["tools/list", "constructor", "__proto__", "interceptor/Invoke"]) assert.equal(interceptorMethod(other), undefined);
});

test("supported events are those of all hooks as declared, in code point order, once each", () => {
  const other: InterceptorDescriptor = { ...descriptor, hooks: [{ events: ["tools/*", "*"], phase: "response" }, ...descriptor.hooks] };
  assert.deepEqual(writeCapability([descriptor, other]), { supportedEvents: ["*", "tools/*", "tools/call"] });
  const odd: InterceptorDescriptor = { ...descriptor, hooks: [{ events: ["\u{1F600}", "\uFF5E"], phase: "request" }] };
  assert.deepEqual(writeCapability([odd]), { supportedEvents: ["\uFF5E", "\u{1F600}"] });
  assert.deepEqual(writeCapability([]), { supportedEvents: [] });
});
