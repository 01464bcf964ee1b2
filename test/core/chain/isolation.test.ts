import assert from "node:assert/strict";
import { test } from "node:test";
import { mutator, validator } from "../../../src/core/interceptor/define.ts";
import { settle } from "../../support/fake-host.ts";
import { BOTH_PHASES, CALL, deferred, mutates, remoteSource, rig, validates } from "./kit.ts";

test("a handler that edits its copy changes nothing for anybody else", async () => {
  const { chain } = rig();
  const seen: unknown[] = [];
  const vandal = ({ payload }: { readonly payload: unknown }) => {
    seen.push(structuredClone(payload));
    const copy = payload as { name: string; arguments: Record<string, unknown> };
    copy.name = "vandalised";
    copy.arguments.x = 1;
    return true;
  };
  chain.add([validates({ name: "a" }, vandal), validates({ name: "b" }, vandal), validates({ name: "c", mode: "audit" }, vandal)]);
  const payload = { name: "echo", arguments: { deep: [1] } };
  const result = await chain.execute({ ...CALL, payload });
  const original = { name: "echo", arguments: { deep: [1] } };
  assert.deepEqual(seen, [original, original, original]);
  assert.deepEqual(payload, original);
  assert.deepEqual(result.finalPayload, original);
  assert.equal(result.modified, false);
});

test("a handler that edits what it returned changes nothing later", async () => {
  const { chain } = rig();
  const returned = { name: "m", arguments: { list: [1] } };
  const verdict = { valid: true, info: { k: 1 } };
  chain.add([
    mutates({ name: "m", priorityHint: 1 }, () => returned),
    mutates({ name: "n", priorityHint: 2 }, ({ payload }) => (returned.arguments.list.push(2), payload)),
    validates({ name: "v" }, () => verdict),
  ]);
  const result = await chain.execute(CALL);
  verdict.info.k = 2;
  assert.deepEqual(result.finalPayload, { name: "m", arguments: { list: [1] } });
  assert.deepEqual(result.results.find(({ interceptor }) => interceptor === "v")?.info, { k: 1 });
});

test("context, config and request are copies of each handler's own", async () => {
  const { chain } = rig();
  const seen: string[] = [];
  const make = (name: string) =>
    validator({ name, hooks: BOTH_PHASES, withRequest: true }, ({ context, config }) => {
      seen.push(JSON.stringify([context.traceId, context.principal?.id, config, context.request?.method]));
      Object.assign(context, { traceId: "forged" });
      Object.assign(context.principal ?? {}, { id: "forged" });
      Object.assign(context.request ?? {}, { method: "forged" });
      config.level = "forged";
      return true;
    });
  chain.add([make("a"), make("b")], { config: { a: { level: 1 }, b: { level: 2 } } });
  const context = { traceId: "t", principal: { type: "user", id: "u" } } as const;
  const request = { method: "tools/call", params: {} };
  const given = { ...CALL, phase: "response", context, request, config: { b: { extra: true } } } as const;
  await chain.execute(given);
  await chain.execute(given);
  const expected = ['["t","u",{"level":1},"tools/call"]', '["t","u",{"level":2,"extra":true},"tools/call"]'];
  assert.deepEqual(seen, [...expected, ...expected]);
  assert.deepEqual(context, { traceId: "t", principal: { type: "user", id: "u" } });
});

test("the request that a response answers is shown to those that ask for it, in the response phase alone", async () => {
  const { chain } = rig();
  const seen: unknown[] = [];
  const make = (name: string, withRequest: boolean) =>
    validator({ name, hooks: BOTH_PHASES, withRequest }, ({ context }) => (seen.push([name, context.request]), true));
  chain.add([make("told", true), make("plain", false)]);
  const request = { method: "tools/call", params: { name: "echo" } };
  await chain.execute({ ...CALL, request });
  await chain.execute({ ...CALL, phase: "response", request });
  assert.deepEqual(seen, [["told", undefined], ["plain", undefined], ["told", request], ["plain", undefined]]);
});

test("a caller that edits its payload in mid-run changes neither what is judged nor what comes out", async () => {
  const { chain } = rig();
  const first = deferred<boolean>();
  const seen: unknown[] = [];
  const looks = mutator({ name: "m", hooks: BOTH_PHASES }, ({ payload }) => (seen.push(payload), payload));
  chain.add([validates({ name: "v" }, () => first.promise), looks]);
  const payload = { name: "echo" };
  const run = chain.execute({ ...CALL, payload });
  payload.name = "rm";
  await settle();
  first.resolve(true);
  assert.deepEqual((await run).finalPayload, { name: "echo" });
  assert.deepEqual(seen, [{ name: "echo" }]);
});

test("an owned payload that nobody modifies comes out as the object that went in", async () => {
  const { chain } = rig();
  chain.add([validates({ name: "v" }, () => true), mutator({ name: "m", hooks: BOTH_PHASES }, ({ payload }) => payload)]);
  const result = await chain.execute({ ...CALL, owned: true });
  assert.equal(result.finalPayload, CALL.payload);
});

test("mutators that return a new object, the edited one, the same one, or nothing", async () => {
  const table: [(payload: Record<string, unknown>) => unknown, unknown, boolean][] = [
    [(payload) => ({ ...payload, name: "new" }), { name: "new", arguments: {} }, true],
    [(payload) => ((payload.name = "edited"), payload), { name: "edited", arguments: {} }, true],
    [(payload) => payload, CALL.payload, false],
    [() => undefined, undefined, false],
  ];
  for (const [change, final, modified] of table) {
    const { chain } = rig();
    chain.add(mutates({ name: "m" }, ({ payload }) => change(payload)));
    const result = await chain.execute(CALL);
    assert.deepEqual([result.finalPayload, result.modified], [final, modified]);
    assert.equal(result.status, final === undefined ? "mutation_failed" : "success");
  }
});

test("members called __proto__ and constructor are data", async () => {
  const { chain } = rig();
  const payload: unknown = JSON.parse('{"name":"constructor","arguments":{"__proto__":{"polluted":true}}}');
  chain.add([validates({ name: "toString" }, () => true), mutates({ name: "__proto__" }, ({ payload }) => ({ ...payload, name: "x" }))]);
  const result = await chain.execute({ ...CALL, payload, interceptors: ["toString", "__proto__"] });
  assert.equal(JSON.stringify(result.finalPayload), '{"name":"x","arguments":{"__proto__":{"polluted":true}}}');
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  await assert.rejects(chain.execute({ ...CALL, interceptors: ["constructor"] }), { code: "not_found" });
});

test("hostile outputs are failures with stable reasons, and nothing stays unhandled", async () => {
  let deep: unknown = 1;
  for (let level = 0; level < 10_000; level++) deep = [deep];
  const spring = () => assert.fail("trap");
  const trap = new Proxy({}, { get: spring, has: spring, ownKeys: spring, getPrototypeOf: spring });
  const outputs: [unknown, string][] = [
    [deep, "malformed_result"],
    [{ valid: true, info: { deep } }, "malformed_result"],
    [new Map(), "malformed_result"],
    [Symbol("x"), "malformed_result"],
    [{ get valid(): never { return assert.fail("getter"); } }, "malformed_result"],
    [{ then: (_: unknown, reject: (error: unknown) => void) => reject(undefined) }, "crashed"],
    [{ get then(): never { return assert.fail("getter"); } }, "crashed"],
    [trap, "crashed"],
  ];
  for (const type of ["validation", "mutation"] as const) {
    for (const [output, reason] of outputs) {
      const { chain } = rig();
      chain.add((type === "validation" ? validates : mutates)({ name: "x" }, () => output));
      const result = await chain.execute(CALL);
      assert.equal(result.status, `${type}_failed`);
      assert.equal(result.results[0]?.error?.reason, reason);
    }
  }
  await settle();
});

test("a source that answers nonsense has failed", async () => {
  const hooks = [{ events: ["tools/call"], phase: "request" as const }];
  const trap = new Proxy({}, { get: (_, member) => (member === "then" ? undefined : assert.fail("trap")) });
  for (const answer of [null, undefined, "x", [], {}, { valid: 1 }, { valid: true, phase: "response" }, { valid: true, type: "mutation" }, trap]) {
    for (const reply of [answer, Promise.resolve(answer)]) {
      const { chain } = rig();
      await chain.addSource(remoteSource("r", [{ name: "v", type: "validation", hooks }], () => reply));
      const result = await chain.execute(CALL);
      assert.deepEqual([result.status, result.results[0]?.error?.reason], ["validation_failed", "malformed_result"]);
    }
  }
});

test("listeners that throw or reject hurt nobody", async () => {
  const bad = () => { throw new Error("listener"); };
  const { chain } = rig({ log: bad, observe: (async () => bad()) as () => void });
  chain.add(validates({ name: "x", failOpen: true }, bad));
  assert.equal((await chain.execute(CALL)).status, "success");
  await settle();
});
