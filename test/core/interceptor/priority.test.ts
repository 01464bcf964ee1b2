import assert from "node:assert/strict";
import { test } from "node:test";
import { resolvePriority } from "../../../src/core/interceptor/priority.ts";

test("one number counts for both phases, and a missing side is zero", () => {
  assert.deepEqual(resolvePriority(7), { request: 7, response: 7 });
  assert.deepEqual(resolvePriority({ response: -5 }), { request: 0, response: -5 });
  assert.deepEqual(resolvePriority(undefined), { request: 0, response: 0 });
});
