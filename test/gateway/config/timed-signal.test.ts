import assert from "node:assert/strict";
import { it } from "node:test";
import { inTimeOf } from "../../../src/gateway/config/timed-signal.ts";
import { fakeHost } from "../../support/fake-host.ts";

it("a signal ends work when its time is over or it is given up, and no timer is left", async () => {
  const host = fakeHost();
  const reasonOf = (after: (giveUp: (why: string) => void) => unknown) =>
    inTimeOf(host, 100, "too late", (signal, giveUp) => {
      const reason = new Promise<{ readonly code: string; readonly message: string }>((resolve) => signal.onAbort((why) => resolve(why as { code: string; message: string })));
      after(giveUp);
      return reason;
    });
  const late = await reasonOf(() => host.advance(100));
  const given = await reasonOf((giveUp) => giveUp("enough"));
  assert.deepEqual([late.code, late.message, given.code, given.message], ["timeout", "too late", "aborted", "enough"]);
  assert.equal(await inTimeOf(host, 100, "too late", async () => 7), 7);
  assert.equal(host.liveTimers, 0);
});
