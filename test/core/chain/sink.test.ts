import assert from "node:assert/strict";
import { test } from "node:test";
import type { InvokeParams } from "../../../src/core/wire/gen/interceptors.ts";
import { settle } from "../../support/fake-host.ts";
import { CALL, deferred, mutates, remoteSource, rig, validates } from "./kit.ts";

const hooks = [{ events: ["tools/call"], phase: "request" }];
const sinkSource = (answer: (params: InvokeParams) => unknown, members: object = {}) =>
  remoteSource("s", [{ name: "sink", type: "sink", hooks, ...members } as never], answer);

test("a sink never blocks and never changes, whatever it answers", async () => {
  const rows: [unknown, object][] = [
    [{ type: "sink", recorded: true, metrics: { tokens: 3 }, info: { k: 1 } }, { recorded: true, metrics: { tokens: 3 }, info: { k: 1 } }],
    [{ valid: false, severity: "error", messages: [{ message: "no", severity: "error" }] }, {}],
    [{ modified: true, payload: { name: "other" } }, {}],
    [{}, {}],
  ];
  for (const members of [{}, { mode: "active" }, { mode: "enforce" }, { mode: "audit" }]) {
    for (const [answer, told] of rows) {
      const { chain, observed } = rig();
      await chain.addSource(sinkSource(() => answer, members));
      const result = await chain.execute(CALL);
      assert.deepEqual([result.status, result.modified, result.finalPayload], ["success", false, CALL.payload]);
      const [{ durationMs: _whole, elapsedMs: _exact, ...entry }] = result.results as [(typeof result.results)[0]];
      assert.deepEqual(entry, { interceptor: "sink", address: "s/sink", type: "sink", phase: "request", mode: "audit", ...told }, JSON.stringify(answer));
      assert.deepEqual(observed.flatMap((told) => (told.kind === "verdict" ? [[told.type, told.mode, told.outcome]] : [])), [["sink", "audit", "observed"]]);
    }
  }
});

test("a sink that fails is logged, and stops nothing", async () => {
  const fails: [(params: InvokeParams) => unknown, string][] = [
    [() => { throw new TypeError("boom"); }, "crashed"],
    [() => Promise.reject(new TypeError("boom")), "crashed"],
    [() => "text", "malformed_result"],
    [() => ({ type: "validation", valid: true }), "malformed_result"],
  ];
  for (const [answer, reason] of fails) {
    const { chain, logged } = rig();
    await chain.addSource(sinkSource(answer));
    const result = await chain.execute(CALL);
    assert.equal(result.status, "success");
    const settled = await result.settled;
    assert.deepEqual([settled.status, settled.results[0]?.error?.reason], ["success", reason]);
    assert.deepEqual(logged.map(({ level, message, reason: why }) => [level, message.startsWith("sink failed: "), why]), [["error", true, reason]]);
  }
});

test("a sink is not awaited, neither alone nor past the last active entry of its step, and is in the settled result", async () => {
  for (const withValidator of [false, true]) {
    const { host, chain } = rig();
    const sinks = deferred<unknown>();
    const verdict = deferred<boolean>();
    const seen: unknown[] = [];
    await chain.addSource(sinkSource(({ payload }) => (seen.push(payload), sinks.promise)));
    if (withValidator) chain.add(validates({ name: "v" }, () => verdict.promise));
    chain.add(mutates({ name: "m" }, ({ payload }) => ({ ...payload, later: true })));
    const running = chain.execute(CALL);
    await settle();
    verdict.resolve(true);
    const result = await running;
    // It starts with the validators, on what they see.
    assert.deepEqual(seen, [CALL.payload]);
    assert.deepEqual(result.results.map(({ interceptor }) => interceptor), withValidator ? ["v", "m"] : ["m"]);
    assert.equal(chain.stats().detached, 1);
    sinks.resolve({ recorded: true });
    assert.deepEqual((await result.settled).results.map(({ interceptor, recorded }) => [interceptor, recorded])[0], ["sink", true]);
    assert.deepEqual([chain.stats().detached, host.liveTimers], [0, 0]);
  }
});

test("a sink that hangs goes on under its own timeout, and above maxDetached it is dropped", async () => {
  const { host, chain } = rig({ maxDetached: 1 });
  await chain.addSource(sinkSource(() => new Promise(() => {}), { _meta: { "org.mcp-interceptors/timeoutMs": 100 } }));
  const [first, second] = [await chain.execute(CALL), await chain.execute(CALL)];
  assert.deepEqual(chain.stats(), { lateAnswers: 0, detached: 1, dropped: 1 });
  assert.equal((await second.settled).results[0]?.error?.reason, "unavailable");
  await host.advance(350);
  assert.equal((await first.settled).results[0]?.error?.reason, "timeout");
  assert.equal(host.liveTimers, 0);
});

test("a sink sees a message that is blocked, and is not asked again when a mutated one is judged again", async () => {
  let calls = 0;
  const { chain } = rig({ revalidate: "if-modified" });
  await chain.addSource(sinkSource(() => (calls++, { recorded: true })));
  let valid = true;
  chain.add([validates({ name: "v" }, () => valid), mutates({ name: "m" }, ({ payload }) => ({ ...payload, m: true }))]);
  assert.equal((await chain.execute(CALL)).results.filter(({ revalidation }) => revalidation).length, 1);
  valid = false;
  assert.equal((await chain.execute(CALL)).status, "validation_failed");
  assert.equal(calls, 2);
});

test("no override makes a sink active", async () => {
  const { chain } = rig();
  await assert.rejects(chain.addSource(sinkSource(() => ({})), { overrides: { sink: { mode: "active" } } }), { code: "invalid_argument", message: /"sink".*mode must be "audit"/ });
  await chain.addSource(sinkSource(() => ({})), { overrides: { sink: { mode: "audit", failOpen: true } } });
  const [entry] = chain.entries;
  assert.deepEqual([entry?.type, entry?.policy.mode, chain.hooksResponses], ["sink", "audit", false]);
});

test("an interceptor of an unknown type refuses its source, unless unknown types are ignored, which is logged", async () => {
  const list = [{ name: "v", type: "validation", hooks }, { name: "o", type: "oracle", hooks: "any" }, { name: "s", type: "sink", hooks }] as never[];
  const source = remoteSource("r", list, () => ({ valid: true }));
  const { chain, logged } = rig();
  for (const options of [{}, { ignoreUnknownTypes: false }]) {
    await assert.rejects(chain.addSource(source, options), { code: "refused", message: /interceptor "o" of "r": type must .*"oracle"/ });
  }
  await assert.rejects(chain.addSource(source, { ignoreUnknownTypes: true, overrides: { o: {} } }), { code: "not_found" });
  const broken = remoteSource("r", [...list, { name: "", type: "validation", hooks }] as never[], () => ({ valid: true }));
  await assert.rejects(chain.addSource(broken, { ignoreUnknownTypes: true }), { code: "refused", message: /name must/ });
  assert.deepEqual(chain.entries, []);
  logged.length = 0;
  await chain.addSource(source, { ignoreUnknownTypes: true });
  assert.deepEqual(chain.entries.map(({ address }) => address), ["r/v", "r/s"]);
  assert.deepEqual(logged.map(({ level, message }) => [level, /^ignored: interceptor "o" of "r"/.test(message)]), [["warning", true]]);
});
