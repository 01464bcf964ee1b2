import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createQueue } from "../../../src/core/base/queue.ts";
import { seededRandom } from "../../support/random.ts";

describe("createQueue", () => {
  it("gives items in the order in which they were pushed, to pullers in the order in which they came", async () => {
    const queue = createQueue<number>();
    const early = [queue.pull(), queue.pull()];
    for (const item of [1, 2, 3, 4]) assert.ok(queue.push(item));
    assert.deepEqual(await Promise.all([...early, queue.pull(), queue.pull()]), [1, 2, 3, 4]);
  });

  it("behaves as a plain list under random pushes and pulls", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = seededRandom(seed);
      const queue = createQueue<number>();
      const model: number[] = [];
      for (let step = 0; step < 600; step++) {
        // Pushes prevail at first, then pulls, so that the queue's head moves far.
        if (random.below(10) < (step < 300 ? 7 : 3)) {
          queue.push(step);
          model.push(step);
        } else if (model.length > 0) assert.equal(await queue.pull(), model.shift(), `seed ${seed}`);
        assert.equal(queue.size, model.length, `seed ${seed}`);
      }
    }
  });

  it("gives what was pushed before the close, then undefined for ever", async () => {
    const queue = createQueue<string>();
    queue.push("a");
    queue.close();
    queue.close();
    assert.equal(queue.closed, true);
    assert.equal(queue.push("b"), false);
    assert.deepEqual([await queue.pull(), await queue.pull(), await queue.pull()], ["a", undefined, undefined]);
    assert.equal(queue.size, 0);
  });

  it("sends waiting pullers home at the close", async () => {
    const queue = createQueue<string>();
    const waiting = [queue.pull(), queue.pull()];
    queue.close();
    assert.deepEqual(await Promise.all(waiting), [undefined, undefined]);
  });

  it("settles drained as soon as the size is below the mark, each waiter at its own", async () => {
    const queue = createQueue<number>();
    const settled: string[] = [];
    for (const item of [1, 2, 3]) queue.push(item);
    void queue.drained(4).then(() => settled.push("below 4"));
    void queue.drained(1).then(() => settled.push("below 1"));
    void queue.drained(3).then(() => settled.push("below 3"));
    await queue.pull();
    assert.deepEqual(settled, ["below 4", "below 3"]);
    await queue.pull();
    assert.equal(settled.length, 2);
    await queue.pull();
    await Promise.resolve();
    assert.deepEqual(settled, ["below 4", "below 3", "below 1"]);
  });

  it("settles drained at the close, though items are left", async () => {
    const queue = createQueue<number>();
    queue.push(1);
    const drained = queue.drained(1);
    queue.close();
    await drained;
    await queue.drained(1);
    assert.equal(queue.size, 1);
  });

  it("keeps undefined items apart from the end", async () => {
    const queue = createQueue<undefined>();
    queue.push(undefined);
    assert.equal(queue.size, 1);
    assert.equal(await queue.pull(), undefined);
    assert.equal(queue.size, 0);
    assert.equal(queue.closed, false);
  });
});
