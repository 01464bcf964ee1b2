import assert from "node:assert/strict";
import { test } from "node:test";
import { createDeadlines } from "../../../src/core/jsonrpc/deadlines.ts";
import { fakeHost } from "../../support/fake-host.ts";

function setUp() {
  const host = fakeHost();
  const table = new Map<string, { name: string; dueAt: number }>();
  const expired: string[] = [];
  const deadlines = createDeadlines(host, () => table.values(), ({ name }) => {
    table.delete(name);
    expired.push(`${name} at ${host.now()}`);
    if (table.size === 0) deadlines.stop();
  });
  const add = (name: string, dueAt: number) => {
    const entry = { name, dueAt };
    table.set(name, entry);
    deadlines.watch(entry);
    return entry;
  };
  return { host, table, expired, deadlines, add };
}

test("deadlines: each entry expires at its time, whatever the order they came in", async () => {
  const { host, expired, add } = setUp();
  for (const [name, dueAt] of [["c", 30], ["a", 10], ["b", 20], ["b2", 20], ["never", Infinity]] as const) add(name, dueAt);
  await host.advance(100);
  assert.deepEqual(expired, ["a at 10", "b at 20", "b2 at 20", "c at 30"]);
  assert.equal(host.liveTimers, 0);
});

test("deadlines: one timer is enough for all, and stop leaves none", () => {
  const { host, deadlines, add } = setUp();
  for (let index = 0; index < 100; index++) add(`${index}`, 1_000 - index);
  assert.equal(host.liveTimers, 1);
  deadlines.stop();
  assert.equal(host.liveTimers, 0);
});

test("deadlines: an entry that never ends needs no timer", () => {
  const { host, add } = setUp();
  add("never", Infinity);
  assert.equal(host.liveTimers, 0);
});

test("deadlines: an entry whose time moved later, or that is gone, does not expire early", async () => {
  const { host, table, expired, add } = setUp();
  const moved = add("moved", 10);
  add("gone", 10);
  add("other", 50);
  moved.dueAt = 40;
  table.delete("gone");
  await host.advance(100);
  assert.deepEqual(expired, ["moved at 40", "other at 50"]);
});

test("deadlines: work again after stop, and for entries that an expiry brings", async () => {
  const { host, table, expired, deadlines, add } = setUp();
  add("a", 10);
  table.delete("a");
  deadlines.stop();
  add("b", 20);
  await host.advance(20);
  add("c", 30);
  await host.advance(10);
  assert.deepEqual(expired, ["b at 20", "c at 30"]);
  assert.equal(host.liveTimers, 0);
});
