import assert from "node:assert/strict";
import { test } from "node:test";
import { growthOfLastHalf, isTelling } from "./soak-memory.ts";

const samples = (bytesAt: (index: number) => number) => Array.from({ length: 40 }, (_, index) => ({ calls: 5_000 * (index + 1), bytes: bytesAt(index) }));

test("growth of the last half leaves warming up out, and sees what is steady through what comes and goes", () => {
  assert.equal(growthOfLastHalf(samples((index) => (index < 20 ? index * 1_000 : 20_000))), 0);
  assert.ok(Math.abs(growthOfLastHalf(samples((index) => 10 * index)) - 190) < 1e-6);
  const noisy = growthOfLastHalf(samples((index) => 10 * index + (index % 2 === 0 ? 50 : -50)));
  assert.ok(noisy > 170 && noisy < 210, String(noisy));
  assert.ok(growthOfLastHalf(samples((index) => (index === 30 ? 1_000 : 0))) < 30);
});

test("the last half of a run says something where it begins in a warm process", () => {
  const ofRun = (calls: number) => Array.from({ length: 40 }, (_, index) => ({ calls: (calls * (index + 1)) / 40, bytes: 0 }));
  assert.deepEqual([0, 6_000, 20_000, 200_000].map((calls) => isTelling(ofRun(calls))), [false, false, true, true]);
  assert.equal(isTelling([]), false);
});
