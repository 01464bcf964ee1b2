import assert from "node:assert/strict";
import { test } from "node:test";
import { createSignal, type Signal } from "../../../../src/core/base/signal.ts";
import { limitCall, waitFor } from "../../../../src/core/mcp/features/client-limit.ts";
import { fakeHost } from "../../../support/fake-host.ts";

/** A signal that counts who listens. */
function counted() {
  const source = createSignal();
  const counter = { listeners: 0 };
  const signal: Signal = {
    get aborted() {
      return source.signal.aborted;
    },
    get reason() {
      return source.signal.reason;
    },
    onAbort(listener) {
      counter.listeners++;
      const off = source.signal.onAbort(listener);
      return () => (counter.listeners--, off());
    },
  };
  return { signal, counter, abort: source.abort };
}

test("a limit listens to its caller, its time and its connection, and leaves nothing behind", () => {
  const host = fakeHost();
  const caller = counted();
  const connection = counted();
  const limit = limitCall("m", { host, options: { signal: caller.signal }, connection: connection.signal, totalMs: 5, dueAt: 5 });
  assert.deepEqual([caller.counter.listeners, connection.counter.listeners, host.liveTimers, limit.remainingMs()], [1, 1, 1, 5]);
  limit.release();
  assert.deepEqual([caller.counter.listeners, connection.counter.listeners, host.liveTimers], [0, 0, 0]);
});

test("a limit without an end sets no timer", () => {
  const host = fakeHost();
  const limit = limitCall("m", { host, options: {}, connection: counted().signal, totalMs: Infinity, dueAt: Infinity });
  assert.deepEqual([host.liveTimers, limit.remainingMs()], [0, Infinity]);
});

test("what is waited for counts if it comes first, and leaves no listener", async () => {
  const { signal, counter, abort } = counted();
  assert.equal(await waitFor(Promise.resolve(5), signal), 5);
  await assert.rejects(waitFor(Promise.reject(new RangeError("x")), signal), RangeError);
  assert.equal(counter.listeners, 0);
  abort(new RangeError("gone"));
  await assert.rejects(waitFor(new Promise(() => {}), signal), { message: "gone" });
});
