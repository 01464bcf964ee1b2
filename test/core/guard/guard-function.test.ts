import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError, RpcError } from "../../../src/core/base/errors.ts";
import { createSignal } from "../../../src/core/base/signal.ts";
import { createChain, type Chain } from "../../../src/core/chain/chain.ts";
import type { ChainResult } from "../../../src/core/chain/result.ts";
import { isBlocked, BlockedError } from "../../../src/core/guard/blocked-error.ts";
import type { FunctionGuardOptions } from "../../../src/core/guard/function-options.ts";
import { guardFunction } from "../../../src/core/guard/guard-function.ts";
import { mutator, validator, type Interceptor } from "../../../src/core/interceptor/define.ts";
import { deny } from "../../../src/core/interceptor/verdict.ts";
import { textOf } from "../../../src/core/wire/completion.ts";
import type { LlmCompletionRequest, LlmCompletionResponse } from "../../../src/core/wire/gen/completion.ts";
import { fakeHost, settle, type FakeHost } from "../../support/fake-host.ts";

const BOTH = [
  { events: ["custom/work"], phase: "request" },
  { events: ["custom/work"], phase: "response" },
] as const;
const REQUEST = { events: ["custom/work"], phase: "request" } as const;
const RESPONSE = { events: ["custom/work"], phase: "response" } as const;

function chainOf(host: FakeHost, ...interceptors: Interceptor[]): Chain {
  const chain = createChain({ host });
  if (interceptors.length > 0) chain.add(interceptors);
  return chain;
}

interface Work {
  text: string;
  _meta?: Record<string, unknown>;
}

/** A guarded `custom/work` that answers what it was asked, with a mark. */
function rig(interceptors: readonly Interceptor[], options: Partial<FunctionGuardOptions> = {}, fn: (work: Work) => unknown = ({ text }) => ({ text: `${text}!` })) {
  const host = fakeHost();
  const seen: Work[] = [];
  const chain = chainOf(host, ...interceptors);
  const guarded = guardFunction(
    async (work: Work) => {
      seen.push(work);
      return (await fn(work)) as Work;
    },
    chain,
    { event: "custom/work", host, ...options },
  );
  return { host, chain, guarded, seen };
}

const rejected = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("it resolved"),
    (thrown: unknown) => thrown,
  );

test("the argument is judged as the request, the result as the response, in the order of a client", async () => {
  const order: string[] = [];
  const note = (name: string) => ({ phase, payload }: { phase: string; payload: unknown }) => (order.push(`${name} ${phase}: ${(payload as Work).text}`), true);
  const change = mutator({ name: "m", hooks: BOTH }, ({ phase, payload }) => {
    order.push(`m ${phase}`);
    return { ...(payload as Work), text: `${(payload as Work).text} (${phase})` };
  });
  const { guarded, seen, host } = rig([validator({ name: "v", hooks: BOTH }, note("v")), change]);
  assert.deepEqual(await guarded({ text: "hi" }), { text: "hi (request)! (response)" });
  assert.deepEqual(seen, [{ text: "hi (request)" }]);
  // The answer arrives, so it is judged again once it was mutated.
  assert.deepEqual(order, ["m request", "v request: hi (request)", "v response: hi (request)!", "m response", "v response: hi (request)! (response)"]);
  assert.equal(host.liveTimers, 0);
});

test("as a server it validates the request before it mutates, and the response after", async () => {
  const order: string[] = [];
  const interceptors = [
    mutator({ name: "m", hooks: BOTH }, ({ phase }) => (order.push(`m ${phase}`), { text: "new" })),
    validator({ name: "v", hooks: BOTH, timeoutMs: 5 }, ({ phase, context }) => (order.push(`v ${phase}${context.revalidation === true ? " again" : ""}`), true)),
  ];
  await rig(interceptors, { role: "server" }).guarded({ text: "x" });
  assert.deepEqual(order, ["v request", "m request", "v request again", "m response", "v response"]);
});

test("a block before the call is told apart from a failure of the function, which never ran", async () => {
  const { guarded, seen } = rig([validator({ name: "no", hooks: [REQUEST] }, () => deny("not that"))]);
  const thrown = await rejected(guarded({ text: "x" }));
  assert.ok(isBlocked(thrown) && thrown instanceof BlockedError && thrown instanceof RpcError);
  assert.deepEqual([thrown.name, thrown.code, thrown.message], ["BlockedError", -32602, "Interceptor validation failed"]);
  assert.deepEqual(thrown.data, { validationErrors: [{ interceptor: "no", severity: "error", message: "not that" }] });
  assert.deepEqual([thrown.result.phase, thrown.result.abortedAt?.interceptor], ["request", "no"]);
  assert.deepEqual(seen, []);
  const failing = rig([], {}, () => Promise.reject(new RpcError(-32602, "Interceptor validation failed")));
  assert.equal(isBlocked(await rejected(failing.guarded({ text: "x" }))), false);
});

test("a blocked result goes nowhere, and neither the error nor what a log makes of it holds it", async () => {
  const { guarded } = rig([validator({ name: "no", hooks: [RESPONSE] }, () => deny("it says secret"))], {}, () => ({ text: "secret" }));
  const thrown = await rejected(guarded({ text: "x" }));
  assert.ok(isBlocked(thrown));
  const { inspect } = await import("node:util");
  assert.doesNotMatch(inspect(thrown) + JSON.stringify(thrown), /secret/);
  assert.deepEqual(thrown.result.lastValidPayload, { text: "secret" });
});

test("nothing that asks whether an error is a block can throw", () => {
  const spring = () => assert.fail("trap");
  const values = [undefined, null, 1, "x", Symbol("s"), {}, new LocalError("timeout", "t"), new Proxy({}, { has: spring, get: spring, getPrototypeOf: spring })];
  assert.deepEqual(values.map(isBlocked), values.map(() => false));
});

test("what the function throws is rethrown as it is, and judged by those who handle errors", async () => {
  const seen: unknown[] = [];
  const own = new TypeError("model is down");
  const looks = validator({ name: "looks", hooks: [RESPONSE], handlesErrors: true }, ({ payload }) => (seen.push(payload), true));
  const blind = validator({ name: "blind", hooks: [RESPONSE] }, () => assert.fail("it does not handle errors"));
  const { guarded } = rig([looks, blind], {}, () => Promise.reject(own));
  assert.equal(await rejected(guarded({ text: "x" })), own);
  const rpc = rig([looks, blind], {}, () => Promise.reject(new RpcError(-32050, "quota", { left: 0 })));
  await rejected(rpc.guarded({ text: "x" }));
  assert.deepEqual(seen, [{ error: { code: -32603, message: "model is down" } }, { error: { code: -32050, message: "quota", data: { left: 0 } } }]);
});

test("an error may be changed or blocked, and nothing of the first one is left then", async () => {
  const mask = mutator({ name: "mask", hooks: [RESPONSE], handlesErrors: true }, () => ({ error: { code: -32001, message: "masked" } }));
  const fail = () => {
    throw new RpcError(-32050, "key sk-1 refused");
  };
  const masked = await rejected(rig([mask], {}, fail).guarded({ text: "x" }));
  assert.ok(masked instanceof RpcError && masked.code === -32001 && masked.message === "masked" && masked.cause === undefined);
  const no = validator({ name: "no", hooks: [RESPONSE], handlesErrors: true }, () => false);
  assert.equal(isBlocked(await rejected(rig([no], {}, fail).guarded({ text: "x" }))), true);
  const bad = mutator({ name: "bad", hooks: [RESPONSE], handlesErrors: true }, () => ({ error: "text" }) as never);
  const refused = await rejected(rig([bad], {}, fail).guarded({ text: "x" }));
  assert.ok(isBlocked(refused) && refused.result.status === "mutation_failed");
});

test("nobody sees what somebody else does to a payload: caller, handlers, audit, function", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const seen: unknown[] = [];
  const vandal = validator({ name: "a", hooks: BOTH }, ({ payload }) => Object.assign(payload as Work, { text: "vandalised" }).text !== "");
  const late = validator({ name: "z", hooks: BOTH, mode: "audit" }, async ({ payload, phase }) => {
    await gate;
    seen.push([phase, payload]);
    return true;
  });
  const answers: Work[] = [];
  const { guarded, seen: given } = rig([vandal, late], {}, (work) => {
    work.text = "edited by the function";
    const answer = { text: "answer" };
    answers.push(answer);
    return answer;
  });
  const argument = { text: "asked" };
  const call = guarded(argument);
  argument.text = "changed after the call";
  const result = await call;
  result.text = "edited by the caller";
  answers[0]!.text = "edited later";
  release();
  await settle();
  assert.deepEqual(seen, [["request", { text: "asked" }], ["response", { text: "answer" }]]);
  assert.deepEqual([argument.text, given[0]?.text], ["changed after the call", "edited by the function"]);
});

test("a response is told the final request, where it asks for it", async () => {
  const asked: unknown[] = [];
  const interceptors = [
    mutator({ name: "m", hooks: [REQUEST] }, () => ({ text: "final" })),
    validator({ name: "v", hooks: [RESPONSE], withRequest: true }, ({ context }) => (asked.push(context.request), true)),
  ];
  const { guarded } = rig(interceptors, {}, (work) => ((work.text = "edited"), { text: "" }));
  await guarded({ text: "first" });
  assert.deepEqual(asked, [{ method: "custom/work", params: { text: "final" } }]);
});

test("context names the caller, and a trace is minted; the function is told the same", async () => {
  const seen: unknown[] = [];
  const host = fakeHost();
  const looks = validator({ name: "v", hooks: BOTH }, ({ context }) => (seen.push(context), true));
  const guarded = guardFunction((_: Work, { context }) => (seen.push(context), { text: "" }), chainOf(host, looks), {
    event: "custom/work",
    host,
    context: () => ({ principal: { type: "service", id: "agent" }, sessionId: "s" }),
  });
  await guarded({ text: "" }, { context: { principal: { type: "user", id: "ada" } } });
  assert.equal(seen.length, 3);
  const { traceId, spanId, ...rest } = seen[0] as Record<string, string>;
  assert.match(`${traceId}-${spanId}`, /^[0-9a-f]{32}-[0-9a-f]{16}$/);
  assert.deepEqual(rest, { timestamp: "2026-07-28T00:00:00.000Z", sessionId: "s", principal: { type: "user", id: "ada" } });
  assert.deepEqual([seen[1], seen[2]], [seen[0], seen[0]]);
});

test("a context that cannot be had, or is none, blocks the call", async () => {
  const broken = rig([], { context: () => assert.fail("no token") });
  assert.equal((await rejected(broken.guarded({ text: "" })) as LocalError).code, "refused");
  const wrong = rig([], { context: () => ({ principal: { type: "robot" } }) as never });
  assert.equal((await rejected(wrong.guarded({ text: "" })) as LocalError).code, "invalid_argument");
  assert.deepEqual([broken.seen, wrong.seen], [[], []]);
});

test("an abort ends the call at once, in its chain and in the function, with the caller's reason", async () => {
  const signals: { readonly aborted: boolean }[] = [];
  const hangs = validator({ name: "v", hooks: [REQUEST], mode: "active" }, ({ signal, payload }) => {
    signals.push(signal);
    return (payload as Work).text === "pass" || new Promise<boolean>(() => {});
  });
  const host = fakeHost();
  const guarded = guardFunction((_: Work, { signal }) => (signals.push(signal), new Promise<Work>(() => {})), chainOf(host, hangs), { event: "custom/work", host });
  for (const text of ["hang", "pass"]) {
    const stop = createSignal();
    const call = rejected(guarded({ text }, { signal: stop.signal }));
    await settle();
    stop.abort("enough");
    assert.equal(await call, "enough");
  }
  assert.equal(await rejected(guarded({ text: "pass" }, { signal: AbortSignal.abort("before") })), "before");
  assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true, true]);
  assert.equal(host.liveTimers, 0);
});

test("a function that does not answer in time is an error of its own, which is judged as one", async () => {
  const seen: unknown[] = [];
  const looks = validator({ name: "v", hooks: [RESPONSE], handlesErrors: true }, ({ payload }) => (seen.push(payload), true));
  const { guarded, host } = rig([looks], { timeoutMs: 100 }, () => new Promise(() => {}));
  const call = rejected(guarded({ text: "" }));
  await host.advance(99);
  assert.deepEqual(seen, []);
  await host.advance(1);
  assert.equal(((await call) as LocalError).code, "timeout");
  assert.match(JSON.stringify(seen), /gave no answer within 100 ms/);
  assert.equal(host.liveTimers, 0);
});

test("a chain that takes too long blocks, by its own limit", async () => {
  const { guarded, host } = rig([validator({ name: "v", hooks: [REQUEST] }, () => new Promise<boolean>(() => {}))], { chainTimeoutMs: 50 });
  const call = rejected(guarded({ text: "" }));
  await host.advance(50);
  const thrown = await call;
  assert.ok(isBlocked(thrown) && thrown.result.status === "timeout" && thrown.code === -32000);
});

test("what is no JSON is refused, on the way in and on the way out, whoever listens", async () => {
  const { guarded, seen } = rig([]);
  assert.equal((await rejected(guarded({ text: "x", f: () => 1 } as never)) as LocalError).code, "not_json");
  assert.deepEqual(seen, []);
  assert.equal((await rejected(rig([], {}, () => new Map()).guarded({ text: "" })) as LocalError).code, "not_json");
  const limited = rig([], { limits: { maxMessageBytes: 20 } });
  assert.equal((await rejected(limited.guarded({ text: "a".repeat(30) })) as LocalError).code, "limit_exceeded");
});

test("a function without argument or result is judged with null, and gives nothing", async () => {
  const seen: unknown[] = [];
  const host = fakeHost();
  const looks = validator({ name: "v", hooks: BOTH }, ({ payload }) => (seen.push(payload), true));
  const guarded = guardFunction(() => undefined, chainOf(host, looks), { event: "custom/work", host });
  assert.equal(await guarded(undefined), undefined);
  assert.deepEqual(seen, [null, null]);
});

test("a completion must be one, before the chain and after each mutator", async () => {
  const host = fakeHost();
  const request: LlmCompletionRequest = { model: "m", messages: [{ role: "user", content: "mail ada@example.com" }] };
  const chain = chainOf(
    host,
    mutator({ name: "mask", hooks: [{ events: ["llm/completion"], phase: "request" }] }, ({ payload }) => ({
      ...payload,
      messages: payload.messages.map((message) => ({ ...message, content: textOf(message.content).replaceAll(/\S+@\S+/g, "[mail]") })),
    })),
  );
  const asked: LlmCompletionRequest[] = [];
  const model = (given: LlmCompletionRequest): LlmCompletionResponse => (asked.push(given), { message: { role: "assistant", content: [{ type: "text", text: "done" }] }, stopReason: "endTurn" });
  const guarded = guardFunction(model, chain, { event: "llm/completion", host });
  assert.equal(textOf((await guarded(request)).message.content), "done");
  assert.equal(asked[0]?.messages[0]?.content, "mail [mail]");
  const wrong = (await rejected(guarded({ messages: [] } as never))) as LocalError;
  assert.deepEqual([wrong.code, /model/.test(wrong.message)], ["invalid_argument", true]);
  const broken = guardFunction(() => ({ text: "no completion" }), chain, { event: "llm/completion", host });
  assert.equal((await rejected(broken(request)) as LocalError).code, "invalid_message");
  const free = guardFunction((_: object) => ({ text: "own format" }), chainOf(host), { event: "llm/completion", host, check: {} });
  assert.deepEqual(await free({ prompt: "x" }), { text: "own format" });
  const breaks = chainOf(host, mutator({ name: "b", hooks: [{ events: ["llm/completion"], phase: "request" }] }, () => ({ model: "m" }) as never));
  const thrown = await rejected(guardFunction(model, breaks, { event: "llm/completion", host })(request));
  assert.ok(isBlocked(thrown) && thrown.result.abortedAt?.reason === "malformed_result");
});

test("a method of MCP is held to its params and result, and reserved _meta is put back", async () => {
  const host = fakeHost();
  const hooks = [{ events: ["tools/call"], phase: "request" }] as const;
  const chain = chainOf(host, mutator({ name: "m", hooks }, ({ payload }) => ({ ...payload, name: "b", _meta: { progressToken: "forged", x: 1 } })));
  const guarded = guardFunction((call: object) => ({ content: [{ type: "text", text: JSON.stringify(call) }] }), chain, { event: "tools/call", host });
  const result = await guarded({ name: "a", arguments: {}, _meta: { progressToken: 7 } });
  assert.deepEqual(JSON.parse(result.content[0]!.text), { name: "b", arguments: {}, _meta: { x: 1, progressToken: 7 } });
  assert.equal((await rejected(guarded({ arguments: {} })) as LocalError).code, "invalid_argument");
});

test("one call keeps the chain that it began with, and filter and config reach it", async () => {
  const host = fakeHost();
  const seen: unknown[] = [];
  const make = (name: string) => validator({ name, hooks: BOTH }, ({ config }) => (seen.push([name, config]), true));
  let current = chainOf(host, make("a"), make("b"));
  const results: ChainResult[] = [];
  const guarded = guardFunction((work: Work) => ((current = chainOf(host)), work), { current: () => current }, {
    event: "custom/work",
    host,
    interceptors: ["b"],
    config: { b: { level: 1 } },
    observe: (result) => {
      results.push(result);
      throw new TypeError("observer");
    },
  });
  await guarded({ text: "" });
  await guarded({ text: "" });
  assert.deepEqual(seen, [["b", { level: 1 }], ["b", { level: 1 }]]);
  assert.deepEqual(results.map(({ phase, status }) => [phase, status]), [["request", "success"], ["response", "success"]]);
});

test("a function that does its worst fails alone, and leaves nothing", async () => {
  const spring = (): never => assert.fail("trap");
  const trap: object = new Proxy({}, { get: spring, has: spring, ownKeys: spring, getPrototypeOf: spring });
  const shown: unknown[] = [];
  const looks = validator({ name: "v", hooks: [RESPONSE], handlesErrors: true }, ({ payload }) => (shown.push((payload as { error?: object }).error), true));
  const thrower = (what: unknown) => () => {
    throw what;
  };
  const circular = new RpcError(-32050, "busy", trap);
  const waits = { then: () => {} };
  for (const what of [undefined, null, Symbol("x"), trap, circular, waits]) {
    // In a list, as a promise would read what it is given.
    const thrown = await rig([looks], {}, thrower(what)).guarded({ text: "" }).then(() => [], (error: unknown) => [error]);
    assert.ok(thrown.length === 1 && thrown[0] === what);
  }
  assert.deepEqual(shown.map((error) => JSON.stringify(error)), [
    '{"code":-32603,"message":"undefined"}',
    '{"code":-32603,"message":"null"}',
    '{"code":-32603,"message":"Symbol(x)"}',
    '{"code":-32603,"message":"an error that cannot be read"}',
    '{"code":-32603,"message":"busy"}',
    '{"code":-32603,"message":"[object Object]"}',
  ]);
  const both = { then: (yes: (work: Work) => void, no: (error: unknown) => void) => (yes({ text: "first" }), no("second"), spring()) };
  const { guarded, host } = rig([looks], { timeoutMs: 10 }, () => both);
  assert.deepEqual(await guarded({ text: "" }), { text: "first" });
  assert.equal((await rejected(rig([looks], {}, () => ({ get text() { return spring(); } })).guarded({ text: "" })) as Error).message, "trap");
  assert.equal(host.liveTimers, 0);
});

test("wrong options are refused when the function is guarded", () => {
  const host = fakeHost();
  for (const options of [{ event: "a/*" }, { event: "" }, { event: "a", role: "peer" }, { event: "a", timeoutMs: 0 }, { event: "a", chainTimeoutMs: 1.5 }, { event: "a", context: {} }]) {
    assert.throws(() => guardFunction(() => 1, chainOf(host), options as never), { code: "invalid_argument" }, JSON.stringify(options));
  }
});
