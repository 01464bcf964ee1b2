import assert from "node:assert/strict";
import { test } from "node:test";
import { isJsonOf } from "../../../src/core/base/json-of.ts";

test("a text is JSON of a value in any spelling, and of no other value", () => {
  const value = { a: 1, b: ["x", null] };
  for (const text of ['{"a":1,"b":["x",null]}', ' { "b" : ["\\u0078", null], "a" : 1.0 }\n']) assert.equal(isJsonOf(text, value), true, text);
  for (const text of ["", "prose", "{", '{"a":1}', '[{"a":1}]', 7, undefined, null, value]) assert.equal(isJsonOf(text, value), false, String(text));
});

test("scalars are JSON too", () => {
  for (const value of ["x", 1.5, true, null, ""]) {
    assert.equal(isJsonOf(` ${JSON.stringify(value)} `, value), true);
    assert.equal(isJsonOf(String(value), "y"), false);
  }
});
