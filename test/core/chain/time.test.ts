import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError, RpcError } from "../../../src/core/base/errors.ts";
import { createSignal } from "../../../src/core/base/signal.ts";
import { createChain } from "../../../src/core/chain/chain.ts";
import { REMOTE_GRACE_MS } from "../../../src/core/chain/invocation.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { BOTH_PHASES, CALL, deferred, mutates, remoteSource, rig, validates } from "./kit.ts";
import { NEVER } from "../../support/never.ts";

const never = () => new Promise<never>(() => {});
const DESCRIPTOR = { name: "r", type: "validation" as const, hooks: BOTH_PHASES.map((hook) => ({ events: [...hook.events], phase: hook.phase })) };

test("the smaller of the entry's and the chain's time counts, and the error names the limit that ran out", async () => {
  for (const [entryMs, chainMs, limit] of [[50, 200, 50], [200, 50, 50], [70, undefined, 70]] as const) {
    const { chain, host } = rig();
    chain.add(validates({ name: "slow", timeoutMs: entryMs }, never));
    const run = chain.execute({ ...CALL, ...(chainMs !== undefined && { timeoutMs: chainMs }) });
    await host.advance(limit);
    const result = await run;
    assert.equal(result.status, "timeout");
    assert.equal(result.results[0]?.error?.timeoutMs, limit);
    assert.equal(result.totalDurationMs, limit);
  }
});

test("at the chain's deadline all that runs is cancelled, none is started, and each fails by its own policy", async () => {
  const { chain, host } = rig({ timeoutMs: 100 });
  const signals: { readonly aborted: boolean }[] = [];
  chain.add([
    mutates({ name: "a", priorityHint: 1, failOpen: true }, ({ signal }) => (signals.push(signal), never())),
    mutates({ name: "b", priorityHint: 2, failOpen: true }, () => assert.fail("must not start")),
  ]);
  const run = chain.execute(CALL);
  await host.advance(100);
  const result = await run;
  assert.equal(result.status, "success");
  assert.deepEqual(result.results.map(({ error }) => [error?.reason, error?.timeoutMs]), [["timeout", 100], ["timeout", 100]]);
  assert.equal(signals[0]?.aborted, true);

  chain.add(mutates({ name: "c", priorityHint: 3 }, () => assert.fail("must not start")));
  const second = chain.execute(CALL);
  await host.advance(100);
  assert.equal((await second).status, "timeout");
  assert.equal((await second).abortedAt?.interceptor, "c");
  assert.equal(host.liveTimers, 0);
});

test("no entry starts after one has timed out at the chain's deadline, though the host's timer fired early", async () => {
  const host = fakeHost();
  const early = { ...host, setTimer: (callback: () => void, ms: number, background?: boolean) => host.setTimer(callback, ms - 2, background) };
  const chain = createChain({ host: early, timeoutMs: 20 });
  chain.add([mutates({ name: "a", failOpen: true }, never), mutates({ name: "b", failOpen: true }, () => assert.fail("must not start"))]);
  const run = chain.execute(CALL);
  await host.advance(20);
  assert.deepEqual((await run).results.map(({ error }) => [error?.reason, error?.timeoutMs]), [["timeout", 20], ["timeout", 20]]);
});

test("an entry with less than a millisecond left times out uncalled", async () => {
  const { chain, host } = rig();
  const first = deferred<object>();
  chain.add([mutates({ name: "a" }, () => first.promise), mutates({ name: "b" }, () => assert.fail("must not start"))]);
  const run = chain.execute({ ...CALL, timeoutMs: 10 });
  await host.advance(9.5);
  first.resolve({ name: "changed" });
  const result = await run;
  assert.equal(result.status, "timeout");
  assert.equal(result.abortedAt?.interceptor, "b");
});

test("a timeout is sent as a whole number of what is left", async () => {
  const { chain, host } = rig();
  const remote = remoteSource("r", [{ ...DESCRIPTOR, type: "mutation" }], () => ({ modified: false }));
  const first = deferred<object>();
  chain.add(mutates({ name: "a", priorityHint: -1 }, () => first.promise));
  await chain.addSource(remote);
  const run = chain.execute({ ...CALL, timeoutMs: 100 });
  await host.advance(30.25);
  first.resolve({ name: "echo" });
  await run;
  assert.equal(remote.calls[0]?.params.timeoutMs, 69);
});

test("a remote server gets some grace, so that its own timeout error wins", async () => {
  const { chain, host } = rig();
  const answer = deferred<unknown>();
  await chain.addSource(remoteSource("r", [DESCRIPTOR], () => answer.promise), { overrides: { r: { timeoutMs: 100 } } });
  const run = chain.execute(CALL);
  await host.advance(110);
  answer.reject(new RpcError(-32000, "Interceptor execution timeout", { interceptor: "r", timeoutMs: 100, phase: "request" }));
  const result = await run;
  assert.deepEqual([result.status, result.results[0]?.error?.timeoutMs], ["timeout", 100]);
  assert.equal(chain.stats().lateAnswers, 0);
});

test("the grace ends, and the invocation is cancelled", async () => {
  const { chain, host } = rig();
  const remote = remoteSource("r", [DESCRIPTOR], never);
  await chain.addSource(remote, { overrides: { r: { timeoutMs: 100 } } });
  const run = chain.execute(CALL);
  await host.advance(100 + REMOTE_GRACE_MS - 1);
  assert.equal(remote.calls[0]?.signal.aborted, false);
  await host.advance(1);
  assert.equal((await run).status, "timeout");
  assert.ok(remote.calls[0]?.signal.reason instanceof LocalError);
});

test("the grace does not outlast the chain", async () => {
  const { chain, host } = rig();
  await chain.addSource(remoteSource("r", [DESCRIPTOR], never));
  const run = chain.execute({ ...CALL, timeoutMs: 120 });
  await host.advance(120);
  assert.deepEqual([(await run).status, (await run).results[0]?.error?.timeoutMs], ["timeout", 120]);
});

test("an answer that comes after its timeout is dropped and counted", async () => {
  const { chain, host } = rig();
  const answer = deferred<boolean>();
  chain.add(validates({ name: "late", timeoutMs: 10, failOpen: true }, () => answer.promise));
  const run = chain.execute(CALL);
  await host.advance(10);
  const result = await run;
  answer.resolve(false);
  await settle();
  assert.equal(result.status, "success");
  assert.equal(chain.stats().lateAnswers, 1);
});

test("our clock decides where a synchronous answer comes too late", async () => {
  const { host } = rig();
  let clock = 0;
  const { chain } = rig({ host: { ...host, now: () => clock } });
  chain.add(validates({ name: "busy", timeoutMs: 10 }, () => ((clock += 11), true)));
  assert.equal((await chain.execute(CALL)).status, "timeout");
  assert.equal(chain.stats().lateAnswers, 1);
});

test("only -32000 with interceptor and timeoutMs is a timeout; any other error is a plain failure", async () => {
  const table: [unknown, string, string][] = [
    [new RpcError(-32000, "t", { interceptor: "r", timeoutMs: 5 }), "timeout", "timeout"],
    [new RpcError(-32000, "t", { interceptor: "r" }), "validation_failed", "crashed"],
    [new RpcError(-32000, "t", { timeoutMs: 5 }), "validation_failed", "crashed"],
    [new RpcError(-32000, "t"), "validation_failed", "crashed"],
    [new RpcError(-32603, "f", { interceptor: "r", reason: "timeout" }), "validation_failed", "crashed"],
    [new RpcError(-32603, "f", { interceptor: "r", reason: "invalid_config" }), "validation_failed", "invalid_config"],
    [new RpcError(-32602, "unknown"), "validation_failed", "unavailable"],
    [new LocalError("closed", "gone"), "validation_failed", "unavailable"],
    [new LocalError("timeout", "theirs"), "validation_failed", "unavailable"],
    ["text", "validation_failed", "crashed"],
    [undefined, "validation_failed", "crashed"],
  ];
  for (const [thrown, status, reason] of table) {
    for (const fail of [() => Promise.reject(thrown), () => { throw thrown; }]) {
      const { chain } = rig();
      await chain.addSource(remoteSource("r", [DESCRIPTOR], fail));
      const result = await chain.execute(CALL);
      assert.deepEqual([result.status, result.results[0]?.error?.reason], [status, reason], String(thrown));
    }
  }
});

test("a caller's abort cancels what runs and rejects with its reason", async () => {
  const { chain, host, logged } = rig();
  const source = createSignal();
  const reason = new Error("the user left");
  const signals: { readonly aborted: boolean }[] = [];
  chain.add([
    validates({ name: "v" }, ({ signal }) => (signals.push(signal), never())),
    validates({ name: "audit", mode: "audit" }, ({ signal }) => (signals.push(signal), never())),
    mutates({ name: "m" }, () => assert.fail("must not start")),
  ]);
  const run = chain.execute({ ...CALL, signal: source.signal });
  await settle();
  source.abort(reason);
  await assert.rejects(run, reason);
  assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true]);
  assert.equal(host.liveTimers, 0);
  assert.deepEqual(logged, []);
});

test("no listener is left on the caller's signal", async () => {
  const { chain, host } = rig();
  let listeners = 0;
  const { signal } = createSignal();
  const counting = { ...NEVER, onAbort: (listener: (reason: unknown) => void) => (listeners++, signal.onAbort(listener), () => listeners--) };
  chain.add([validates({ name: "v" }, async () => true), validates({ name: "audit", mode: "audit", timeoutMs: 10 }, never)]);
  await chain.execute({ ...CALL, signal: counting });
  assert.equal(listeners, 0);
  await host.advance(10);
});

test("no listener is left on the caller's signal by a run that it has aborted either", async () => {
  const { chain } = rig();
  const controller = new AbortController();
  let listeners = 0;
  const { signal } = controller;
  const counting = {
    get aborted() { return signal.aborted; },
    get reason() { return signal.reason as unknown; },
    addEventListener: (type: "abort", listener: () => void) => (listeners++, signal.addEventListener(type, listener)),
    removeEventListener: (type: "abort", listener: () => void) => (listeners--, signal.removeEventListener(type, listener)),
  };
  chain.add(validates({ name: "v" }, never));
  const run = chain.execute({ ...CALL, signal: counting });
  assert.equal(listeners, 1);
  controller.abort("why");
  await assert.rejects(run, (thrown) => thrown === "why");
  assert.equal(listeners, 0);
});

test("a signal that has aborted keeps everything from starting", async () => {
  const { chain } = rig();
  chain.add(validates({ name: "v" }, () => assert.fail("must not start")));
  const controller = new AbortController();
  controller.abort("why");
  await assert.rejects(chain.execute({ ...CALL, signal: controller.signal }), (thrown) => thrown === "why");
});

test("an abort is honoured by a chain with nothing to run, and after the last entry", async () => {
  const { chain } = rig();
  const source = createSignal();
  source.abort("before");
  await assert.rejects(chain.execute({ ...CALL, signal: source.signal }), (thrown) => thrown === "before");
  for (const revalidate of ["never", "if-modified"] as const) {
    const { chain } = rig({ revalidate });
    const { signal, abort } = createSignal();
    const last = revalidate === "never" ? 1 : 2;
    let runs = 0;
    chain.add([validates({ name: "v" }, () => (++runs === last && abort("late"), true)), mutates({ name: "m" }, () => ({ name: "changed" }))], {
      overrides: revalidate === "never" ? { m: { hooks: [{ events: ["tools/call"], phase: "response" }] } } : {},
    });
    await assert.rejects(chain.execute({ ...CALL, signal }), (thrown) => thrown === "late");
    assert.equal(runs, last);
  }
});

test("audit entries that an abort has cancelled are not counted as running on or dropped", async () => {
  const { chain } = rig({ maxDetached: 1 });
  const { signal, abort } = createSignal();
  const waiting = ["a", "b"].map((name) => validates({ name, mode: "audit" }, never));
  chain.add([...waiting, validates({ name: "v" }, () => (abort("stop"), true))]);
  await assert.rejects(chain.execute({ ...CALL, signal }), (thrown) => thrown === "stop");
  assert.deepEqual(chain.stats(), { lateAnswers: 0, detached: 0, dropped: 0 });
});

test("an abort by a handler in mid-run is honoured", async () => {
  const { chain } = rig();
  const source = createSignal();
  chain.add([validates({ name: "v" }, () => (source.abort("stop"), true)), mutates({ name: "m" }, () => assert.fail("must not start"))]);
  await assert.rejects(chain.execute({ ...CALL, signal: source.signal }), (thrown) => thrown === "stop");
});

test("audit entries are not waited for, and complete the settled result", async () => {
  const { chain, host, observed } = rig();
  const judged = deferred<boolean>();
  const shadow = deferred<object>();
  const seen: unknown[] = [];
  chain.add([
    validates({ name: "auditor", mode: "audit" }, () => judged.promise),
    mutates({ name: "m1", priorityHint: 1 }, () => ({ name: "one" })),
    mutates({ name: "shadow", mode: "audit", priorityHint: 2 }, ({ payload }) => (seen.push({ ...payload }), shadow.promise)),
    mutates({ name: "m2", priorityHint: 3 }, ({ payload }) => (seen.push(payload), { name: "two" })),
  ]);
  const result = await chain.execute(CALL);
  assert.deepEqual(seen, [{ name: "one" }, { name: "one" }]);
  assert.deepEqual(result.results.map(({ interceptor }) => interceptor), ["m1", "m2"]);
  assert.equal(chain.stats().detached, 2);
  await host.advance(20);
  judged.resolve(false);
  shadow.resolve({ name: "shadowed" });
  const complete = await result.settled;
  assert.equal(complete.status, "success");
  assert.deepEqual(complete.finalPayload, { name: "two" });
  const modes = complete.results.map(({ interceptor, mode }) => [interceptor, mode]);
  assert.deepEqual(modes, [["auditor", "audit"], ["m1", undefined], ["shadow", "audit"], ["m2", undefined]]);
  assert.deepEqual([complete.validationSummary.errors, result.validationSummary.errors], [1, 0]);
  const ends = observed.filter(({ kind }) => kind === "verdict" || kind === "mutated");
  assert.deepEqual(ends.map((told) => "interceptor" in told && [told.interceptor, told.mode]), [["m1", "active"], ["m2", "active"], ["auditor", "audit"], ["shadow", "audit"]]);
  assert.deepEqual(chain.stats(), { lateAnswers: 0, detached: 0, dropped: 0 });
  assert.equal(host.liveTimers, 0);
});

test("audit entries that run on end at their timeout", async () => {
  const { chain, host } = rig();
  chain.add(validates({ name: "auditor", mode: "audit", timeoutMs: 40 }, never));
  const result = await chain.execute(CALL);
  await host.advance(40);
  assert.equal((await result.settled).results[0]?.error?.reason, "timeout");
  assert.deepEqual([chain.stats().detached, host.liveTimers], [0, 0]);
});

test("more audit invocations than may run on are cancelled and counted", async () => {
  const { chain, host } = rig({ maxDetached: 1 });
  const signals: { readonly aborted: boolean }[] = [];
  chain.add(validates({ name: "auditor", mode: "audit", timeoutMs: 40 }, ({ signal }) => (signals.push(signal), never())));
  await chain.execute(CALL);
  const second = await chain.execute(CALL);
  assert.deepEqual(chain.stats(), { lateAnswers: 0, detached: 1, dropped: 1 });
  assert.deepEqual(signals.map(({ aborted }) => aborted), [false, true]);
  assert.equal((await second.settled).results[0]?.error?.reason, "unavailable");
  await host.advance(40);
  await chain.execute(CALL);
  assert.deepEqual(chain.stats(), { lateAnswers: 0, detached: 1, dropped: 1 });
  await host.advance(40);
});

test("on a host without timers a later answer is a failure, not an endless wait", async () => {
  const { host } = rig();
  const { chain } = rig({ host: { ...host, setTimer: () => { throw new LocalError("host_missing", "no timers"); } } });
  chain.add([validates({ name: "v" }, async () => true), validates({ name: "w", mode: "audit" }, async () => true)]);
  const result = await chain.execute(CALL);
  assert.deepEqual([result.status, result.results[0]?.error?.reason], ["validation_failed", "unavailable"]);
});
