import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Rows of the threat model without two tests that are there. */
function untested(page: string, isThere: (path: string) => boolean): readonly string[] {
  const rows = page.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| threat"));
  return rows.filter((row) => {
    const paths = [...row.matchAll(/\]\((test\/[^)]+\.test\.ts)\)/g)].map(([, path = ""]) => path);
    return paths.length < 2 || !paths.every(isThere);
  });
}

test("each threat of SECURITY.md has tests that are there", () => {
  const page = readFileSync(`${root}SECURITY.md`, "utf8");
  assert.ok(page.split("\n").filter((line) => line.startsWith("| ")).length > 20);
  assert.deepEqual(untested(page, (path) => existsSync(`${root}${path}`)), []);
});

test("a threat without a test, and one whose test is gone, are found", () => {
  const page = "| threat | defence | tests |\n| a | b | [x](test/x.test.ts), [y](test/y.test.ts) |\n| c | d | none |\n| e | f | [x](test/x.test.ts), [z](test/z.test.ts) |";
  assert.deepEqual(untested(page, (path) => path !== "test/z.test.ts"), ["| c | d | none |", "| e | f | [x](test/x.test.ts), [z](test/z.test.ts) |"]);
});
