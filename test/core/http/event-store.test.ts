import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { memoryEventStore } from "../../../src/core/http/event-store.ts";

const places = (events: readonly { place: number }[] | undefined) => events?.map(({ place }) => place);

describe("memoryEventStore", () => {
  it("gives what followed an event on its own stream of its own session, in order", () => {
    const store = memoryEventStore();
    for (const [session, stream, place] of [["a", 1, 1], ["a", 2, 1], ["b", 1, 1], ["a", 1, 2], ["a", 1, 5]] as const) store.put(session, stream, { place, data: `${session}${stream}` });
    assert.deepEqual(places(store.after("a", 1, 0)), [1, 2, 5]);
    assert.deepEqual(places(store.after("a", 1, 2)), [5]);
    assert.deepEqual(places(store.after("a", 1, 9)), []);
    assert.deepEqual(places(store.after("a", 2, 0)), [1]);
    assert.equal(store.after("a", 3, 0), undefined);
    assert.equal(store.after("c", 1, 0), undefined);
  });

  it("drops the oldest at either bound, whosever it is, and says where something is missing", () => {
    for (const limits of [{ maxStoredEvents: 3 }, { maxStoredChars: 3 }]) {
      const store = memoryEventStore({ limits });
      for (let place = 1; place <= 2; place++) store.put("a", 1, { place, data: "x" });
      store.put("b", 1, { place: 1, data: "x" });
      assert.equal(store.size, 3, "at the bound");
      store.put("b", 1, { place: 2, data: "x" });
      assert.equal(store.size, 3);
      assert.equal(store.after("a", 1, 0), undefined);
      assert.deepEqual(places(store.after("a", 1, 1)), [2]);
      store.put("b", 1, { place: 3, data: "x" });
      assert.equal(store.after("a", 1, 1), undefined, "nothing is left of that stream");
      store.put("a", 1, { place: 3, data: "x" });
      assert.deepEqual(places(store.after("a", 1, 2)), [3]);
      assert.equal(store.after("a", 1, 1), undefined);
    }
  });

  it("keeps nothing of one event that is larger than everything", () => {
    const store = memoryEventStore({ limits: { maxStoredChars: 3 } });
    store.put("a", 1, { place: 1, data: "long one" });
    assert.equal(store.size, 0);
    assert.equal(store.after("a", 1, 0), undefined);
  });

  it("forgets a session, and has room again", () => {
    const store = memoryEventStore({ limits: { maxStoredEvents: 2 } });
    store.put("a", 1, { place: 1, data: "x" });
    store.put("b", 1, { place: 1, data: "x" });
    store.forget("a");
    store.forget("unknown");
    assert.equal(store.size, 1);
    store.put("c", 1, { place: 1, data: "x" });
    assert.deepEqual(places(store.after("b", 1, 0)), [1]);
  });
});
