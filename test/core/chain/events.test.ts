import assert from "node:assert/strict";
import { test } from "node:test";
import { createSignal } from "../../../src/core/base/signal.ts";
import type { ChainEvent } from "../../../src/core/chain/events.ts";
import { createObserver } from "../../../src/core/chain/observer.ts";
import { settle } from "../../support/fake-host.ts";
import { CALL, deferred, mutates, remoteSource, rig, validates } from "./kit.ts";

const short = (told: ChainEvent) => ("interceptor" in told ? `${told.kind} ${told.interceptor}` : told.kind);

test("an execution is planned first and passed last, and each entry that was invoked has one end", async () => {
  const { chain, observed } = rig();
  chain.add([validates({ name: "v" }, () => true), mutates({ name: "m" }, () => ({ name: "x" })), mutates({ name: "same" }, ({ payload }) => payload)]);
  await chain.execute({ ...CALL, context: { traceId: "t" } });
  await settle();
  assert.deepEqual(observed.map(short), ["planned", "invoked v", "verdict v", "invoked m", "mutated m", "invoked same", "verdict same", "passed"]);
  const [first] = observed;
  const common = { run: 1, at: "2026-07-28T00:00:00.000Z", event: "tools/call", phase: "request", traceId: "t" };
  assert.deepEqual(first, { kind: "planned", direction: "receiving", interceptors: 3, ...common });
  assert.deepEqual(observed.at(-1), { kind: "passed", modified: true, elapsedMs: 0, ...common });
  await chain.execute(CALL);
  await settle();
  assert.deepEqual([observed.at(-1)?.run, chain.observed], [2, { delivered: 16, failed: 0, dropped: 0, waiting: 0 }]);
});

test("an execution that is stopped ends with blocked, which says why and by whom", async () => {
  const rows = [
    [validates({ name: "x" }, () => false), "validation_failed", ["invoked x", "verdict x"]],
    [validates({ name: "x" }, () => assert.fail("boom")), "validation_failed", ["invoked x", "failed x"]],
    [mutates({ name: "x" }, () => assert.fail("boom")), "mutation_failed", ["invoked x", "failed x"]],
    [mutates({ name: "x", compat: { minProtocol: "2026-07-28" } }, () => assert.fail("not called")), "mutation_failed", ["failed x"]],
  ] as const;
  for (const [interceptor, reason, steps] of rows) {
    const { chain, observed } = rig();
    chain.add(interceptor);
    await chain.execute({ ...CALL, version: "2025-06-18" });
    await settle();
    assert.deepEqual(observed.map(short), ["planned", ...steps, "blocked"]);
    const last = observed.at(-1);
    assert.deepEqual(last?.kind === "blocked" && [last.reason, last.by], [reason, "x"]);
  }
});

test("a mutation that the caller does not accept is told and counted as failed, and never as mutated", async () => {
  const { chain, observed } = rig();
  chain.add(mutates({ name: "m", failOpen: true }, () => ({ name: "x" })));
  await chain.execute({ ...CALL, accept: () => assert.fail("not like this") });
  await settle();
  assert.deepEqual(observed.map(short), ["planned", "invoked m", "failed m", "passed"]);
  const { failed, changed, runs } = chain.entries[0]!.counters;
  assert.deepEqual([runs, changed, failed], [1, 0, 1]);
});

test("a timeout is told as timed_out, and its answer, once it comes, as late", async () => {
  const { chain, host, observed } = rig();
  const answer = deferred<boolean>();
  chain.add(validates({ name: "v", timeoutMs: 40 }, () => answer.promise));
  const running = chain.execute(CALL);
  await host.advance(40);
  await running;
  answer.resolve(true);
  await host.advance(5);
  assert.deepEqual(observed.map(short), ["planned", "invoked v", "timed_out v", "blocked", "late v"]);
  const [, , timedOut, , late] = observed;
  assert.deepEqual(timedOut?.kind === "timed_out" && [timedOut.timeoutMs, timedOut.elapsedMs], [40, 40]);
  assert.equal(late?.kind === "late" && late.elapsedMs, 40);
  const { runs, timedOut: times, late: lates } = chain.entries[0]!.counters;
  assert.deepEqual([runs, times, lates], [1, 1, 1]);
});

test("an execution that its caller gives up ends with blocked, for the reason aborted", async () => {
  const { chain, observed } = rig();
  const stop = createSignal();
  chain.add(validates({ name: "v" }, () => new Promise(() => {})));
  const running = chain.execute({ ...CALL, signal: stop.signal });
  stop.abort("enough");
  await assert.rejects(running, (thrown) => thrown === "enough");
  await settle();
  assert.deepEqual(observed.map(short), ["planned", "invoked v", "blocked"]);
  assert.equal(observed[2]?.kind === "blocked" && observed[2].reason, "aborted");
});

test("an audit entry that outlives its chain is told of after the end", async () => {
  const { chain, observed } = rig();
  const answer = deferred<boolean>();
  chain.add(validates({ name: "shadow", mode: "audit" }, () => answer.promise));
  await chain.execute(CALL);
  answer.resolve(false);
  await settle();
  assert.deepEqual(observed.map(short), ["planned", "invoked shadow", "passed", "verdict shadow"]);
  assert.equal(chain.entries[0]!.counters.blocked, 1);
});

test("no event holds anything of a payload, a message or an exception", async () => {
  const { chain, observed } = rig();
  const secret = "sesame";
  chain.add([
    validates({ name: "v" }, () => ({ valid: true, messages: [{ message: secret, severity: "info" }], info: { secret } })),
    validates({ name: "crash", failOpen: true }, () => assert.fail(secret)),
    mutates({ name: "m" }, () => ({ name: secret })),
  ]);
  await chain.addSource(remoteSource("r", [{ name: "w", type: "validation", hooks: [{ events: ["tools/call"], phase: "request" }] }], () => ({ valid: false, messages: [{ message: secret, severity: "warn" }] })));
  await chain.execute({ ...CALL, payload: { name: secret } });
  await settle();
  assert.ok(observed.length > 8);
  assert.doesNotMatch(JSON.stringify(observed), /sesame/);
});

test("an observer that never answers, throws or floods changes nothing of what a chain does, and is counted", async () => {
  const handlers = [() => new Promise(() => {}), () => { throw new Error("x"); }, () => Promise.reject(new Error("x"))];
  for (const handle of handlers) {
    const { chain } = rig({ observe: handle, limits: { maxQueuedEvents: 8 } });
    chain.add(validates({ name: "v" }, () => true));
    for (let at = 0; at < 10; at++) assert.equal((await chain.execute(CALL)).status, "success");
    await settle();
    const { delivered, failed, dropped, waiting } = chain.observed;
    assert.equal(delivered + dropped + waiting, 40);
    assert.ok(failed > 0 || dropped > 0);
  }
});

test("one observer may listen to several chains, and its maker reads its counters", async () => {
  const observer = createObserver<ChainEvent>(() => {});
  for (let at = 0; at < 2; at++) {
    const { chain } = rig({ observe: observer });
    await chain.execute(CALL);
    await settle();
    assert.deepEqual(chain.observed, observer.stats());
  }
  assert.equal(observer.stats().delivered, 4);
});

test("the caller of an execution may observe it too, and what it throws is dropped", async () => {
  const { chain, observed } = rig();
  const heard: string[] = [];
  chain.add(validates({ name: "v" }, () => true));
  const observe = (told: ChainEvent) => {
    heard.push(told.kind);
    throw new Error("x");
  };
  assert.equal((await chain.execute({ ...CALL, observe })).status, "success");
  await settle();
  assert.deepEqual(heard, ["planned", "invoked", "verdict", "passed"]);
  assert.deepEqual(observed.map(({ kind }) => kind), heard);
  await assert.rejects(chain.execute({ ...CALL, observe: 1 as never }), { code: "invalid_argument" });
});
