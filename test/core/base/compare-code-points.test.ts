import assert from "node:assert/strict";
import { test } from "node:test";
import { compareCodePoints } from "../../../src/core/base/compare-code-points.ts";
import { seededRandom } from "../../support/random.ts";

test("names order by code point, not by locale and not by UTF-16 unit", () => {
  const names = ["ä", "z", "Z", "a", "\u{1F600}", "\uFFFD", "a-b", "aa", ""];
  assert.deepEqual(names.sort(compareCodePoints), ["", "Z", "a", "a-b", "aa", "z", "ä", "\uFFFD", "\u{1F600}"]);
});

test("the order agrees with comparing lists of code points", () => {
  const seed = 20_260_728;
  const random = seededRandom(seed);
  const alphabet = ["a", "b", "\uD7FF", "\uE000", "\uFFFF", "\u{10000}", "\u{10FFFF}"];
  const word = () => Array.from({ length: random.below(4) }, () => random.pick(alphabet)).join("");
  const reference = (left: string, right: string) => {
    const [a, b] = [[...left], [...right]].map((list) => list.map((char) => char.codePointAt(0) ?? 0)) as [number[], number[]];
    const at = a.findIndex((point, index) => point !== b[index]);
    if (at < 0) return Math.sign(a.length - b.length);
    return b[at] === undefined ? 1 : Math.sign((a[at] ?? 0) - b[at]);
  };
  for (let round = 0; round < 2000; round++) {
    const [left, right] = [word(), word()];
    assert.equal(Math.sign(compareCodePoints(left, right)), reference(left, right), `seed ${seed}: ${JSON.stringify([left, right])}`);
  }
});
