// Runs the test files that are named, all in this process: `run.ts` starts it. What would pass for success without being one fails the run: an end before
// the last test, something left behind that keeps the process alive.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const GRACE_MS = 5_000;
const root = import.meta.dirname ?? new URL(".", import.meta.url).pathname;

let finished = false;
process.on("exit", (code) => {
  if (finished && code === 0) return;
  process.exitCode = code === 0 ? 1 : code;
  // A rejection that nobody caught fails the run without being any test's failure, so that the totals may look like success.
  console.error(`\nthe run failed${finished ? "" : ": it ended before the last test had"} (exit code ${process.exitCode})`);
});

for (const file of process.argv.slice(2)) await import(pathToFileURL(join(root, file)).href);

test("no test leaves anything behind that keeps the process alive", async () => {
  const until = Date.now() + GRACE_MS;
  let left = keepingAlive();
  while (left.length > 0 && Date.now() < until) {
    await new Promise((resolve) => setImmediate(resolve));
    left = keepingAlive();
  }
  finished = true;
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
