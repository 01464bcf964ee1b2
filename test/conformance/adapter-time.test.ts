import assert from "node:assert/strict";
import { test } from "node:test";
import { inRealTime, restoreTimes } from "../../src/conformance/adapter-time.ts";
import type { Behaviour, ChainVector, VectorExecution, VectorServer } from "../../src/conformance/vector.ts";

const slow = (ms: number, then: Behaviour = { do: "allow" }): Behaviour => ({ do: "slow", ms, then });
const input = (behaviour: Behaviour, more: { readonly timeoutMs?: number; readonly server?: Partial<VectorServer>; readonly execute?: Partial<VectorExecution> } = {}): ChainVector["input"] => ({
  servers: [{ label: "s", interceptors: [{ name: "v", type: "validation", hooks: [], behaviour, ...(more.timeoutMs !== undefined && { timeoutMs: more.timeoutMs }) }], ...more.server }],
  execute: { event: "tools/call", phase: "request", payload: { timeoutMs: 7, ms: 7 }, ...more.execute },
});

test("every time of a vector that waits is ten times as long, and no number of its payload", () => {
  const given = input(slow(99, slow(1)), { timeoutMs: 100, server: { overrides: { v: { timeoutMs: 200 }, w: { mode: "audit" } } }, execute: { timeoutMs: 300 } });
  const { input: longer, restore } = inRealTime(given, 5000);
  assert.deepEqual(longer, input(slow(990, slow(10)), { timeoutMs: 1000, server: { overrides: { v: { timeoutMs: 2000 }, w: { mode: "audit" } } }, execute: { timeoutMs: 3000 } }));
  assert.deepEqual([1000, 2000, 3000, 42, undefined].map(restore), [100, 200, 300, 42, undefined]);
});

test("so are those of what is listed later or in another spelling, of answers, of the caller, and of the wait at the end", () => {
  const given = {
    ...input({ do: "answer", result: { ms: 7 }, ms: 30 }, { server: { later: [{ name: "w", type: "validation", timeoutMs: 40, behaviour: slow(20), listed: { _meta: { "org.mcp-interceptors/timeoutMs": 50, other: 7 } } }] }, execute: { abortAfterMs: 60, edit: { afterMs: 5, path: "/a", value: 7 } } }),
    maxDetached: 7,
    refresh: {},
    waitMs: 70,
  } satisfies ChainVector["input"];
  const { input: longer } = inRealTime(given, 5000);
  assert.deepEqual(longer, {
    ...input({ do: "answer", result: { ms: 7 }, ms: 300 }, { server: { later: [{ name: "w", type: "validation", timeoutMs: 400, behaviour: slow(200), listed: { _meta: { "org.mcp-interceptors/timeoutMs": 500, other: 7 } } }] }, execute: { abortAfterMs: 600, edit: { afterMs: 50, path: "/a", value: 7 } } }),
    maxDetached: 7,
    refresh: {},
    waitMs: 700,
  });
  assert.throws(() => inRealTime(given, 1), { message: /needs 100 ms/ });
});

test("what an interceptor sees of the time that is left cannot be told on a real clock", () => {
  const shows: ChainVector["input"]["servers"][0] = { label: "t", interceptors: [{ name: "w", type: "validation", behaviour: { do: "show-call" } }] };
  const both = (first: Behaviour): ChainVector["input"] => ({ ...input(first), servers: [...input(first).servers, shows] });
  assert.throws(() => inRealTime(both(slow(1)), 5000), { name: "NoOutcome", kind: "unsupported" });
  assert.deepEqual(inRealTime(both({ do: "allow" }), 5000).input, both({ do: "allow" }));
});

test("a vector in which nothing waits is left as it is, and so is what is no time", () => {
  const idle = input({ do: "allow" }, { timeoutMs: 100 });
  assert.equal(inRealTime(idle, 5000).input, idle);
  for (const timeoutMs of [0, -1, 0.5, 2_147_483_648, 2_147_483_647]) {
    assert.equal(inRealTime(input(slow(10), { execute: { timeoutMs: 50 }, timeoutMs }), 5000).input.servers[0]?.interceptors[0]?.["timeoutMs"], timeoutMs);
  }
});

test("what would take too long is stretched by less, and what is too long as it is needs more time", () => {
  assert.deepEqual(inRealTime(input(slow(1000)), 5000).input, input(slow(5000)));
  assert.deepEqual(inRealTime(input(slow(1000)), 1000).input, input(slow(1000)));
  assert.throws(() => inRealTime(input(slow(1001)), 1000), { name: "NoOutcome", kind: "unsupported", message: /needs 1001 ms for it, and has 1000/ });
});

test("what hangs takes as long as its entry or its chain has, whichever is less, and 30 s without either", () => {
  const hang: Behaviour = { do: "hang" };
  const needs = (ms: number, given: ChainVector["input"]) => assert.throws(() => inRealTime(given, 1), { message: new RegExp(`needs ${ms} ms`) });
  needs(30_000, input(hang));
  needs(70, input(hang, { timeoutMs: 70 }));
  needs(60, input(hang, { timeoutMs: 70, server: { overrides: { v: { timeoutMs: 60 } } } }));
  needs(50, input(hang, { timeoutMs: 70, execute: { timeoutMs: 50 } }));
  needs(70, input(slow(5000), { timeoutMs: 70 }));
  needs(30, input(slow(10, slow(20)), { timeoutMs: 70 }));
  needs(20, input(hang, { timeoutMs: 70, execute: { abortAfterMs: 20 } }));
  needs(40, input(hang, { timeoutMs: 70, server: { interceptors: [{ name: "v", type: "validation", timeoutMs: 70, behaviour: hang, listed: { _meta: { "org.mcp-interceptors/timeoutMs": 40 } } }] } }));
});

test("an outcome speaks of the vector's times again, in failed results and in the error", () => {
  const restore = (ms: unknown) => Number(ms) / 10;
  const outcome = { status: "timeout", results: [{ interceptor: "v", error: { reason: "timeout", timeoutMs: 1000 } }, { valid: true }, 5], error: { code: -32000, data: { interceptor: "v", timeoutMs: 1000 } }, finalPayload: { timeoutMs: 1000 } };
  assert.deepEqual(restoreTimes(outcome, restore), {
    ...outcome,
    results: [{ interceptor: "v", error: { reason: "timeout", timeoutMs: 100 } }, { valid: true }, 5],
    error: { code: -32000, data: { interceptor: "v", timeoutMs: 100 } },
  });
  for (const odd of [{ results: 5, error: 5 }, { error: { code: 1 } }, { refused: true }]) assert.deepEqual(restoreTimes(odd, restore), odd);
});
