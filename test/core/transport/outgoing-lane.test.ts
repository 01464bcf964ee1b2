import assert from "node:assert/strict";
import { test } from "node:test";
import { createOutgoingLane } from "../../../src/core/transport/outgoing-lane.ts";
import { settle } from "../../support/fake-host.ts";

/** A lane whose writes settle when told. */
function heldLane(maxQueuedBytes: number) {
  const writes: { size: number; resolve(): void; reject(error: Error): void }[] = [];
  const lane = createOutgoingLane((bytes) => new Promise((resolve, reject) => writes.push({ size: bytes.length, resolve, reject })), maxQueuedBytes);
  const outcomes: string[] = [];
  const send = (size: number) =>
    void lane.send(new Uint8Array(size)).then(() => outcomes.push(`${size}`), (thrown: { code: string }) => outcomes.push(`${size} ${thrown.code}`));
  return { lane, writes, outcomes, send };
}

test("accepts up to the byte limit, and more as bytes are written, in the order of the sends", async () => {
  const { writes, outcomes, send } = heldLane(10);
  for (const size of [4, 6, 5, 1]) send(size);
  await settle();
  assert.deepEqual(outcomes, ["4", "6"]);
  writes[0]!.resolve();
  await settle();
  assert.deepEqual(outcomes, ["4", "6"], "5 bytes do not fit beside 6, and 1 must not overtake");
  writes[1]!.resolve();
  await settle();
  assert.deepEqual(outcomes, ["4", "6", "5", "1"]);
  assert.deepEqual(writes.map(({ size }) => size), [4, 6, 5, 1]);
});

test("accepts one message above the limit when nothing else waits", async () => {
  const { writes, outcomes, send } = heldLane(10);
  send(50);
  send(1);
  await settle();
  assert.deepEqual(outcomes, ["50"]);
  writes[0]!.resolve();
  await settle();
  assert.deepEqual(outcomes, ["50", "1"]);
});

test("ends for senders at once, and is flushed when what it accepted is written", async () => {
  const { lane, writes, outcomes, send } = heldLane(10);
  send(10);
  send(3);
  lane.end();
  send(1);
  let flushed = false;
  void lane.flushed().then(() => (flushed = true));
  await settle();
  assert.deepEqual(outcomes, ["10", "3 closed", "1 closed"]);
  assert.equal(flushed, false);
  writes[0]!.resolve();
  await settle();
  assert.equal(flushed, true);
  assert.equal(writes.length, 1);
});

test("rejects who waits, and is as flushed as it will be, when a write fails", async () => {
  const { lane, writes, outcomes, send } = heldLane(10);
  send(10);
  send(2);
  const flushed = lane.flushed();
  writes[0]!.reject(new TypeError("EPIPE"));
  await flushed;
  await settle();
  assert.deepEqual(outcomes, ["10", "2 closed"]);
  await assert.rejects(lane.send(new Uint8Array(1)), { code: "closed", message: /EPIPE/ });
});
