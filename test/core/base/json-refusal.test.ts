import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findRefusal, foldCase } from "../../../src/core/base/json-refusal.ts";

describe("foldCase", () => {
  it("folds whatever Unicode's simple case folding folds, over all code points", () => {
    const missed: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      for (const variant of [character.toLowerCase(), character.toUpperCase()]) {
        if (variant !== character && foldCase(variant) !== foldCase(character)) missed.push(code.toString(16));
      }
    }
    assert.deepEqual(missed, []);
  });

  it("folds twice to the same, and keeps different letters apart", () => {
    assert.equal(foldCase(foldCase("ΟΔΟΣ")), foldCase("οδος"));
    assert.notEqual(foldCase("e"), foldCase("é"));
    assert.notEqual(foldCase("name"), foldCase("nаme"), "a Cyrillic letter is no case variant");
  });
});

describe("findRefusal", () => {
  it("gives the offset of the first character that cannot stand where it does", () => {
    const offsets: [string, number][] = [
      ["", 0], ["  ", 2], ["nulx", 3], ["01", 1], ["-", 1], ["1.", 2], ["1.x", 2], ["1e+", 3], ["[1,]", 3], ["[1 2]", 3], ["{,}", 1],
      ['{"a" 1}', 5], ['{"a":1,}', 7],
      ['"\\x"', 2], ['"\\u12g4"', 5], ['"a\nb"', 2], ['"abc', 4], ["[]]", 2], ["[}", 1], ['{"a":1]', 6], ["1 1", 2], ['"\\', 2],
    ];
    for (const [text, offset] of offsets) {
      const refusal = findRefusal(text, 128, []);
      assert.equal(refusal?.code, "syntax", text);
      assert.equal(refusal.offset, offset, text);
    }
  });

  it("finds nothing in a text that has no offence", () => {
    assert.equal(findRefusal(' {"a":[1,{"a":null}],"b":"x"} ', 128, [[]]), undefined);
  });
});
