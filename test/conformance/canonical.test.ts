import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalJson } from "../../src/conformance/canonical.ts";

test("the example of RFC 8785 comes out as the RFC has it", () => {
  const value = {
    numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    literals: [null, true, false],
  };
  const expected = '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}';
  assert.equal(canonicalJson(value), expected);
});

test("members are in the order of UTF-16 code units", () => {
  const value = { "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One", "\u{1F600}": "Emoji", "\u0080": "Control", "\u00f6": "o" };
  assert.deepEqual(Object.values(JSON.parse(canonicalJson(value).replace(/"1":"One",/, "")) as object).length, 6);
  const order = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\u{1F600}", "\ufb33"];
  assert.equal(canonicalJson(value), `{${order.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value[name as keyof typeof value])}`).join(",")}}`);
});

// IEEE 754 bits and text, from the RFC's appendix B.
const NUMBERS: readonly [string, string][] = [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
];

test("numbers are written as the RFC's samples are", () => {
  for (const [bits, text] of NUMBERS) assert.equal(canonicalJson(Buffer.from(bits, "hex").readDoubleBE(0)), text, bits);
});

test("what I-JSON cannot carry is refused", () => {
  for (const value of [NaN, Infinity, -Infinity, undefined, "\ud800", { "\udc00": 1 }, [undefined], () => 1, 1n, Symbol("s")]) {
    assert.throws(() => canonicalJson(value), { code: "not_json" });
  }
});

test("members that are undefined are left out", () => {
  assert.equal(canonicalJson({ b: undefined, a: [{ c: undefined }] }), '{"a":[{}]}');
});
