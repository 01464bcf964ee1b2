import assert from "node:assert/strict";
import { test } from "node:test";
import { isThenable } from "../../../src/core/base/thenable.ts";

test("an object with a function then is waited for, of whatever make", () => {
  for (const value of [Promise.resolve(), { then: () => {} }, Object.create({ then: () => {} })]) assert.equal(isThenable(value), true);
  for (const value of [null, undefined, "then", 5, {}, { then: true }, [], () => {}]) assert.equal(isThenable(value), false, String(value));
});
