import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError, RpcError } from "../../../src/core/base/errors.ts";
import { createSignal } from "../../../src/core/base/signal.ts";
import { mutator, validator, type HandlerInput, type Interceptor } from "../../../src/core/interceptor/define.ts";
import { invokeInterceptor, type InvokeOptions } from "../../../src/core/interceptor/invoke.ts";
import type { InvokeParams, InvokeResult } from "../../../src/core/wire/gen/interceptors.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";

const hooks = [{ events: ["custom/op"], phase: "request" }] as const;
const params: InvokeParams = { name: "x", event: "custom/op", phase: "request", payload: { a: 1 } };

function invoke(interceptor: Interceptor, extra: Partial<InvokeParams> = {}, options: Partial<InvokeOptions> = {}) {
  return invokeInterceptor(interceptor, { ...params, ...extra }, { host: fakeHost(), maxDepth: 64, maxMessageBytes: 10_000, ...options });
}

/** What a call throws or rejects with, as the error object of the response. */
async function errorOf(call: () => InvokeResult | Promise<InvokeResult>) {
  try {
    await call();
  } catch (thrown) {
    assert.ok(thrown instanceof RpcError, `not an RpcError: ${String(thrown)}`);
    return thrown.toJson();
  }
  return assert.fail("the call did not fail");
}

test("a synchronous handler gives its result synchronously, and starts no timer", () => {
  const host = fakeHost();
  const result = invoke(validator({ name: "x", hooks }, () => true), { timeoutMs: 10 }, { host });
  assert.deepEqual(result, { type: "validation", interceptor: "x", phase: "request", durationMs: 0, valid: true });
  assert.equal(host.liveTimers, 0);
});

test("an asynchronous handler leaves no timer behind, and its duration is rounded up", async () => {
  const host = fakeHost();
  let answer = (_valid: boolean) => {};
  const handler = validator({ name: "x", hooks }, () => new Promise<boolean>((resolve) => (answer = resolve)));
  const result = invoke(handler, { timeoutMs: 100 }, { host });
  await host.advance(2.5);
  answer(true);
  assert.equal((await result).durationMs, 3);
  assert.equal(host.liveTimers, 0);
});

test("an absent payload reads as null, and an absent config as an empty object", async () => {
  let seen: unknown;
  await invoke(validator({ name: "x", hooks }, ({ payload, config }) => ((seen = [payload, config]), true)), { payload: undefined });
  assert.deepEqual(seen, [null, {}]);
});

test("the handler gets the whole of its input", () => {
  let seen: HandlerInput | undefined;
  const caller = { type: "service", id: "gateway" } as const;
  invoke(
    validator({ name: "x", hooks }, (input) => ((seen = input), true)),
    {
      config: { level: 1 },
      context: { traceId: "t", principal: { type: "user", id: "u" } },
      _meta: { "org.mcp-interceptors/request": { method: "m", params: {} }, "org.mcp-interceptors/revalidation": true },
    },
    { caller },
  );
  const { name, event, phase, config, context } = seen!;
  assert.deepEqual([name, event, phase, config, seen?.caller], ["x", "custom/op", "request", { level: 1 }, caller]);
  assert.deepEqual(context, { traceId: "t", principal: { type: "user", id: "u" }, request: { method: "m", params: {} }, revalidation: true });
});

test("a caller's context cannot claim our own members", () => {
  let seen: unknown;
  invoke(validator({ name: "x", hooks }, ({ context }) => ((seen = context), true)), {
    context: { traceId: "t", revalidation: true, request: { method: "forged" } } as never,
  });
  assert.deepEqual(seen, { traceId: "t" });
});

test("wrong parameters are -32602 and say which", async () => {
  const one = validator({ name: "x", hooks: [{ events: ["custom/op"], phase: "request" }, { events: ["other/op"], phase: "response" }] }, () => true);
  const table: [Partial<InvokeParams>, RegExp, object][] = [
    [{ name: "y" }, /name/, { path: "/name" }],
    [{ event: "" }, /event/, { path: "/event" }],
    [{ event: "custom/*" }, /event/, { path: "/event" }],
    [{ phase: "both" as never }, /phase/, { path: "/phase" }],
    [{ config: [] as never }, /config/, { path: "/config" }],
    [{ context: "c" as never }, /context/, { path: "/context" }],
    [{ context: { principal: 5 } as never }, /params\/context\/principal must be an object/, { path: "/context/principal" }],
    [{ context: { principal: { type: "root" } } as never }, /principal\/type must be one of/, { path: "/context/principal/type" }],
    [{ context: { timestamp: 5 } as never }, /timestamp must be a string/, { path: "/context/timestamp" }],
    [{ context: { traceId: 7 } as never }, /traceId must be a string/, { path: "/context/traceId" }],
    [{ _meta: { progressToken: {} } as never }, /progressToken/, { path: "/_meta/progressToken" }],
    [{ timeoutMs: 0 }, /timeoutMs/, { path: "/timeoutMs" }],
    [{ timeoutMs: 1.5 }, /timeoutMs/, { path: "/timeoutMs" }],
    [{ event: "nobody/hooks" }, /does not hook nobody\/hooks/, { event: "nobody/hooks", phase: "request" }],
    [{ event: "other/op" }, /does not hook the request phase of other\/op/, { event: "other/op", phase: "request" }],
  ];
  for (const [extra, message, data] of table) {
    const error = await errorOf(() => invoke(one, extra));
    assert.equal(error.code, -32602);
    assert.match(error.message, message);
    assert.deepEqual(error.data, { interceptor: "x", ...data });
  }
});

test("a config that does not fit is refused before the handler runs, without quoting it", async () => {
  let runs = 0;
  const configSchema = { type: "object", properties: { level: { type: "integer" } }, required: ["level"] };
  const one = validator({ name: "x", hooks, configSchema }, () => (runs++, true));
  for (const config of [undefined, { level: "secret" }]) {
    const error = await errorOf(() => invoke(one, config && { config }));
    assert.equal(error.code, -32603);
    const { errors, ...data } = error.data as { errors: unknown[] };
    assert.deepEqual(data, { interceptor: "x", reason: "invalid_config" });
    assert.equal(errors.length, 1);
    assert.doesNotMatch(JSON.stringify(errors), /secret/);
  }
  assert.equal(runs, 0);
  assert.equal((await invoke(one, { config: { level: 3 } })).type, "validation");
});

test("what a handler throws stays on this side, unless it may be shown", async () => {
  const throws: (() => never)[] = [
    () => { throw new Error("secret"); },
    () => { throw "secret"; },
    () => { throw undefined; },
    () => { throw new RpcError(-32000, "secret", { interceptor: "x", timeoutMs: 1 }); },
  ];
  for (const handler of throws) {
    for (const wrapped of [handler, async () => handler()]) {
      const error = await errorOf(() => invoke(validator({ name: "x", hooks }, wrapped)));
      assert.deepEqual(error, { code: -32603, message: "Interceptor execution failed", data: { interceptor: "x", reason: "crashed" } });
    }
  }
  const shown = await errorOf(() => invoke(validator({ name: "x", hooks }, throws[0]!), {}, { exposeErrors: true }));
  assert.deepEqual(shown.data, { interceptor: "x", reason: "secret" });
});

test("a malformed result is a failure with that reason", async () => {
  const outputs: unknown[] = [undefined, null, {}, { valid: 1 }, { valid: true, messages: 1 }, { valid: true, info: { f: () => 1 } }];
  for (const output of outputs) {
    const error = await errorOf(() => invoke(validator({ name: "x", hooks }, () => output as boolean)));
    assert.deepEqual(error.data, { interceptor: "x", reason: "malformed_result" });
  }
});

test("at its timeout a run ends with the timeout error, and the handler's signal aborts", async () => {
  const host = fakeHost();
  let signal: HandlerInput["signal"] | undefined;
  const slow = validator({ name: "x", hooks }, (input) => ((signal = input.signal), new Promise<boolean>(() => {})));
  const call = errorOf(() => invoke(slow, { timeoutMs: 50 }, { host }));
  await host.advance(49);
  assert.equal(signal?.aborted, false);
  await host.advance(1);
  assert.deepEqual(await call, { code: -32000, message: "Interceptor execution timeout", data: { interceptor: "x", timeoutMs: 50, phase: "request" } });
  assert.equal(signal?.aborted, true);
  assert.equal(host.liveTimers, 0);
});

test("a synchronous handler that took too long has timed out", async () => {
  const host = fakeHost();
  const busy = validator({ name: "x", hooks }, () => true);
  let clock = 0;
  const error = await errorOf(() => invoke(busy, { timeoutMs: 5 }, { host: { ...host, now: () => (clock += 6) } }));
  assert.equal(error.code, -32000);
});

test("a cancelled run rejects with the reason and aborts the handler's signal", async () => {
  const source = createSignal();
  const reason = new Error("gone");
  let signal: HandlerInput["signal"] | undefined;
  const slow = validator({ name: "x", hooks }, (input) => ((signal = input.signal), new Promise<boolean>(() => {})));
  const call = Promise.resolve(invoke(slow, {}, { signal: source.signal }));
  source.abort(reason);
  await assert.rejects(call, reason);
  assert.equal(signal?.reason, reason);
});

test("the signal of a run that is over is aborted, also when it is read only then", async () => {
  let input: HandlerInput | undefined;
  await invoke(validator({ name: "x", hooks }, (given) => ((input = given), true)));
  assert.equal(input?.signal.aborted, true);
});

test("a handler that edits its copy changes nothing for the caller, and counts as having returned it", () => {
  const payload = { list: [1, { deep: true }] };
  const edits = mutator({ name: "x", hooks }, (input) => {
    const copy = input.payload as typeof payload;
    copy.list.push(2);
    return copy;
  });
  const result = invoke(edits, { payload });
  assert.deepEqual(payload, { list: [1, { deep: true }] });
  assert.deepEqual(result, {
    type: "mutation",
    interceptor: "x",
    phase: "request",
    durationMs: 0,
    modified: true,
    payload: { list: [1, { deep: true }, 2] },
  });
});

test("a handler's condition that says no leaves the payload alone", () => {
  const never = () => assert.fail("must not run");
  const skippedMutation = invoke(mutator({ name: "x", hooks, when: () => false }, never));
  assert.deepEqual([skippedMutation].map((result) => "modified" in result && result.modified), [false]);
  const skippedValidation = invoke(validator({ name: "x", hooks, when: () => false }, never));
  assert.deepEqual([skippedValidation].map((result) => "valid" in result && result.valid), [true]);
});

test("a condition that throws or gives no boolean is a failure of its own", async () => {
  for (const when of [() => assert.fail("boom"), () => Promise.resolve(true), () => 1]) {
    const error = await errorOf(() => invoke(validator({ name: "x", hooks, when: when as never }, () => true)));
    assert.deepEqual(error.data, { interceptor: "x", reason: "condition_failed" });
  }
});

test("a payload past a limit of the handler's own is a failure of its own, thrown or rejected", async () => {
  const past = () => new LocalError("limit_exceeded", "a payload with s3cret text");
  for (const handler of [() => { throw past(); }, () => Promise.reject(past())]) {
    const error = await errorOf(() => invoke(validator({ name: "x", hooks }, handler)));
    assert.deepEqual(error.data, { interceptor: "x", reason: "limit_exceeded" });
  }
  const other = await errorOf(() => invoke(validator({ name: "x", hooks }, () => Promise.reject(new LocalError("closed", "gone")))));
  assert.deepEqual(other.data, { interceptor: "x", reason: "crashed" });
});

test("hostile thenables settle once or run into the timeout", async () => {
  const host = fakeHost();
  const twice = { then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => (resolve(false), resolve(true), reject("no")) };
  const result = await invoke(validator({ name: "x", hooks }, () => twice as never));
  assert.equal(result.type === "validation" && result.valid, false);
  const throwing = { then: () => assert.fail("in then") };
  assert.deepEqual((await errorOf(() => invoke(validator({ name: "x", hooks }, () => throwing as never)))).data, { interceptor: "x", reason: "crashed" });
  const never = { then: () => {} };
  const call = errorOf(() => invoke(validator({ name: "x", hooks }, () => never as never), { timeoutMs: 10 }, { host }));
  await host.advance(10);
  assert.equal((await call).code, -32000);
  const trap = new Proxy({}, { has: () => assert.fail("in a trap"), get: () => assert.fail("in a trap"), ownKeys: () => assert.fail("in a trap") });
  assert.equal((await errorOf(() => invoke(validator({ name: "x", hooks }, () => trap as never)))).code, -32603);
  await settle();
});

test("what all inputs share cannot be changed, and the caller is a copy of each handler's own", () => {
  const caller = { type: "service", id: "gateway" } as const;
  const seen: unknown[] = [];
  const vandal = validator({ name: "x", hooks }, (input) => {
    const shared = Object.getPrototypeOf(input) as object;
    seen.push(Reflect.defineProperty(shared, "context", { value: { forged: true } }), Reflect.set(input.constructor, "end", undefined));
    Object.assign(input.caller!, { id: "forged" });
    seen.push(input.caller?.id);
    return true;
  });
  invoke(vandal, {}, { caller });
  invoke(validator({ name: "x", hooks }, (input) => (seen.push(input.caller?.id, input.context), true)), { context: { timestamp: "t" } }, { caller });
  assert.deepEqual(seen, [false, false, "forged", "gateway", { timestamp: "t" }]);
});
