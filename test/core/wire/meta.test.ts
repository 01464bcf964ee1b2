import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { isReservedMetaKey, restoreReservedMeta } from "../../../src/core/wire/meta.ts";

test("keys with a prefix of MCP's, progress and trace keys are reserved", () => {
  const reserved = [
    "progressToken", "traceparent", "tracestate", "baggage",
    "io.modelcontextprotocol/protocolVersion", "dev.mcp/x", "org.modelcontextprotocol.api/", "com.mcp.tools/a/b",
  ];
  for (const key of reserved) assert.equal(isReservedMetaKey(key), true, key);
});

test("keys of others are not, even those that look alike", () => {
  const others = [
    "com.example/x", "com.example.mcp/x", "mcp/x", "io.modelcontextprotocol", "io.mcpx/y", "a.MCP/x", "", "/", "constructor", "progresstoken",
  ];
  for (const key of others) {
    assert.equal(isReservedMetaKey(key), false, key);
  }
});

test("after a mutation reserved keys are as they were before: restored, reset, taken out", () => {
  const before = { name: "a", _meta: { progressToken: 1, traceparent: "t", "com.example/x": 1 } };
  const after = { name: "b", _meta: { progressToken: 2, "io.modelcontextprotocol/clientInfo": {}, "com.example/y": 2 } };
  const restored = restoreReservedMeta(before, after);
  assert.deepEqual(restored, { name: "b", _meta: { progressToken: 1, traceparent: "t", "com.example/y": 2 } });
  assert.deepEqual(after._meta, { progressToken: 2, "io.modelcontextprotocol/clientInfo": {}, "com.example/y": 2 }, "neither side changes");
});

test("a payload whose reserved keys are untouched is handed back as it is", () => {
  const after = { a: 1, _meta: { "com.example/x": 2, progressToken: 1 } };
  assert.equal(restoreReservedMeta({ _meta: { progressToken: 1 } }, after), after);
  const bare = { a: 1 };
  assert.equal(restoreReservedMeta({}, bare), bare);
});

test("a _meta that the mutator dropped or broke comes back with the reserved keys alone", () => {
  const before = { _meta: { progressToken: "t", "com.example/x": 1 } };
  for (const after of [{}, { _meta: undefined }, { _meta: null }, { _meta: [] }, { _meta: "x" }] as JsonObject[]) {
    assert.deepEqual(restoreReservedMeta(before, after), { _meta: { progressToken: "t" } });
  }
});

test("a _meta that held forged keys only, and was not there before, goes", () => {
  assert.deepEqual(restoreReservedMeta({ a: 1 }, { a: 2, _meta: { progressToken: 5 } }), { a: 2 });
  assert.deepEqual(restoreReservedMeta({ _meta: {} }, { _meta: { progressToken: 5 } }), { _meta: {} });
});

test("a reserved key that JSON text holds under __proto__ is neither read nor written", () => {
  const before = JSON.parse('{"_meta":{"__proto__":{"progressToken":1}}}') as JsonObject;
  const after = JSON.parse('{"_meta":{"__proto__":{"x":1},"traceparent":"forged"}}') as JsonObject;
  const restored = restoreReservedMeta(before, after);
  assert.equal(JSON.stringify(restored), '{"_meta":{"__proto__":{"x":1}}}');
  assert.equal(Object.getPrototypeOf(restored._meta), Object.prototype);
});
