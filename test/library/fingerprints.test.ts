import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fingerprints } from "../../src/library/fingerprints.ts";
import { seededRandom } from "../support/random.ts";

const random = seededRandom(11).next;
const letters = (count: number) => Array.from({ length: count }, () => "abcdefghijklmnopqrstuvwxyz0123456789"[Math.floor(random() * 36)]).join("");

function printsOf(text: string, sharedChars = 48): Set<number> {
  const prints = new Set<number>();
  fingerprints(text, sharedChars, (print) => prints.add(print));
  return prints;
}

const inCommon = (left: string, right: string, sharedChars = 48) => {
  const prints = printsOf(left, sharedChars);
  return [...printsOf(right, sharedChars)].filter((print) => prints.has(print)).length;
};

describe("fingerprints", () => {
  it("are in common to all texts that share a run, wherever it stands", () => {
    for (let round = 0; round < 300; round++) {
      const shared = letters(48);
      const left = letters(Math.floor(random() * 200)) + shared + letters(Math.floor(random() * 200));
      const right = letters(Math.floor(random() * 200)) + shared + letters(Math.floor(random() * 200));
      assert.ok(inCommon(left, right) > 0, `round ${round}`);
    }
  });

  it("are not in common to texts that share too little", () => {
    for (let round = 0; round < 300; round++) {
      const shared = letters(32);
      assert.equal(inCommon(`${letters(300)}${shared}${letters(300)}`, `${letters(300)}${shared}${letters(300)}`), 0, `round ${round}`);
    }
  });

  it("know a text in other case, spacing and punctuation, and in other scripts", () => {
    const text = "Überweisungen an die Müller & Söhne GmbH: 12.400 € am 3. März, danach monatlich.";
    assert.ok(inCommon(text, text.toUpperCase().replace(/ /g, "\n\t- ")) > 0);
    const cyrillic = "Отчёт о квартальных результатах показывает снижение выручки на семь процентов";
    assert.ok(inCommon(cyrillic, `«${cyrillic.replaceAll(" ", "  ")}»`) > 0);
  });

  it("are few: about one for eight characters", () => {
    const count = printsOf(letters(100_000)).size;
    assert.ok(count > 8_000 && count < 16_000, String(count));
  });

  it("are told once for a text that is one letter, or two in turn, again and again", () => {
    for (const [part, most] of [["a", 1], ["ab", 60_000], ["\u4e00", 1]] as const) {
      let told = 0;
      fingerprints(part.repeat(100_000), 48, () => told++);
      assert.ok(told > 0 && told <= most, `${part}: ${told}`);
    }
  });

  it("are the smallest hash of each sixteen windows, found by looking at all of them", () => {
    // What any two texts have in common follows from that; here by the sets of a text and its parts.
    for (let round = 0; round < 100; round++) {
      const text = letters(300);
      const parts = new Set<number>();
      for (let at = 0; at + 48 <= text.length; at++) for (const print of printsOf(text.slice(at, at + 48))) parts.add(print);
      assert.deepEqual(printsOf(text), parts, `round ${round}`);
    }
  });

  it("are none for a text that is shorter than what must be shared", () => {
    assert.equal(printsOf(letters(47)).size, 0);
    assert.equal(printsOf(letters(48)).size, 1);
    assert.equal(printsOf(letters(99), 100).size, 0);
  });
});
