import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalText } from "../../../src/core/base/canonical-text.ts";

test("is the same for equal values, whatever the order of their members", () => {
  assert.equal(canonicalText({ b: [1, { d: null, c: "é" }], a: undefined, A: true }), '{"A":true,"b":[1,{"c":"é","d":null}]}');
  assert.equal(canonicalText({ "\ue000": 1, "😀": 2 }), '{"\ue000":1,"😀":2}');
  assert.notEqual(canonicalText("\ud800"), canonicalText("\ufffd"));
  assert.notEqual(canonicalText(1), canonicalText("1"));
});
