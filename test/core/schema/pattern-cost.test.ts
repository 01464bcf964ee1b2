import assert from "node:assert/strict";
import { test } from "node:test";
import { estimatePattern } from "../../../src/core/schema/pattern-cost.ts";
import { cpuMs } from "../../support/cpu-time.ts";

const million = 1_000_000;

test("takes patterns for linear that offer one way on at each character", () => {
  for (const pattern of [
    "^[a-z]+$", "^[a-z]+(-[a-z]+)*$", "^\\d{4}-\\d{2}-\\d{2}$", "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "\\S", "^https?://[^\\s]*$",
    "^(?:foo|bar)+$", "^.*\\.pdf$", "^[^@]+@[^@]+$", "^x-", "foo", "^(a|b)(c|d)$", "^\\u0041*$", "^[\\w]+,", "^v?\\d+(\\.\\d+){0,2}$",
  ]) {
    const cost = estimatePattern(pattern)(million);
    assert.ok(cost <= 4 * million, `${pattern} costs ${cost}`);
  }
});

test("takes a search that may fail after a loop for quadratic", () => {
  for (const pattern of ["a+b", "[a-z]+$", "\\s+$", "x*y", "\\S+", "a{2000}b"]) {
    const cost = estimatePattern(pattern)(1_000);
    assert.ok(cost >= 1e6 && cost < 1e7, `${pattern} costs ${cost}`);
  }
});

test("multiplies loops that can take each other's characters", () => {
  for (const pattern of ["^a*a*$", "^.*foo.*$", "^(?=.*x).*$", "^(\\w+)\\1$"]) {
    const cost = estimatePattern(pattern)(1_000);
    assert.ok(cost >= 1e6 && cost < 1e8, `${pattern} costs ${cost}`);
  }
  assert.ok(estimatePattern("^[\\w.]+@[\\w.]+\\.\\w+$")(100) > 1e6);
});

test("takes a loop with several ways through its body for exponential", () => {
  for (const pattern of [
    "(a+)+$", "^(a|a)*$", "^(a|ab)*c$", "^(a*)*$", "^((a?){2,9})*$", "^(a?){30}a{30}$", "(x+x+)+y", "^(.*a){20}$", "^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*$",
    "^(?:(?:a)+)+$", "^(\\p{L}|\\w)+$", "^(a{1,9}){1,9}$", "^(a|b|ab){1,40}$", "a?".repeat(30) + "a".repeat(30), "^(?i:a+)+$", `^(?=a)${"(a|ab|b)".repeat(30)}$`, "(".repeat(150) + ")".repeat(150),
  ]) {
    assert.ok(estimatePattern(pattern)(60) > 1e9, pattern);
  }
});

test("estimates in bounded time, however large the pattern is", () => {
  // Classes of many ranges that do not meet: every pair has to be looked at.
  const list = <T>(make: (index: number) => T) => Array.from({ length: 300 }, (_, index) => make(index));
  const apart = (index: number) => list((at) => `\\u{${(0x1000 + 600 * at + 2 * index).toString(16)}}`).join("");
  const disjoint = `^(${list((index) => `[${apart(index)}]`).join("|")})*$`;
  const nested = "(".repeat(50_000) + ")".repeat(50_000);
  const worst = ["(a|b)".repeat(20_000), `(${"ab|".repeat(50_000)}c)*`, "a*".repeat(50_000), nested, "[a-z]".repeat(50_000), disjoint];
  for (const pattern of worst) assert.ok(cpuMs(() => void estimatePattern(pattern)(100)) < 5_000, pattern.slice(0, 20));
});
