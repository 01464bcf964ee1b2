import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClock, TICK_MS } from "../../../src/core/http/clock.ts";
import { fakeHost } from "../../support/fake-host.ts";

describe("a server's clock", () => {
  it("runs one timer while anything is watched, and none after", async () => {
    const host = fakeHost();
    const clock = createClock(host);
    assert.equal(host.liveTimers, 0);
    const seen: number[] = [];
    const first = clock.watch({ tick: (now) => seen.push(now) });
    const second = clock.watch({ tick: () => {} });
    assert.equal(host.liveTimers, 1);
    await host.advance(2 * TICK_MS);
    assert.deepEqual(seen, [TICK_MS, 2 * TICK_MS]);
    clock.unwatch(first);
    clock.unwatch(second);
    await host.advance(TICK_MS);
    assert.equal(host.liveTimers, 0);
    assert.equal(seen.length, 2);
  });

  it("is right from the start where it stood still before", async () => {
    const host = fakeHost();
    const clock = createClock(host);
    await host.advance(60_000);
    clock.watch({ tick: () => {} });
    assert.equal(clock.now, 60_000);
    clock.stop();
    assert.equal(host.liveTimers, 0);
    clock.watch({ tick: () => assert.fail("it has stopped") });
    assert.equal(host.liveTimers, 0);
  });
});
