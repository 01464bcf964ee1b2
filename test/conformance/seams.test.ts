import assert from "node:assert/strict";
import { test } from "node:test";
import { guardVectors, play, playedLine } from "./play-seam.ts";
import { SEAMS } from "./seams.ts";

for (const seam of SEAMS) {
  test(`the vectors of guards hold on a seam: ${seam.name}`, async (context) => {
    const played = await play(seam);
    context.diagnostic(playedLine(seam.name, played));
    assert.deepEqual(played.wrong, [], played.wrong.join("\n"));
    const left = [...played.inexpressible.values()].reduce((sum, count) => sum + count, 0);
    assert.equal(played.passed + left, guardVectors.length, "none is skipped in silence");
    assert.ok(played.passed > 0);
  });
}
