import assert from "node:assert/strict";
import { it } from "node:test";
import { coalesced } from "../../../src/gateway/config/coalesced.ts";

it("what is asked for while it is being done is done once more, however often it is asked for, unless it is over by then", async () => {
  let over = false;
  const ends: (() => void)[] = [];
  const work = coalesced(() => new Promise((resolve) => ends.push(resolve)), () => over);
  const all = [work.ask(), work.ask(), work.ask()];
  assert.equal(ends.length, 1);
  ends[0]?.();
  await Promise.resolve();
  assert.equal(ends.length, 2);
  const last = work.ask();
  over = true;
  ends[1]?.();
  await Promise.all([...all, last]);
  assert.deepEqual([ends.length, work.running], [2, undefined]);
});
