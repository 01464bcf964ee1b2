import assert from "node:assert/strict";
import { test } from "node:test";
import { contextProblem } from "../../../src/core/wire/context.ts";

test("a context is wrong where `interceptor/invoke` would refuse it, in the words of its source", () => {
  for (const fine of [{}, { traceId: "t", principal: { type: "user", id: "u", claims: {} }, other: 5 }, { spanId: undefined }]) {
    assert.equal(contextProblem(fine), undefined);
  }
  assert.equal(contextProblem(null), "context must be an object");
  assert.equal(contextProblem({ principal: {} }), 'context.principal must have the member "type"');
  assert.equal(contextProblem({ principal: { type: "user", claims: [] } }), "context.principal.claims must be an object");
  assert.equal(contextProblem({ spanId: 1 }), "context.spanId must be a string");
});
