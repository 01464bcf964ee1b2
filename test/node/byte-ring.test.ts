import assert from "node:assert/strict";
import { test } from "node:test";
import { createByteRing } from "../../src/node/byte-ring.ts";
import { seededRandom } from "../support/random.ts";

const encoder = new TextEncoder();

test("keeps the last bytes, whatever the pieces they come in", () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = seededRandom(seed);
    const max = 1 + random.below(20);
    const ring = createByteRing(max);
    let all = "";
    for (let piece = random.below(12); piece > 0; piece--) {
      const text = "abcdefghijklmnopqrstuvwxyz0123456789".slice(0, random.below(37));
      ring.push(encoder.encode(text));
      all += text;
      assert.equal(ring.text(), all.slice(-max), `seed ${seed}`);
    }
  }
});

test("leaves out a character that the bound has cut", () => {
  const ring = createByteRing(6);
  ring.push(encoder.encode("😀😀"));
  assert.equal(ring.text(), "😀");
});

test("is empty when nothing was pushed", () => assert.equal(createByteRing(10).text(), ""));
