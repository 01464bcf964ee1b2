// Sessions that nobody uses, nobody ends, and the server forgets.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { abandonSessions } from "./sessions.ts";

describe("abandoned sessions", () => {
  it("are swept once idle, and leave nothing behind", { timeout: 300_000 }, async () => {
    const { sessions, first, between, second, after, stats, events, timers } = await abandonSessions();
    assert.deepEqual(stats, { sessions: 0, stateless: 0, requests: 0, waiting: 0 });
    assert.deepEqual([events, timers], [0, 0]);
    assert.ok(second <= 1.05 * first, `the second ${sessions} sessions take ${second} bytes, the first took ${first}`);
    assert.ok(between <= 0.05 * first && after <= 0.05 * first, `after the sweeps ${between} and ${after} bytes are left, of ${first}`);
    console.log(`compared: ${sessions} abandoned sessions take ${first} bytes, the next ${sessions} take ${second}; after the sweep ${after} are left`);
  });
});
