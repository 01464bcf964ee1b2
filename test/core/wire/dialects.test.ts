import assert from "node:assert/strict";
import { test } from "node:test";
import { hintsAtChange, interceptorMethod, readCapability, writeCapability } from "../../../src/core/wire/dialects.ts";
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

test("a capability is read in every spelling of the field, the canonical one first", () => {
  const key = "io.modelcontextprotocol/interceptors";
  const own = (event: string) => ({ supportedEvents: [event] });
  const rows: [unknown, string[] | undefined][] = [
    [{ extensions: { [key]: own("a") } }, ["a"]],
    [{ experimental: { [key]: own("a") } }, ["a"]],
    [{ extensions: { interceptors: own("a") } }, ["a"]],
    [{ interceptor: own("a") }, ["a"]],
    [{ interceptors: own("a") }, ["a"]],
    [{ interceptors: own("e"), interceptor: own("d"), experimental: { [key]: own("b") }, extensions: { interceptors: own("c"), [key]: own("a") } }, ["a"]],
    [{ interceptors: own("e"), interceptor: own("d"), experimental: { [key]: own("b") }, extensions: { interceptors: own("c") } }, ["b"]],
    [{ extensions: { [key]: { supportedEvents: ["b", "a", "b", 5, ""] } } }, ["a", "b"]],
    [{ extensions: { [key]: {} } }, []],
    [{ extensions: { [key]: { supportedEvents: "all" } } }, []],
    [{ extensions: { [key]: true }, interceptors: own("e") }, ["e"]],
    [{ experimental: { interceptors: own("a") } }, undefined],
    [{ extensions: null, tools: {} }, undefined],
    [Object.create({ interceptors: own("a") }), undefined],
    [{}, undefined],
    [null, undefined],
    [undefined, undefined],
  ];
  for (const [capabilities, events] of rows) assert.deepEqual(readCapability(capabilities)?.supportedEvents, events, JSON.stringify(capabilities));
});

test("what is written is what is read", () => {
  const written = writeCapability([descriptor]);
  assert.deepEqual(readCapability({ extensions: { "io.modelcontextprotocol/interceptors": written } }), written);
});

test("a changed list is announced in two spellings, and by nothing else", () => {
  for (const word of ["interceptors", "interceptor"]) assert.ok(hintsAtChange(`notifications/${word}/list_changed`), word);
  for (const method of ["notifications/tools/list_changed", "interceptors/list_changed"]) assert.ok(!hintsAtChange(method), method);
});
