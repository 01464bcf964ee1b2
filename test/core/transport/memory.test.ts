import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import { transportContract } from "../../support/transport-contract.ts";

transportContract({
  name: "a memory pair",
  backPressure: true,
  async open() {
    const [near, far] = memoryPair({ limits: { maxQueuedFrames: 8 } });
    return { near, far };
  },
});

const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" }) as const;

test("a memory pair passes the text of a frame on as it is, and makes none", async () => {
  const [near, far] = memoryPair();
  await near.send({ message: ping(1), text: ' {"jsonrpc": "2.0", "id": 1, "method": "ping"}' });
  await near.send({ message: ping(2) });
  assert.equal((await far.receive())?.frame.text, ' {"jsonrpc": "2.0", "id": 1, "method": "ping"}');
  const second = await far.receive();
  assert.ok(second !== undefined && !("text" in second.frame));
});

test("a memory pair accepts exactly maxQueuedFrames frames that nobody pulls, and one more for each pull", async () => {
  const [near, far] = memoryPair({ limits: { maxQueuedFrames: 3 } });
  const accepted: number[] = [];
  for (let id = 1; id <= 6; id++) void near.send({ message: ping(id) }).then(() => accepted.push(id));
  await Promise.resolve();
  assert.deepEqual(accepted, [1, 2, 3]);
  await far.receive();
  await Promise.resolve();
  assert.deepEqual(accepted, [1, 2, 3, 4]);
});

test("a sender that waits cannot be overtaken by one that comes when there is room", async () => {
  const [near, far] = memoryPair({ limits: { maxQueuedFrames: 1 } });
  const sends = [near.send({ message: ping(1) }), near.send({ message: ping(2) })];
  const first = far.receive();
  sends.push(near.send({ message: ping(3) }));
  assert.deepEqual((await first)?.frame.message, ping(1));
  assert.deepEqual((await far.receive())?.frame.message, ping(2));
  assert.deepEqual((await far.receive())?.frame.message, ping(3));
  await Promise.all(sends);
});

test("a message whose send was rejected by the peer's end is not delivered", async () => {
  const [near, far] = memoryPair({ limits: { maxQueuedFrames: 1 } });
  const accepted = near.send({ message: ping(1) });
  const waiting = near.send({ message: ping(2) });
  const refused = assert.rejects(waiting, { code: "closed" });
  await accepted;
  await near.close();
  await refused;
  assert.deepEqual((await far.receive())?.frame.message, ping(1));
  assert.equal(await far.receive(), undefined);
});

test("a message that a pending receive waits for arrives within two promise turns", async () => {
  const [near, far] = memoryPair();
  let turns = 0;
  let done = false;
  void far.receive().then(() => (done = true));
  void near.send({ message: ping(1) });
  while (!done && turns < 10) {
    await Promise.resolve();
    turns++;
  }
  assert.ok(turns <= 2, `${turns} turns`);
});

test("no two connections of a process have the same name", async () => {
  const names = new Set<string>();
  for (let pair = 0; pair < 3; pair++) {
    const [near, far] = memoryPair();
    await near.send({ message: ping(1) });
    await far.send({ message: ping(1) });
    names.add((await far.receive())!.from.connection).add((await near.receive())!.from.connection);
  }
  assert.equal(names.size, 6);
});

test("what is no message rejects at its sender, never reaches the peer, and leaves the connection as it was", async () => {
  const [near, far] = memoryPair();
  const broken: unknown[] = [
    null, [], {}, { id: 1, method: "ping" },
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: null },
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: ["x"] },
    { jsonrpc: "2.0", id: 1.5, method: "ping" },
    { jsonrpc: "2.0", id: 1, method: 5 },
    { jsonrpc: "2.0", id: 1, result: {}, error: { code: 1, message: "both" } },
    { jsonrpc: "2.0", id: 1, result: "text" },
    { jsonrpc: "2.0", id: 1, error: "text" },
  ];
  for (const message of broken) {
    await assert.rejects(near.send({ message: message as never }), { name: "LocalError", code: "invalid_message" }, JSON.stringify(message));
  }
  await near.send({ message: ping(1) });
  assert.deepEqual((await far.receive())?.frame.message, ping(1));
});

test("a message that is certain to be longer than maxMessageBytes rejects, however few objects it is built of", async () => {
  const [near, far] = memoryPair({ limits: { maxMessageBytes: 1000 } });
  let shared: object = { a: 1 };
  for (let doublings = 0; doublings < 40; doublings++) shared = { l: shared, r: shared };
  for (const params of [{ shared }, { text: "x".repeat(1000) }]) {
    await assert.rejects(near.send({ message: { ...ping(1), params } }), { code: "limit_exceeded" });
  }
  await near.send({ message: { ...ping(2), params: { text: "x".repeat(900) } } });
  assert.equal(((await far.receive())?.frame.message as { id: number }).id, 2);
});
