import assert from "node:assert/strict";
import { test } from "node:test";
import { createObserver, observerOf } from "../../../src/core/chain/observer.ts";
import { settle } from "../../support/fake-host.ts";
import { deferred } from "./kit.ts";

test("an observer gets each event once, in order, and not while it is being told", async () => {
  const seen: number[] = [];
  const observer = createObserver<number>((event) => void seen.push(event));
  for (let event = 0; event < 200; event++) observer.tell(event);
  assert.deepEqual(seen, []);
  assert.equal(observer.stats().waiting, 200);
  await settle();
  assert.deepEqual(seen, Array.from({ length: 200 }, (_, at) => at));
  assert.deepEqual(observer.stats(), { delivered: 200, failed: 0, dropped: 0, waiting: 0 });
});

test("an observer that awaits something gets one event at a time", async () => {
  const turns = [deferred<void>(), deferred<void>()];
  const seen: number[] = [];
  const observer = createObserver<number>((event) => (seen.push(event), turns[event]?.promise));
  [0, 1, 2].forEach((event) => observer.tell(event));
  await settle();
  assert.deepEqual(seen, [0]);
  turns[0]!.resolve();
  await settle();
  assert.deepEqual([seen, observer.stats().waiting], [[0, 1], 2]);
  turns[1]!.resolve();
  await settle();
  assert.deepEqual(seen, [0, 1, 2]);
});

test("what finds the queue full is dropped and counted, and the observer goes on with what was kept", async () => {
  const turn = deferred<void>();
  const seen: number[] = [];
  const observer = createObserver<number>((event) => (seen.push(event), event === 0 ? turn.promise : undefined), { maxQueued: 3 });
  for (let event = 0; event < 5; event++) observer.tell(event);
  assert.deepEqual(observer.stats(), { delivered: 0, failed: 0, dropped: 2, waiting: 3 });
  await settle();
  observer.tell(5);
  turn.resolve();
  await settle();
  observer.tell(6);
  await settle();
  assert.deepEqual(seen, [0, 1, 2, 6]);
  assert.deepEqual(observer.stats(), { delivered: 4, failed: 0, dropped: 3, waiting: 0 });
});

test("an observer's queue holds what waits and no more, however many events go through it", async () => {
  let last = deferred<void>();
  let told = 0;
  const observer = createObserver<number>(() => ((last = deferred()), last.promise), { maxQueued: 4 });
  for (; told < 1_000; told++) {
    observer.tell(told);
    await Promise.resolve();
    await Promise.resolve();
    if (told % 2 === 1) last.resolve();
    await settle();
    assert.ok(observer.stats().waiting <= 4);
  }
  const { delivered, dropped, waiting } = observer.stats();
  assert.equal(delivered + dropped + waiting, 1_000);
  assert.ok(dropped > 0 && delivered > 400, `${dropped} ${delivered}`);
});

test("what an observer throws or rejects with is counted, and it gets the next event all the same", async () => {
  for (const bad of [() => { throw new Error("x"); }, () => Promise.reject(new Error("x")), () => ({ then: () => { throw new Error("x"); } })]) {
    let calls = 0;
    const observer = createObserver<number>(() => (calls++, bad()));
    observer.tell(1);
    observer.tell(2);
    await settle();
    assert.deepEqual([calls, observer.stats()], [2, { delivered: 2, failed: 2, dropped: 0, waiting: 0 }]);
  }
});

test("an observer that tells itself is no endless loop", async () => {
  let calls = 0;
  const observer = createObserver<number>((event) => {
    calls++;
    if (event < 500) observer.tell(event + 1);
  });
  observer.tell(0);
  await settle();
  assert.equal(calls, 501);
});

test("an observer made by somebody else may throw, and what is none is refused", () => {
  const bad = { tell: () => { throw new Error("x"); }, stats: () => ({ delivered: 0, failed: 7, dropped: 0, waiting: 0 }) };
  const observer = observerOf(bad, 10);
  observer?.tell(1);
  assert.equal(observer?.stats().failed, 7);
  assert.equal(observerOf(undefined, 10), undefined);
  for (const wrong of [null, 1, {}, { tell: 1 }]) assert.throws(() => observerOf(wrong as never, 10), { code: "invalid_argument" });
  for (const maxQueued of [0, -1, 1.5, NaN]) assert.throws(() => createObserver(() => {}, { maxQueued }), { code: "invalid_argument" });
  assert.throws(() => createObserver(1 as never), { code: "invalid_argument" });
});
