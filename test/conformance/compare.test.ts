import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalPair } from "../../src/conformance/compare.ts";

const isMet = (expected: unknown, actual: unknown) => {
  const pair = canonicalPair(expected, actual);
  return pair.expected === pair.actual;
};

const KINDS: readonly [kind: string, good: readonly unknown[], bad: readonly unknown[]][] = [
  ["integer", [0, 7], [-1, 0.5, "7", null]],
  ["timestamp", ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678+02:00"], ["2026-01-02", "now", 5, ""]],
  ["trace-id", ["0af7651916cd43dd8448eb211c80319c"], ["0".repeat(32), "0AF7651916CD43DD8448EB211C80319C", "0af7", 5]],
  ["span-id", ["b7ad6b7169203331"], ["0".repeat(16), "b7ad6b71692033310", null]],
  ["text", ["x"], ["", 5, null, ["x"]]],
];

for (const [kind, good, bad] of KINDS) {
  test(`a volatile ${kind} stands for any of its kind, and for nothing else`, () => {
    const expected = { deep: [{ $volatile: kind }] };
    for (const value of good) assert.ok(isMet(expected, { deep: [value] }), JSON.stringify(value));
    for (const value of bad) assert.ok(!isMet(expected, { deep: [value] }), JSON.stringify(value));
    assert.ok(!isMet(expected, { deep: [] }));
    assert.ok(!isMet(expected, {}));
  });
}

test("a volatile kind that nobody knows is met by nothing", () => {
  for (const value of ["x", 1, {}]) assert.ok(!isMet({ $volatile: "anything" }, value));
});
