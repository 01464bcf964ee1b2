import assert from "node:assert/strict";
import { test } from "node:test";
import { createLane, type FrameKind, type Place } from "../../../src/core/guard/lane.ts";
import { seededRandom } from "../../support/random.ts";

function line(...kinds: FrameKind[]) {
  const lane = createLane();
  const log: string[] = [];
  const places = kinds.map((kind) => lane.enter(kind));
  const release = (index: number) => places[index]!.release(() => log.push(`${kinds[index]} ${index}`));
  return { lane, log, release, places };
}

test("a held notification holds what comes after it", () => {
  const { log, release, lane } = line("notification", "response", "request");
  release(1);
  release(2);
  assert.deepEqual(log, []);
  release(0);
  assert.deepEqual(log, ["notification 0", "response 1", "request 2"]);
  assert.equal(lane.isEmpty(), true);
});

test("a response passes a held request and what waits behind it, and nothing else does", () => {
  const { log, release } = line("request", "notification", "request", "response");
  release(1);
  release(2);
  release(3);
  assert.deepEqual(log, ["response 3"]);
  release(0);
  assert.deepEqual(log, ["response 3", "request 0", "notification 1", "request 2"]);
});

test("a response does not pass a notification that is itself held", () => {
  const { log, release } = line("request", "notification", "response");
  release(2);
  assert.deepEqual(log, []);
  release(1);
  assert.deepEqual(log, ["response 2"]);
  release(0);
  assert.deepEqual(log, ["response 2", "request 0", "notification 1"]);
});

test("a place is left once, and without an action too", () => {
  const { lane, log, places, release } = line("request", "request");
  places[0]!.release();
  places[0]!.release(() => log.push("again"));
  release(1);
  assert.deepEqual(log, ["request 1"]);
  assert.equal(lane.isEmpty(), true);
});

test("whatever the order of release, frames of one kind keep theirs (seed 11)", () => {
  const random = seededRandom(11);
  for (let round = 0; round < 200; round++) {
    const lane = createLane();
    const kinds: FrameKind[] = Array.from({ length: 12 }, () => random.pick(["request", "notification", "response"] as const));
    const out: number[] = [];
    const waiting: [number, Place][] = kinds.map((kind, index) => [index, lane.enter(kind)]);
    while (waiting.length > 0) {
      const [[index, place]] = waiting.splice(random.below(waiting.length), 1) as [[number, Place]];
      place.release(() => out.push(index));
    }
    assert.equal(out.length, kinds.length);
    for (let i = 0; i < out.length; i++) {
      for (let j = i + 1; j < out.length; j++) {
        const overtaken = out[i]! > out[j]!;
        if (overtaken) assert.equal(kinds[out[i]!], "response", `round ${round}`);
        if (overtaken) assert.notEqual(kinds[out[j]!], "response", `round ${round}`);
      }
    }
  }
});
