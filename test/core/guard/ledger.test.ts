import assert from "node:assert/strict";
import { test } from "node:test";
import { createSignal } from "../../../src/core/base/signal.ts";
import { createLedger, type Exchange, type Initiator } from "../../../src/core/guard/ledger.ts";
import type { RequestId } from "../../../src/core/wire/message.ts";

function exchange(id: RequestId, initiator: Initiator = "peer"): Exchange {
  const original = { jsonrpc: "2.0" as const, id, method: "tools/call" };
  // The ledger never looks at the chain.
  const chain = {} as Exchange["chain"];
  return { initiator, id, method: "tools/call", chain, version: undefined, from: undefined, stop: createSignal(), original, final: original, responseEvent: "tools/call", state: "open" };
}

test("1 and \"1\" are different ids, and so is one id of either side", () => {
  const ledger = createLedger(2);
  const all = [exchange(1), exchange("1"), exchange(1, "app")];
  for (const one of all) assert.equal(ledger.open(one), true);
  assert.equal(ledger.find("peer", "1"), all[1]);
  assert.equal(ledger.find("app", 1), all[2]);
  assert.equal(ledger.find("app", "1"), undefined);
  assert.equal(ledger.size, 3);
});

test("a second exchange with an id in flight is refused and leaves the first", () => {
  const ledger = createLedger(2);
  const first = exchange(7);
  const second = exchange(7);
  assert.equal(ledger.open(first), true);
  assert.equal(ledger.open(second), false);
  ledger.end(second);
  assert.equal(ledger.find("peer", 7), first);
  ledger.end(first);
  assert.equal(ledger.size, 0);
  assert.equal(ledger.open(second), true);
});

test("the end of all aborts what runs and empties the ledger", () => {
  const ledger = createLedger(2);
  const one = exchange(1);
  ledger.open(one);
  const reasons: unknown[] = [];
  one.stop.signal.onAbort((reason) => reasons.push(reason));
  ledger.abortAll("over");
  assert.deepEqual(reasons, ["over"]);
  assert.equal(one.state, "ended");
  assert.equal(ledger.size, 0);
});

test("the id of an abandoned exchange is taken until it is answered, or too many have been abandoned since", () => {
  const ledger = createLedger(2);
  for (const id of [1, 2]) ledger.abandon(exchange(id));
  assert.deepEqual([1, 2].map((id) => ledger.open(exchange(id))), [false, false]);
  assert.equal(ledger.open(exchange(1, "app")), true);
  ledger.answered("peer", 1);
  assert.deepEqual([1, 2].map((id) => ledger.open(exchange(id))), [true, false]);
  for (const id of [3, 4]) ledger.abandon(exchange(id));
  assert.deepEqual([2, 3, 4].map((id) => ledger.open(exchange(id))), [true, false, false]);
});
