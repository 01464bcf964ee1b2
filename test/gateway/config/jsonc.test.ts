import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readJsonc } from "../../../src/gateway/config/jsonc.ts";
import { locateNearest } from "../../../src/gateway/config/places.ts";
import { seededRandom } from "../../support/random.ts";

const fault = (text: string) => {
  const { fault: found } = readJsonc(text);
  return found === undefined ? undefined : `${found.place?.line}:${found.place?.column} ${found.message}`;
};

describe("JSON with comments", () => {
  it("reads comments of both kinds, and a comma at the end, as if they were not there", () => {
    const text = `\ufeff// head
{
  "a": 1, // one
  /* two
     lines */ "b": ["//", "/* no */", "\\"//", ], // a comma, and a comment after it
  "c": { "d": true /* , */ , /* x */ },
}
// tail`;
    assert.deepEqual(readJsonc(text).value, { a: 1, b: ["//", "/* no */", '"//'], c: { d: true } });
  });

  it("reads plain JSON as JSON.parse does, however the white space is laid out", () => {
    const random = seededRandom(7);
    for (let round = 0; round < 300; round++) {
      const value = { list: Array.from({ length: random.below(5) }, () => "a\\\"/,]}"[random.below(7)]), n: random.below(100), o: { "//": "/*" } };
      const text = JSON.stringify(value, null, random.below(4));
      const commented = text.replaceAll("\n", () => (random.below(2) === 0 ? " // x, ]}\n" : "/*,*/\n"));
      assert.deepEqual(readJsonc(commented).value, value, `seed 7, round ${round}: ${commented}`);
    }
  });

  it("refuses what it cannot read with the place, and says what to do", () => {
    const cases: readonly (readonly [text: string, expected: string])[] = [
      ["", "1:1 the file is empty; it takes an object in braces"],
      ["// nothing\n", "2:1 the file is empty; it takes an object in braces"],
      ['{\n  "a": 1\n  "b": 2\n}', "3:3 a comma is missing before this"],
      ['{ "a": [1 2] }', "1:11 a comma is missing before this"],
      ["{ a: 1 }", "1:3 names of members take double quotes"],
      ["{ 'a': 1 }", "1:3 texts take double quotes"],
      ['{ "a": yes }', "1:8 texts take double quotes; other words are true, false and null"],
      ['{ "a": "x\n}', "1:10 a text ends with the line that it begins in: a double quote is missing"],
      ['{ "a": 1', "1:9 the file ends too early: a bracket, a brace or a quote is not closed"],
      ['{\r\n  /* never', "2:3 a comment begins here that does not end; close it with */"],
      ['{ "a": 1,, }', '1:10 "," cannot stand here'],
      ["[,]", '1:2 "," cannot stand here'],
      ["{,}", '1:2 "," cannot stand here'],
      ['{ "a": 1, "a": 2 }', "1:11 this name stands twice in one object; keep one of the two"],
      ['{ "a": 1e999 }', "1:8 this number is too large"],
    ];
    for (const [text, expected] of cases) assert.equal(fault(text), expected, text);
    assert.match(fault("[".repeat(200) + "]".repeat(200)) ?? "", /deeper than 128/);
  });

  it("knows where a pointer's value and its name stand, and where what is missing would", () => {
    const { locate } = readJsonc('{\n  // x\n  "a\\\\": [1,\r\n    { "b c" : "y" },],\n}');
    assert.ok(locate !== undefined);
    assert.deepEqual(locate("/a\\/1/b c", "value"), { line: 4, column: 15 });
    assert.deepEqual(locate("/a\\/1/b c", "name"), { line: 4, column: 7 });
    assert.deepEqual(locate("/a\\", "name"), { line: 3, column: 3 });
    assert.deepEqual(locate("/a\\/0", "name"), { line: 3, column: 11 });
    assert.equal(locate("/none", "value"), undefined);
    assert.deepEqual(locateNearest(locate, "/a\\/1/none/deeper", "name"), { line: 4, column: 5 });
    assert.deepEqual(locateNearest(locate, "/none", "name"), { line: 1, column: 1 });
  });
});
