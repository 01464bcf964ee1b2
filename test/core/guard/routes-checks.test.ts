import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPart } from "../../../src/core/guard/routes.ts";

test("the parts of any MCP method are checked, and say where they are wrong", () => {
  assert.equal(checkPart("sampling/createMessage", "request", { messages: [], maxTokens: 10 }), undefined);
  const wrongRole = { messages: [{ role: "system", content: [] }], maxTokens: 10 };
  assert.equal(checkPart("sampling/createMessage", "request", wrongRole), `params/messages/0/role must be one of "user", "assistant"`);
  assert.equal(checkPart("roots/list", "response", { roots: [{}] }), `result/roots/0 must have the member "uri"`);
  assert.equal(checkPart("notifications/message", "request", { level: "loud", data: 1 })?.startsWith("params/level must be one of"), true);
});

test("an unknown method may carry any object, and a method of the prototype is unknown", () => {
  for (const method of ["acme/run", "constructor", "__proto__"]) {
    assert.equal(checkPart(method, "request", { a: 1 }), undefined);
    assert.equal(checkPart(method, "response", { a: 1 }), undefined);
    assert.equal(checkPart(method, "response", [1]), "result must be an object");
  }
});

test("a task is an answer to the methods that can be tasks, and to no other", () => {
  const stamp = "2026-01-01T00:00:00Z";
  const created = { task: { taskId: "t", status: "working", createdAt: stamp, lastUpdatedAt: stamp, ttl: null } };
  for (const method of ["tools/call", "sampling/createMessage", "elicitation/create"]) {
    assert.equal(checkPart(method, "response", created), undefined, method);
    assert.notEqual(checkPart(method, "response", { task: { ...created.task, status: "done" } }), undefined, method);
  }
  assert.equal(checkPart("tools/list", "response", created), `result must have the member "tools"`);
});
