import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSignal, isSignal, subscribe } from "../../../src/core/base/signal.ts";
import { NEVER } from "../../support/never.ts";

describe("createSignal", () => {
  it("tells nobody who left before, in whatever order they came and whoever told them to", () => {
    const { signal, abort } = createSignal();
    const told: string[] = [];
    const leaves = new Map<string, () => void>();
    const listen = (name: string) => leaves.set(name, signal.onAbort(() => {
      told.push(name);
      if (name === "b") leaves.get("d")?.();
    }));
    for (const name of ["a", "b", "c"]) listen(name);
    leaves.get("a")?.();
    leaves.get("a")?.();
    for (const name of ["d", "e"]) listen(name);
    abort("now");
    assert.deepEqual(told, ["b", "c", "e"]);
  });

  it("tells each listener once, in the order of subscription, with the first reason", () => {
    const { signal, abort } = createSignal();
    const told: string[] = [];
    signal.onAbort((reason) => told.push(`a ${String(reason)}`));
    signal.onAbort((reason) => told.push(`b ${String(reason)}`));
    assert.deepEqual([signal.aborted, signal.reason], [false, undefined]);
    abort("first");
    abort("second");
    assert.deepEqual(told, ["a first", "b first"]);
    assert.deepEqual([signal.aborted, signal.reason], [true, "first"]);
  });

  it("tells a listener that comes after the abort at once", () => {
    const { signal, abort } = createSignal();
    abort("gone");
    const told: unknown[] = [];
    signal.onAbort((reason) => told.push(reason))();
    assert.deepEqual(told, ["gone"]);
  });

  it("tells nobody who has unsubscribed, even while it tells the others", () => {
    const { signal, abort } = createSignal();
    const told: string[] = [];
    signal.onAbort(() => {
      told.push("a");
      offC();
    });
    const offB = signal.onAbort(() => told.push("b"));
    const offC = signal.onAbort(() => told.push("c"));
    offB();
    offB();
    abort(undefined);
    assert.deepEqual(told, ["a"]);
  });

  it("counts one function subscribed twice as two", () => {
    const { signal, abort } = createSignal();
    let told = 0;
    const listener = () => told++;
    signal.onAbort(listener)();
    signal.onAbort(listener);
    signal.onAbort(listener);
    abort("x");
    assert.equal(told, 2);
  });

  it("shows itself aborted to its listeners", () => {
    const { signal, abort } = createSignal();
    signal.onAbort(() => assert.deepEqual([signal.aborted, signal.reason], [true, "x"]));
    abort("x");
  });

  it("aborts with any of its parents, ours or the platform's", () => {
    for (const which of [0, 1]) {
      const own = createSignal();
      const platform = new AbortController();
      const child = createSignal(undefined, own.signal, platform.signal);
      [own.abort, (reason: unknown) => platform.abort(reason)][which]!("why");
      assert.deepEqual([child.signal.aborted, child.signal.reason], [true, "why"]);
    }
  });

  it("is aborted from the start under an aborted parent", () => {
    const live = countedParent();
    const { signal } = createSignal(live, AbortSignal.abort("early"), countedParent());
    assert.deepEqual([signal.aborted, signal.reason], [true, "early"]);
    assert.equal(live.listeners, 0);
  });

  it("leaves no listener on its parents after a disposal or an abort", () => {
    const parent = countedParent();
    const disposed = createSignal(parent);
    const aborted = createSignal(parent);
    assert.equal(parent.listeners, 2);
    disposed.dispose();
    disposed.dispose();
    aborted.abort("x");
    assert.equal(parent.listeners, 0);
    assert.equal(disposed.signal.aborted, false);
  });

  it("can still be aborted by hand after a disposal", () => {
    const source = createSignal(countedParent());
    source.dispose();
    source.abort("late");
    assert.equal(source.signal.reason, "late");
  });
});

describe("subscribe", () => {
  it("listens to the platform's signals, past and future, until it is unsubscribed", () => {
    const told: unknown[] = [];
    const controller = new AbortController();
    subscribe(controller.signal, () => told.push("never"))();
    subscribe(controller.signal, (reason) => told.push(reason));
    controller.abort("a");
    subscribe(controller.signal, (reason) => told.push(reason))();
    assert.deepEqual(told, ["a", "a"]);
  });
});

describe("isSignal", () => {
  it("knows both kinds of signal, and nothing that could not be listened to", () => {
    for (const signal of [NEVER, createSignal().signal, new AbortController().signal]) assert.ok(isSignal(signal));
    for (const other of [undefined, null, 5, "x", {}, { aborted: false }, { aborted: false, onAbort: 1 }, { aborted: 0, onAbort() {} }, new AbortController()]) {
      assert.ok(!isSignal(other));
    }
  });
});

function countedParent() {
  const listeners = new Set<() => void>();
  return {
    aborted: false,
    reason: undefined,
    addEventListener: (_type: "abort", listener: () => void) => void listeners.add(listener),
    removeEventListener: (_type: "abort", listener: () => void) => void listeners.delete(listener),
    get listeners() {
      return listeners.size;
    },
  };
}
