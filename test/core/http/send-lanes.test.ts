import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSendLanes } from "../../../src/core/http/send-lanes.ts";
import { settle } from "../../support/fake-host.ts";

/** Jobs that end when told to, and a record of what has started. */
function jobs() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    end: (name: string) => ends.get(name)?.(),
    job: (name: string) => () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    },
  };
}

const settled = async (promise: Promise<void>) => {
  let done = false;
  void promise.then(() => (done = true));
  await settle();
  return done;
};

describe("the lanes of what has no answer", () => {
  it("start the first job of a lane within the call, the next one after it, and other lanes at once", async () => {
    const { job, started, end } = jobs();
    const lanes = createSendLanes(100);
    void lanes.run("a", 10, job("a1"));
    void lanes.run("a", 10, job("a2"));
    void lanes.run(undefined, 10, job("none"));
    assert.deepEqual(started, ["a1", "none"]);
    await settle();
    assert.deepEqual(started, ["a1", "none"]);
    end("a1");
    await settle();
    assert.deepEqual(started, ["a1", "none", "a2"]);
    end("a2");
    await settle();
    void lanes.run("a", 10, job("a3"));
    assert.equal(started.at(-1), "a3", "a lane that has run dry begins anew");
  });

  it("accept up to the limit of their bytes at once, and make senders wait for their turn above it", async () => {
    const { job, end } = jobs();
    const lanes = createSendLanes(100);
    assert.equal(await settled(lanes.run("a", 60, job("1"))), true);
    assert.equal(await settled(lanes.run("a", 40, job("2"))), true);
    const third = lanes.run("a", 1, job("3"));
    assert.equal(await settled(third), false);
    assert.equal(await settled(lanes.run("b", 500, job("b"))), true, "one that is alone is taken, whatever its size");
    end("1");
    assert.equal(await settled(third), false);
    end("2");
    assert.equal(await settled(third), true);
  });
});
