// 1,000 sessions with an open stream each, one of which nobody reads.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stallOneReader } from "./streams.ts";

describe("a reader that has stalled", () => {
  it("neither slows the others nor fills the memory", { timeout: 300_000 }, async () => {
    const { streams, p99, floodedBytes, grownBytes, boundBytes, left } = await stallOneReader();
    console.log(
      `compared: ${streams} streams, p99 ${p99.without.toFixed(1)} ms, with one stalled reader ${p99.stalled.toFixed(1)} ms; ` +
        `of ${floodedBytes} bytes for it the server keeps ${grownBytes}, by its limits at most ${boundBytes}`,
    );
    assert.ok(p99.stalled <= 1.5 * p99.without, `p99 is ${p99.stalled} ms, and ${p99.without} ms without it`);
    assert.ok(grownBytes <= boundBytes, `${grownBytes} bytes are kept for one reader, at most ${boundBytes} may be`);
    assert.ok(floodedBytes > 2 * boundBytes, "too little was sent to fill anything");
    assert.deepEqual(left, { sessions: 0, stateless: 0, requests: 0, waiting: 0 });
  });
});
