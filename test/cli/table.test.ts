import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { wrapReport } from "../../src/cli/table.ts";

const LIST = Array.from({ length: 16 }, (_, index) => `list/${index}`).join(", ");

describe("a report", () => {
  it("goes on below its last column where that has room, and four blanks further in elsewhere", () => {
    assert.equal(
      wrapReport(`  a   bb  ${LIST}`, 70),
      "  a   bb  list/0, list/1, list/2, list/3, list/4, list/5, list/6,\n          list/7, list/8, list/9, list/10, list/11, list/12, list/13,\n          list/14, list/15",
    );
    assert.equal(wrapReport("  who: one, two, three, four, five, six", 30), "  who: one, two, three, four,\n      five, six");
    assert.equal(wrapReport(`  ${"x".repeat(20)}  one, two, three, four, five, six`, 40), `  ${"x".repeat(20)}  one, two, three,\n      four, five, six`);
  });

  it("stays as it is where a line is short enough, is one word, or ends with a small column", () => {
    for (const line of ["one two", `  ${"x".repeat(40)}`, `${"x".repeat(25)}  one two`]) assert.equal(wrapReport(line, 30), line);
  });
});
