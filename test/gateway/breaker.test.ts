import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError, RpcError } from "../../src/core/base/errors.ts";
import { createSignal } from "../../src/core/base/signal.ts";
import { interceptorSource } from "../../src/core/chain/in-process.ts";
import type { InterceptorSource } from "../../src/core/chain/source.ts";
import { validator } from "../../src/core/interceptor/define.ts";
import type { InvokeParams } from "../../src/core/wire/gen/interceptors.ts";
import { withBreaker, type BreakerOptions } from "../../src/gateway/breaker.ts";
import { remoteSource, rig, CALL } from "../core/chain/kit.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { NEVER } from "../support/never.ts";

interface Call {
  readonly params: InvokeParams;
  readonly answer: (value: unknown) => void;
  readonly fail: (thrown: unknown) => void;
}

function scripted(options: BreakerOptions = {}) {
  const host = fakeHost();
  const calls: Call[] = [];
  const changes: string[] = [];
  const inner: InterceptorSource = {
    label: "s",
    remote: true,
    list: () => Promise.resolve([]),
    invoke: (params) => new Promise((answer, fail) => calls.push({ params, answer, fail })),
  };
  const source = withBreaker(inner, { host, onChange: ({ interceptor, state }) => changes.push(`${interceptor} ${state}`), ...options });
  const params = (name = "a", more: Partial<InvokeParams> = {}): InvokeParams => ({ name, event: "tools/call", phase: "request", payload: {}, ...more });
  /** How an invocation has ended so far. */
  const invoke = (given = params(), signal = NEVER) => {
    const outcome: { value?: unknown; thrown?: unknown } = {};
    try {
      void Promise.resolve(source.invoke(given, signal)).then((value) => (outcome.value = value), (thrown) => (outcome.thrown = thrown));
    } catch (thrown) {
      outcome.thrown = thrown;
    }
    return outcome;
  };
  const refused = ({ thrown }: { thrown?: unknown }) => thrown instanceof LocalError && thrown.code === "refused";
  const failOne = async (name = "a") => {
    invoke(params(name));
    calls.at(-1)!.fail(new LocalError("closed", "gone"));
    await settle();
  };
  const state = (name = "a") => source.stats().find(({ interceptor }) => interceptor === name)?.state;
  return { host, calls, changes, source, params, invoke, refused, failOne, state };
}

test("a circuit opens after failures in a row, for its interceptor alone, and fails at once while it is open", async () => {
  const { calls, changes, invoke, refused, failOne, params, source, state } = scripted({ failures: 3 });
  for (let count = 0; count < 3; count++) await failOne();
  assert.deepEqual(changes, ["a open"]);
  assert.ok(refused(invoke()));
  assert.equal(calls.length, 3, "the source is not asked");
  invoke(params("b"));
  assert.equal(calls.length, 4);
  assert.equal(state("b"), "closed");
  assert.deepEqual(source.stats()[0], { interceptor: "a", state: "open", running: 0, waiting: 0, refused: { open: 1, busy: 0 } });
});

test("a success between failures starts the count anew, and the share of failures opens as well", async () => {
  const { calls, invoke, failOne, state } = scripted({ failures: 3, ratio: 0.5, window: 8 });
  const good = async () => {
    invoke();
    calls.at(-1)!.answer({});
    await settle();
  };
  for (const step of [failOne, failOne, good, failOne, good, good, good]) await step();
  assert.equal(state(), "closed", "3 of 7");
  await failOne();
  assert.equal(state(), "open", "4 of the last 8");
});

test("a half-open circuit lets probes through; success closes it, failure opens it for twice as long", async () => {
  const { host, calls, changes, invoke, refused, failOne, state } = scripted({ failures: 1, openMs: 1_000, longestOpenMs: 3_000 });
  await failOne();
  await host.advance(999);
  assert.ok(refused(invoke()));
  await host.advance(1);
  assert.equal(state(), "half_open");
  invoke();
  assert.ok(refused(invoke()), "one probe at a time");
  calls[1]!.fail(new LocalError("closed", "gone"));
  await settle();
  for (const ms of [2_000, 3_000, 3_000]) {
    await host.advance(ms - 1);
    assert.ok(refused(invoke()), `open for ${ms} ms`);
    await host.advance(1);
    await failOne();
  }
  await host.advance(3_000);
  const probe = invoke();
  calls.at(-1)!.answer("ok");
  await settle();
  assert.equal(probe.value, "ok");
  assert.equal(state(), "closed");
  await failOne();
  await host.advance(1_000);
  assert.equal(state(), "half_open", "the wait is short again once it was closed");
  assert.deepEqual(changes.slice(0, 3), ["a open", "a half_open", "a open"]);
  assert.equal(host.liveTimers, 0);
});

test("a probe that the caller gives up neither closes nor opens, and makes room for the next", async () => {
  const { host, calls, invoke, params, failOne, state } = scripted({ failures: 1, openMs: 1_000 });
  await failOne();
  await host.advance(1_000);
  const stop = createSignal();
  invoke(params(), stop.signal);
  stop.abort(new LocalError("aborted", "enough"));
  await settle();
  assert.equal(state(), "half_open");
  invoke();
  assert.equal(calls.length, 3);
});

test("a timeout counts as a failure, and so does whatever the source throws but a complaint about the params", async () => {
  const { calls, invoke, params, state } = scripted({ failures: 2, window: 100 });
  for (let count = 0; count < 3; count++) {
    invoke();
    calls.at(-1)!.fail(new RpcError(-32602, "Invalid params"));
    await settle();
  }
  assert.equal(state(), "closed");
  for (let count = 0; count < 2; count++) {
    const stop = createSignal();
    invoke(params(), stop.signal);
    stop.abort(new LocalError("timeout", "no answer"));
  }
  assert.equal(state(), "open");
  assert.equal(calls.length, 5);
});

test("what was under way before a change has no say after it", async () => {
  const { host, calls, invoke, failOne, state } = scripted({ failures: 1, openMs: 1_000 });
  invoke();
  await failOne();
  await host.advance(1_000);
  invoke();
  calls[0]!.answer("late");
  await settle();
  assert.equal(state(), "half_open");
  calls[2]!.answer("ok");
  await settle();
  assert.equal(state(), "closed");
});

test("invocations above the cap wait their turn in order, with a payload of their own and less time", async () => {
  const { host, calls, invoke, params, refused, source } = scripted({ maxConcurrent: 1, maxWaiting: 2, maxWaitMs: 1_000 });
  invoke();
  const payload = { n: 1 };
  const second = invoke(params("a", { payload, timeoutMs: 500 }));
  const third = invoke(params("a", { payload: { n: 2 } }));
  assert.ok(refused(invoke()), "no more may wait");
  payload.n = 9;
  await host.advance(100);
  assert.deepEqual(source.stats()[0], { interceptor: "a", state: "closed", running: 1, waiting: 2, refused: { open: 0, busy: 1 } });
  calls[0]!.answer({});
  await settle();
  assert.deepEqual(calls[1]!.params, params("a", { payload: { n: 1 }, timeoutMs: 400 }));
  calls[1]!.answer("second");
  await settle();
  assert.equal(second.value, "second");
  assert.deepEqual(calls[2]!.params.payload, { n: 2 });
  calls[2]!.answer("third");
  await settle();
  assert.equal(third.value, "third");
  assert.deepEqual(source.stats()[0], { interceptor: "a", state: "closed", running: 0, waiting: 0, refused: { open: 0, busy: 1 } });
  assert.equal(host.liveTimers, 0);
});

test("whoever waits too long is refused, and whoever gives up leaves the line", async () => {
  const { host, calls, invoke, params, refused, source } = scripted({ maxConcurrent: 1, maxWaitMs: 1_000 });
  const stop = createSignal();
  invoke(params(), stop.signal);
  const short = invoke(params("a", { timeoutMs: 50 }));
  const long = invoke();
  const gone = createSignal();
  const left = invoke(params(), gone.signal);
  gone.abort(new LocalError("aborted", "enough"));
  await host.advance(50);
  assert.ok(refused(short));
  assert.ok(left.thrown instanceof LocalError && left.thrown.code === "aborted");
  await host.advance(950);
  assert.ok(refused(long));
  assert.equal(calls.length, 1);
  // An answer that never comes frees its turn once nobody waits for it.
  stop.abort(new LocalError("aborted", "enough"));
  assert.equal(source.stats()[0]!.running, 0);
  invoke();
  assert.equal(calls.length, 2);
});

test("a source that answers at once still does", () => {
  const inner: InterceptorSource = { label: "s", remote: false, list: () => Promise.resolve([]), invoke: ({ name }) => (name === "bad" ? Promise.reject(new LocalError("closed", "x")) : "now") };
  const source = withBreaker(inner, { host: fakeHost() });
  assert.equal(source.invoke({ name: "a", event: "e", phase: "request" }, NEVER), "now");
  assert.deepEqual(source.stats(), [{ interceptor: "a", state: "closed", running: 0, waiting: 0, refused: { open: 0, busy: 0 } }]);
});

test("behind an open circuit an entry fails as unavailable, and its own policy decides what becomes of the message", async () => {
  for (const failOpen of [false, true]) {
    const { chain, host } = rig();
    const hooks = [{ events: ["tools/call"], phase: "request" as const }];
    const broken = remoteSource("s", [{ name: "v", type: "validation", hooks, failOpen }], () => Promise.reject(new LocalError("closed", "gone")));
    await chain.addSource(withBreaker(broken, { host, failures: 1 }));
    await chain.execute(CALL);
    const result = await chain.execute(CALL);
    assert.equal(result.results[0]?.error?.reason, "unavailable");
    assert.equal(result.status, failOpen ? "success" : "validation_failed");
  }
});

test("options that make no sense are refused by name", () => {
  const inner: InterceptorSource = { label: "s", remote: false, list: () => Promise.resolve([]), invoke: () => ({}) };
  for (const [options, name] of [[{ failures: 0 }, "failures"], [{ ratio: 2 }, "ratio"], [{ window: 10_001 }, "window"], [{ maxConcurrent: 0.5 }, "maxConcurrent"], [{ maxWaiting: -1 }, "maxWaiting"]] as const) {
    assert.throws(() => withBreaker(inner, options), { code: "invalid_argument", message: new RegExp(`^${name}`) });
  }
});

test("what an interceptor declares to be answered is still known behind a breaker", () => {
  const answer = () => new RpcError(-32602, "Unknown tool");
  const inner = validator({ name: "a", hooks: [{ events: ["tools/call"], phase: "request" }], answerAs: answer }, () => false);
  const source = withBreaker(interceptorSource([inner]), { host: fakeHost() });
  assert.deepEqual([source.answerAs?.("a"), source.answerAs?.("b")], [answer, undefined]);
});
