import assert from "node:assert/strict";
import { test } from "node:test";
import { OWN_META } from "../../src/core/wire/meta.ts";
import { schemaGuard, type SchemaGuardConfig } from "../../src/library/schema-guard.ts";
import { decided } from "./invoke.ts";
import { assertLinear } from "./linear.ts";
import { verdictOf } from "./verdict-of.ts";

const ADD = {
  name: "add",
  inputSchema: { type: "object", properties: { a: { type: "integer" }, b: { type: "integer", maximum: 10 } }, required: ["a"], additionalProperties: false },
  outputSchema: { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"] },
};

function guarding(config: SchemaGuardConfig = {}, tools: readonly unknown[] = [ADD]) {
  const guard = schemaGuard(config);
  const list = (listed: readonly unknown[], more: object = {}) => verdictOf(guard, { event: "tools/list", phase: "response", payload: { tools: listed }, ...more });
  list(tools);
  return {
    guard,
    list,
    call: (args: unknown, name: unknown = "add", more: object = {}) => verdictOf(guard, { event: "tools/call", phase: "request", payload: args === undefined ? { name } : { name, arguments: args }, ...more }),
    result: (payload: object, name = "add") => verdictOf(guard, { event: "tools/call", phase: "response", payload, _meta: { [OWN_META.request]: { method: "tools/call", params: { name } } } }),
  };
}

test("holds arguments against the input schema of the tool", () => {
  const { call } = guarding();
  assert.equal(call({ a: 1, b: 10 }), "pass");
  assert.equal(call({ a: "secret" }), "/arguments/a: An argument must be an integer");
  assert.match(call({ a: 1, b: 11 }), /^\/arguments\/b: .*at most 10/);
  assert.match(call({}), /^\/arguments/);
  assert.match(call(undefined), /^\/arguments/);
  assert.match(call({ a: 1, c: 2 }), /^\/arguments\/c/);
  assert.match(call([1]), /must be an object/);
});

test("names up to five places, and quotes no value", () => {
  const { guard } = guarding({}, [{ name: "x", inputSchema: { type: "object", additionalProperties: { type: "integer" } } }]);
  const args = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`m${index}`, "hunter2"]));
  const { messages } = decided(guard, { event: "tools/call", phase: "request", payload: { name: "x", arguments: args } });
  assert.equal((messages as unknown[]).length, 5);
  assert.ok(!JSON.stringify(messages).includes("hunter2"));
});

test("holds structured content against the output schema, but for errors", () => {
  const { result } = guarding();
  assert.equal(result({ content: [], structuredContent: { sum: 3 } }), "pass");
  assert.match(result({ content: [], structuredContent: { sum: "3" } }), /^\/structuredContent\/sum: The result must be an integer/);
  assert.match(result({ content: [] }), /^\/structuredContent: The result must be there/);
  assert.equal(result({ content: [], isError: true }), "pass");
  const lax = guarding({ results: false });
  assert.equal(lax.result({ content: [] }), "pass");
  assert.equal(guarding({}, [{ name: "add", inputSchema: {} }]).result({ content: [], structuredContent: 5 }), "pass");
});

test("holds no receipt of a task and no question against the output schema, and nothing that has a result's members for one", () => {
  const { result } = guarding({ unknown: "block" });
  const task = { taskId: "t", status: "working", createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ttl: null };
  for (const payload of [{ task }, { task, _meta: {} }, { resultType: "task", ...task }, { resultType: "input_required", requestState: "s" }]) {
    assert.equal(result(payload), "pass", JSON.stringify(payload));
    assert.match(result({ ...payload, content: [] }), /The result must be there/);
    assert.match(result({ ...payload, structuredContent: { sum: "3" } }), /must be an integer/);
  }
  for (const payload of [{ task: {} }, { task: "t" }, { taskId: "t" }, { resultType: "complete" }, { resultType: "task" }]) assert.match(result(payload), /The result must be there/, JSON.stringify(payload));
});

test("goes by the last list", () => {
  const { list, call } = guarding();
  list([{ name: "add", inputSchema: { type: "object", properties: { a: { type: "string" } } } }]);
  assert.equal(call({ a: "x" }), "pass");
  list([{ name: "other", inputSchema: { type: "object" } }]);
  assert.equal(call({ a: "x" }), "pass");
  for (const odd of [{ tools: "a" }, {}]) assert.equal(verdictOf(schemaGuard(), { event: "tools/list", phase: "response", payload: odd }), "pass");
});

test("warns of a tool that it does not know, or refuses it", () => {
  const bad = { name: "bad", inputSchema: { type: "nonsense" } };
  const lax = guarding({}, [bad]);
  assert.equal(lax.call({}, "other"), "pass");
  const { messages } = decided(lax.guard, { event: "tools/call", phase: "request", payload: { name: "bad", arguments: {} } });
  assert.deepEqual(messages, [{ path: "/arguments", message: "The input schema of this tool cannot be used", severity: "warn" }]);
  const strict = guarding({ unknown: "block" }, [bad]);
  assert.match(strict.call({}, "other"), /No list of tools has had this tool/);
  assert.match(strict.call({}, "bad"), /cannot be used/);
  assert.match(strict.call({}, 5), /not known/);
  assert.match(strict.result({ content: [] }, "other"), /not known/);
});

test("tells servers apart, and sessions where its scope says so", () => {
  const { call } = guarding({ unknown: "block" });
  assert.match(call({ a: 1 }, "add", { config: { server: "crm" } }), /not known/);
  const each = schemaGuard({ scope: "session", unknown: "block" });
  verdictOf(each, { event: "tools/list", phase: "response", payload: { tools: [ADD] }, context: { sessionId: "one" } });
  const ask = (sessionId: string) => verdictOf(each, { event: "tools/call", phase: "request", payload: { name: "add", arguments: { a: 1 } }, context: { sessionId } });
  assert.deepEqual([ask("one"), ask("two")], ["pass", "/arguments: No list of tools has had this tool, so its schema is not known"]);
});

test("takes time in proportion to the arguments", () => {
  const { call } = guarding({}, [{ name: "add", inputSchema: { type: "object", properties: { text: { type: "string", pattern: "^[a-z .,]*$", maxLength: 2_000_000 } } } }]);
  assertLinear((text) => call({ text }), "some words, and more. ", ["a", "a,", "\ud83d\ude00", "A"]);
});
