import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePatterns } from "../../src/library/name-patterns.ts";

test("matches exact names and prefixes, by code points", () => {
  const cases: readonly [patterns: string[], name: string, matches: boolean][] = [
    [["read"], "read", true],
    [["read"], "reads", false],
    [["read"], "Read", false],
    [["read*"], "read", true],
    [["read*"], "read_file", true],
    [["read*"], "rea", false],
    [["*"], "", true],
    [["*"], "anything", true],
    [[], "read", false],
    [["caf\u00e9"], "cafe\u0301", false],
    [["a", "b*"], "b", true],
    [["constructor"], "constructor", true],
    [["a"], "constructor", false],
    [["a"], "__proto__", false],
    [["__proto__"], "__proto__", true],
    [["a.b"], "axb", false],
    [["😀*"], "😀x", true],
  ];
  for (const [patterns, name, matches] of cases) assert.equal(compilePatterns(patterns)(name), matches, `${patterns.join()} on ${name}`);
});
