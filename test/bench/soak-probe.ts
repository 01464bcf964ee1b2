// Goes into the gateway's process beside it (`--import`): says what it holds, after a collection, whenever it is asked.
import assert from "node:assert/strict";

export interface Held {
  readonly heap: number;
  readonly rss: number;
}

const collect = globalThis.gc;
assert.ok(collect, "needs --expose-gc");
process.on("message", async () => {
  // What a collection has set free may hold more that another one finds.
  for (let turn = 0; turn < 3; turn++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, rss } = process.memoryUsage();
  process.send?.({ heap: heapUsed, rss } satisfies Held);
});
// The gateway ends when it is told to, not when nobody asks any more.
process.channel?.unref();
// Nobody is left who would tell it.
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
