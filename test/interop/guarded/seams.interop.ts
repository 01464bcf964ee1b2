import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { guardVectors, play, playedLine } from "../../conformance/play-seam.ts";
import { SDK_SEAMS } from "./sdk-seams.ts";

describe("the vectors of guards hold on the official SDKs' side", () => {
  for (const seam of SDK_SEAMS) {
    it(seam.name, async () => {
      const outcome = await play(seam);
      console.log(`compared: ${playedLine(seam.name, outcome)}`);
      assert.deepEqual(outcome.wrong, [], outcome.wrong.join("\n"));
      const left = [...outcome.inexpressible.values()].reduce((sum, count) => sum + count, 0);
      assert.equal(outcome.passed + left, guardVectors.length, "none is skipped in silence");
      assert.ok(outcome.passed > 0);
    });
  }
});
