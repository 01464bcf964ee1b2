import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { sha256 } from "../../../src/core/base/sha256.ts";
import { seededRandom } from "../../support/random.ts";

describe("sha256", () => {
  it("agrees with the platform around every block boundary, and on random bytes", () => {
    const random = seededRandom(1);
    for (const length of [...Array.from({ length: 131 }, (_, index) => index), 1000, 65_537]) {
      const bytes = Uint8Array.from({ length }, () => random.below(256));
      assert.deepEqual(sha256(bytes), new Uint8Array(createHash("sha256").update(bytes).digest()), `length ${length}`);
    }
  });

  it("reads a view of a larger buffer, and leaves it as it was", () => {
    const whole = Uint8Array.of(1, 2, 3, 4, 5);
    const view = whole.subarray(1, 4);
    assert.deepEqual(sha256(view), sha256(Uint8Array.of(2, 3, 4)));
    assert.deepEqual(whole, Uint8Array.of(1, 2, 3, 4, 5));
  });
});
