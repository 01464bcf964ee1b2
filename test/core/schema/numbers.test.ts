import assert from "node:assert/strict";
import { test } from "node:test";
import { codePointLength, isMultipleOf } from "../../../src/core/schema/numbers.ts";

test("divides as decimals, not as binary fractions", () => {
  const cases: [number, number, boolean][] = [
    [0.0075, 0.0001, true], [0.00751, 0.0001, false], [0.3, 0.1, true], [19.99, 0.01, true], [1e308, 0.5, true], [1e-7, 1e-8, true], [-4.5, 1.5, true],
    [0, 0.1, true], [-0, 2, true], [1e308, 0.123456789, false], [5e-324, 1, false], [12391239123, 1e-8, true], [2 ** 53 + 2, 2, true],
  ];
  for (const [value, divisor, expected] of cases) assert.equal(isMultipleOf(value, divisor), expected, `${value} / ${divisor}`);
});

test("counts code points, lone surrogates as one each", () => {
  assert.equal(codePointLength("a💩b"), 3);
  assert.equal(codePointLength("\ud83d"), 1);
  assert.equal(codePointLength("\udca9\ud83d"), 2);
  assert.equal(codePointLength("\ud83d\ud83d\udca9"), 2);
  assert.equal(codePointLength(""), 0);
});
