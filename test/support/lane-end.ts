// The last part of the module that `run.ts` makes of many test files: something left behind that keeps the process alive fails the run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lane } from "./lane-start.ts";

const GRACE_MS = 5_000;

test("no test leaves anything behind that keeps the process alive", async () => {
  const until = Date.now() + GRACE_MS;
  let left = keepingAlive();
  while (left.length > 0 && Date.now() < until) {
    await new Promise((resolve) => setImmediate(resolve));
    left = keepingAlive();
  }
  lane.finished = true;
  if (left.length > 0) endAnyway();
  assert.deepEqual(left, []);
});

/** The runner tells failures and totals once the process is idle, which it never will be: so it is told that it is, and given time to write. */
function endAnyway(): void {
  setTimeout(() => process.emit("beforeExit", 1), 100);
  setTimeout(() => process.exit(1), 2_000);
}

/** Timers, processes, sockets and the like; the standard streams are not ours to close, nor are a loader's worker and its port. */
function keepingAlive(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => !/^(?:Immediate|TTYWrap|PipeWrap|MessagePort|Worker|FSReqPromise|CloseReq|TickObject)$/.test(kind));
}
