import assert from "node:assert/strict";
import { test } from "node:test";
import { createStreamText } from "../../../src/core/guard/stream-text.ts";
import { seededRandom } from "../../support/random.ts";

/** Feeds the deltas, judging by `judge`, and gives what came out piece by piece. */
function feed(deltas: readonly string[], size: { windowChars: number; overlapChars: number }, judge = (text: string) => text) {
  const text = createStreamText(size, 1_000_000);
  const windows: string[] = [];
  const out: string[] = [];
  for (const delta of deltas) {
    text.push(delta);
    if (!text.due) continue;
    const window = text.part();
    windows.push(window.text);
    out.push(text.release(window, window.context + judge(window.text.slice(window.context.length))));
  }
  out.push(text.finish(text.whole()));
  return { windows, out };
}

test("holds until a window is full, and keeps the overlap back", () => {
  const { windows, out } = feed(["abcd", "efgh", "ijkl", "mn"], { windowChars: 6, overlapChars: 2 });
  assert.deepEqual(windows, ["abcdefgh", "efghijkl"]);
  assert.deepEqual(out, ["abcdef", "ghij", "klmn"]);
});

test("without an overlap each window goes out whole", () => {
  assert.deepEqual(feed(["abc", "def", "g"], { windowChars: 3, overlapChars: 0 }).out, ["abc", "def", "g"]);
});

test("what was judged goes on, not what was held", () => {
  const { windows, out } = feed(["abcde", "fghi"], { windowChars: 5, overlapChars: 1 }, (text) => text.replace("b", "BB"));
  assert.deepEqual(windows, ["abcde", "defghi"]);
  assert.deepEqual(out, ["aBBcd", "efgh", "i"]);
});

test("a change at the end of a window is put off until what follows is known", () => {
  const mask = (text: string) => text.replaceAll(/\d+/g, "#");
  const { windows, out } = feed(["ab 12", "34 cdefg"], { windowChars: 5, overlapChars: 3 }, mask);
  assert.deepEqual(windows, ["ab 12", "ab 1234 cdefg"]);
  assert.deepEqual(out, ["ab", " # cd", "efg"]);
});

test("a change that goes on to the end for two windows goes out as it is", () => {
  const { windows, out } = feed(["abcd", "efg", "hij"], { windowChars: 4, overlapChars: 1 }, (text) => text.toUpperCase());
  assert.deepEqual(windows, ["abcd", "abcdefg", "abcdefghij"]);
  assert.deepEqual(out, ["", "", "ABCDEFGHI", "J"]);
});

test("what is taken out of a repetition at the end of a window does not begin to go out", () => {
  const text = createStreamText({ windowChars: 12, overlapChars: 6 }, 1_000_000);
  text.push("x KEY12KEY12KEY");
  const window = text.part();
  // Both whole ones are gone, and what is left begins like what was taken out.
  assert.equal(text.release(window, window.text.replaceAll("KEY12", "")), "x ");
  text.push("12 and so on");
  assert.equal(text.part().text, "x KEY12KEY12KEY12 and so on");
});

test("whatever is replaced comes out as if the whole had been judged, where the overlap holds it", () => {
  const seed = 612;
  const random = seededRandom(seed);
  for (let round = 0; round < 2000; round++) {
    const letters = random.pick([["a"], ["a", "b"], ["a", "b", "c"]]);
    const secret = Array.from({ length: 1 + random.below(6) }, () => random.pick(letters)).join("");
    const substitute = random.pick(["", "#", "[gone]"]);
    const judge = (given: string) => given.replaceAll(secret, substitute);
    const full = Array.from({ length: random.below(9) }, () => random.pick([secret, secret, "x", random.pick(letters), "y"])).join("");
    const overlapChars = secret.length - 1 + random.below(4);
    // Taking one out can make another of what stood around it; whoever judges again would find that, and this mutator does not.
    if (judge(judge(full)) !== judge(full)) continue;
    const text = createStreamText({ windowChars: overlapChars + 1 + random.below(9), overlapChars }, 1_000_000);
    let out = "";
    for (let at = 0; at < full.length; at += 3) {
      text.push(full.slice(at, at + 3));
      if (!text.due) continue;
      const window = text.part();
      const judged = judge(window.text);
      if (!judged.startsWith(window.context)) assert.fail(`what was out is changed: seed ${seed}, round ${round}`);
      out += text.release(window, judged);
    }
    const label = `seed ${seed}, round ${round}: ${JSON.stringify({ full, secret, substitute })}`;
    assert.equal(out + text.finish(judge(text.whole())), judge(full), label);
  }
});

test("any text comes out as it went in, cut nowhere inside a pair, and every short piece is seen before it is out", () => {
  const seed = 41;
  const random = seededRandom(seed);
  for (let round = 0; round < 300; round++) {
    const full = Array.from({ length: random.below(60) }, () => random.pick(["a", "b", " ", "é", "😀", "\u{10ffff}"])).join("");
    const deltas: string[] = [];
    for (let at = 0; at < full.length; ) {
      const length = 1 + random.below(9);
      deltas.push(full.slice(at, at + length));
      at += length;
    }
    const windowChars = 1 + random.below(12);
    const overlapChars = random.below(windowChars);
    const { windows, out } = feed(deltas, { windowChars, overlapChars });
    const label = `seed ${seed}, round ${round}`;
    assert.equal(out.join(""), full, label);
    for (const piece of [...out, ...windows]) assert.doesNotMatch(piece, /\p{Surrogate}/u, label);
    // Whatever starts in what a window releases, and is no longer than the overlap and one more, is in that window; a pair that is kept whole may take one.
    let released = 0;
    for (const [index, window] of windows.entries()) {
      const contextChars = released - Math.max(0, released - overlapChars);
      const end = released - contextChars + window.length;
      released += out[index]!.length;
      assert.ok(out[index] === "" || released + overlapChars <= end + 1, label);
    }
  }
});

test("a text that is too long to be judged is refused", () => {
  const text = createStreamText({ windowChars: 4, overlapChars: 1 }, 10);
  text.push("a".repeat(10));
  assert.throws(() => text.push("b"), { code: "limit_exceeded" });
});
