import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalText } from "../../../src/core/base/canonical-text.ts";

test("is the same for equal values, members sorted by code points at every depth", () => {
  assert.equal(canonicalText({ b: [1, { z: null, a: "x" }], a: true }), '{"a":true,"b":[1,{"a":"x","z":null}]}');
  assert.equal(canonicalText({ "\u{10000}": 1, "\uffff": 2 }), '{"\uffff":2,"\u{10000}":1}');
});

test("leaves out what JSON does not have, and keeps lone surrogates apart", () => {
  assert.equal(canonicalText({ a: undefined, b: 1 }), '{"b":1}');
  assert.notEqual(canonicalText("\ud800"), canonicalText("\ud801"));
});
