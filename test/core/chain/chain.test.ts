import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError, RpcError } from "../../../src/core/base/errors.ts";
import { interceptorSource } from "../../../src/core/chain/in-process.ts";
import { validator } from "../../../src/core/interceptor/define.ts";
import type { ConditionInput } from "../../../src/core/interceptor/policy.ts";
import type { InterceptorDescriptor } from "../../../src/core/wire/gen/interceptors.ts";
import { BOTH_PHASES, CALL, deferred, mutates, remoteSource, rig, validates } from "./kit.ts";
import { NEVER } from "../../support/never.ts";

const hooks: InterceptorDescriptor["hooks"] = [{ events: ["tools/call"], phase: "request" }];
const pass = (name: string) => validates({ name }, () => true);
const remote = (label: string, ...names: string[]) =>
  remoteSource(label, names.map((name) => ({ name, type: "validation", hooks })), () => ({ valid: true }));

test("an empty chain lets everything through as it is", async () => {
  const { chain } = rig();
  const payload = { name: "echo" };
  const result = await chain.execute({ ...CALL, payload });
  assert.equal(result.finalPayload, payload);
  assert.deepEqual([result.status, result.modified, result.results], ["success", false, []]);
  assert.deepEqual(result.validationSummary, { errors: 0, warnings: 0, infos: 0 });
  assert.equal(chain.matches("tools/call", "request"), false);
});

test("what matches is known without running anything", () => {
  const { chain } = rig();
  chain.add(pass("v"));
  assert.deepEqual([chain.matches("tools/call", "request"), chain.matches("tools/call", "response"), chain.matches("tools/list", "request")], [true, true, false]);
});

test("adding is all or nothing", async () => {
  const { chain } = rig();
  assert.throws(() => chain.add([pass("a"), pass("b")], { overrides: { b: { hooks: [{ events: ["*"], phase: "request" }] } } }), { code: "refused" });
  assert.throws(() => chain.add([pass("a"), pass("a")]), { code: "conflict" });
  const broken: [object, RegExp][] = [
    [{ name: "x", type: "oracle", hooks }, /interceptor "x" of "r": type must/],
    [{ name: "", type: "validation", hooks }, /name must/],
    [{ name: "x", type: "validation", hooks: [] }, /hooks must/],
    [{ name: "x", type: "mutation", hooks, priorityHint: 2 ** 40 }, /priorityHint/],
    [{ name: "x", type: "validation", hooks, _meta: { "org.mcp-interceptors/timeoutMs": "soon" } }, /timeoutMs/],
  ];
  for (const [descriptor, message] of broken) {
    const source = remoteSource("r", [{ name: "fine", type: "validation", hooks }, descriptor as InterceptorDescriptor], () => ({ valid: true }));
    await assert.rejects(chain.addSource(source), { code: "refused", message });
  }
  await assert.rejects(chain.addSource(remote("r", "one", "one")), { code: "conflict" });
  const unlisted = new RpcError(-32601, "Method not found");
  await assert.rejects(chain.addSource({ ...remote("r", "v"), list: () => Promise.reject(unlisted) }), unlisted);
  assert.deepEqual(chain.entries, []);
  await chain.addSource(remote("r", "v"));
  assert.deepEqual(chain.entries.map(({ address }) => address), ["r/v"]);
});

test("labels are unique and hold no slash", async () => {
  const { chain } = rig();
  chain.add(pass("v"));
  for (const label of ["a/b", ""]) await assert.rejects(chain.addSource(remote(label, "v")), { code: "invalid_argument" });
  await assert.rejects(chain.addSource(remote("local", "w")), { code: "conflict" });
  const both = await Promise.allSettled([chain.addSource(remote("r", "v")), chain.addSource(remote("r", "w"))]);
  assert.deepEqual(both.map(({ status }) => status), ["fulfilled", "rejected"]);
});

test("local interceptors may be added in steps, but not one name twice", () => {
  const { chain } = rig();
  chain.add(pass("a"));
  chain.add(pass("b"));
  assert.throws(() => chain.add([pass("c"), pass("a")]), { code: "conflict", message: /local\/a/ });
  assert.deepEqual(chain.entries.map(({ name }) => name), ["a", "b"]);
});

test("a hook that is close to a method of MCP is logged, as it would never run, and what may be meant as it is is not", () => {
  const { chain, logged } = rig();
  chain.add(validator({ name: "v", hooks: [{ events: ["tool/call", "tools/call", "tool/*", "acme/run", "*"], phase: "request" }] }, () => true));
  assert.deepEqual(logged, [
    { level: "warning", message: 'it hooks "tool/call", which is no method of MCP: did you mean tools/call?', address: "local/v" },
    { level: "warning", message: 'it hooks "tool/*", which is no method of MCP: did you mean tools/*?', address: "local/v" },
  ]);
});

test("a source that lists nothing, and a bound that is no date, are logged", async () => {
  const { chain, logged } = rig();
  await chain.addSource(remote("empty"));
  chain.add(validates({ name: "v", compat: { minProtocol: "v1" } }, () => true));
  assert.deepEqual(logged.map(({ level, message }) => [level, message]), [
    ["warning", 'the source "empty" lists no interceptors'],
    ["warning", "compat.minProtocol is no date and is ignored"],
  ]);
  assert.equal((await chain.execute({ ...CALL, version: "2024-11-05" })).status, "success");
});

test("a chain has a bound on its interceptors", () => {
  const { chain } = rig({ limits: { maxInterceptors: 2 } });
  assert.throws(() => chain.add([pass("a"), pass("b"), pass("c")]), { code: "limit_exceeded" });
  chain.add([pass("a"), pass("b")]);
  assert.throws(() => chain.add(pass("c")), { code: "limit_exceeded" });
});

test("settings for a name that is not there are refused", async () => {
  const { chain } = rig();
  assert.throws(() => chain.add(pass("v"), { overrides: { w: { failOpen: true } } }), { code: "not_found" });
  assert.throws(() => chain.add(pass("v"), { config: { "other/v": {} } }), { code: "not_found" });
  assert.throws(() => chain.add(pass("v"), { config: { v: {}, "local/v": {} } }), { code: "ambiguous" });
  assert.throws(() => chain.add([pass("x"), pass("local/x")], { config: { "local/x": {} } }), { code: "ambiguous" });
  chain.add(pass("v"), { overrides: { "local/v": { failOpen: true } } });
  assert.equal(chain.entries[0]?.policy.failOpen, true);
});

test("a static config may be incomplete, but not wrong", async () => {
  const { chain, logged } = rig();
  const configSchema = { type: "object", properties: { a: { type: "integer" }, b: { type: "string" } }, required: ["a", "b"] };
  const seen: unknown[] = [];
  const one = validator({ name: "v", hooks: BOTH_PHASES, configSchema }, ({ config }) => (seen.push(config), true));
  assert.throws(() => chain.add(one, { config: { v: { a: "one" } } }), { code: "invalid_argument", message: /local\/v.*\/a/ });
  chain.add(one, { config: { v: { a: 1 } } });
  assert.equal((await chain.execute(CALL)).results[0]?.error?.reason, "invalid_config");
  await chain.execute({ ...CALL, config: { v: { a: 2, b: "x" } } });
  assert.deepEqual(seen, [{ a: 2, b: "x" }]);
  const odd = remoteSource("r", [{ name: "odd", type: "validation", hooks, configSchema: { type: "nonsense" } }], () => ({ valid: true }));
  await chain.addSource(odd, { config: { odd: { anything: true } } });
  assert.match(logged.at(-1)?.message ?? "", /configSchema cannot be used/);
});

test("a filter restricts, and an empty one is none", async () => {
  const { chain } = rig();
  chain.add([pass("a"), pass("b")]);
  await chain.addSource(remote("r", "b", "c"));
  const ran = async (interceptors: string[]) => (await chain.execute({ ...CALL, interceptors })).results.map(({ address }) => address);
  assert.deepEqual(await ran([]), ["local/a", "local/b", "r/b", "r/c"]);
  assert.deepEqual(await ran(["a", "r/b"]), ["local/a", "r/b"]);
  await assert.rejects(ran(["b"]), { code: "ambiguous", message: /local\/b, r\/b/ });
  await assert.rejects(ran(["a", "nobody"]), { code: "not_found" });
  await assert.rejects(chain.execute({ ...CALL, config: { b: {} } }), { code: "ambiguous" });
  await assert.rejects(chain.execute({ ...CALL, config: { x: {} } }), { code: "not_found" });
});

test("a name may hold a slash, and is ambiguous where it reads as another's address", async () => {
  const { chain } = rig();
  chain.add([pass("x/y")]);
  assert.equal((await chain.execute({ ...CALL, interceptors: ["x/y"] })).results.length, 1);
  await chain.addSource(remote("x", "y"));
  await assert.rejects(chain.execute({ ...CALL, interceptors: ["x/y"] }), { code: "ambiguous" });
  assert.equal((await chain.execute({ ...CALL, interceptors: ["local/x/y"] })).results.length, 1);
});

test("parameters that are wrong reject, and nothing runs", async () => {
  const { chain } = rig();
  chain.add(validates({ name: "v", failOpen: true }, () => assert.fail("must not run")));
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const table: [object, string][] = [
    [{ event: "*" }, "invalid_argument"],
    [{ event: "custom/op" }, "invalid_argument"],
    [{ phase: "both" }, "invalid_argument"],
    [{ error: true }, "invalid_argument"],
    [{ timeoutMs: 0 }, "invalid_argument"],
    [{ interceptors: "v" }, "invalid_argument"],
    [{ config: { v: 1 } }, "invalid_argument"],
    [{ interceptors: [5] }, "invalid_argument"],
    [{ context: "c" }, "invalid_argument"],
    [{ timeoutMs: null }, "invalid_argument"],
    [{ version: 20250618 }, "invalid_argument"],
    [{ signal: {} }, "invalid_argument"],
    [{ signal: null }, "invalid_argument"],
    [{ request: { params: {} } }, "invalid_argument"],
    [{ accept: "all" }, "invalid_argument"],
    [{ error: "no" }, "invalid_argument"],
    [{ revalidate: true }, "invalid_argument"],
    [{ payload: cyclic }, "not_json"],
    [{ payload: { a: NaN } }, "not_json"],
  ];
  for (const [extra, code] of table) await assert.rejects(chain.execute({ ...CALL, ...extra } as typeof CALL), { code }, Object.keys(extra).join());
});

test("a wrong context rejects with the place of the fault, as it is refused on the wire", async () => {
  const { chain } = rig();
  let runs = 0;
  chain.add(validates({ name: "v" }, () => (runs++, true)));
  const wrong: [object, RegExp][] = [
    [[], /^context must be an object$/],
    [{ principal: 5 }, /^context\.principal must be an object$/],
    [{ principal: { type: "root" } }, /^context\.principal\.type must be one of/],
    [{ timestamp: 5 }, /^context\.timestamp must be a string$/],
    [{ traceId: 7 }, /^context\.traceId must be a string$/],
    [{ sessionId: null }, /^context\.sessionId must be a string$/],
  ];
  for (const [context, message] of wrong) {
    await assert.rejects(chain.execute({ ...CALL, context: context as never }), { code: "invalid_argument", message });
  }
  assert.equal(runs, 0);
  // Whoever vouches for a context and is wrong gets a failure of each interceptor, and no verdict.
  const vouched = await chain.execute({ ...CALL, owned: true, context: { traceId: 7 } as never });
  assert.deepEqual([vouched.status, vouched.results[0]?.error?.reason, runs], ["validation_failed", "unavailable", 0]);
});

test("a result that no message can hold fails its interceptor at once, and a payload like that is not taken", async () => {
  const { chain } = rig({ limits: { maxMessageBytes: 50_000 } });
  let shared: Record<string, unknown> = { a: 1 };
  for (let doublings = 0; doublings < 40; doublings++) shared = { l: shared, r: shared };
  chain.add([mutates({ name: "m", failOpen: true }, () => shared), validates({ name: "v", failOpen: true }, () => ({ valid: true, info: shared }))]);
  const result = await chain.execute(CALL);
  assert.deepEqual(result.results.map(({ error }) => error?.reason), ["malformed_result", "malformed_result"]);
  assert.deepEqual([result.status, result.finalPayload], ["success", CALL.payload]);
  await assert.rejects(chain.execute({ ...CALL, payload: shared }), { code: "limit_exceeded" });
});

test("an execution keeps the entries that it began with", async () => {
  const { chain } = rig();
  const first = deferred<boolean>();
  chain.add(validates({ name: "v" }, () => first.promise));
  const run = chain.execute(CALL);
  chain.add(mutates({ name: "m" }, () => ({ name: "changed" })));
  first.resolve(true);
  assert.deepEqual((await run).finalPayload, CALL.payload);
  assert.deepEqual((await chain.execute(CALL)).finalPayload, { name: "changed" });
});

test("a remote invocation carries all that the wire has a place for", async () => {
  const { chain } = rig({ revalidate: "if-modified" });
  const descriptor: InterceptorDescriptor = {
    name: "v",
    type: "validation",
    hooks: [...hooks, { events: ["tools/call"], phase: "response" }],
    _meta: { "org.mcp-interceptors/withRequest": true, "org.mcp-interceptors/timeoutMs": 700 },
  };
  const source = remoteSource("r", [descriptor], () => ({ valid: true }));
  await chain.addSource(source, { config: { v: { level: 1 } } });
  chain.add(mutates({ name: "m" }, () => ({ content: ["new"] })));
  const request = { method: "tools/call", params: { name: "echo" } };
  await chain.execute({ ...CALL, phase: "response", direction: "receiving", payload: { content: [] }, request, context: { traceId: "t" } });
  const common = {
    name: "v",
    event: "tools/call",
    phase: "response",
    timeoutMs: 700,
    config: { level: 1 },
    context: { timestamp: "2026-07-28T00:00:00.000Z", traceId: "t" },
  };
  assert.deepEqual(source.calls.map(({ params }) => params), [
    { ...common, payload: { content: [] }, _meta: { "org.mcp-interceptors/request": request } },
    { ...common, payload: { content: ["new"] }, _meta: { "org.mcp-interceptors/request": request, "org.mcp-interceptors/revalidation": true } },
  ]);
});

test("each remote invocation of a trace is a span of its own, and outside a trace there is none", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const contexts: [object | undefined, boolean][] = [
    [{ traceId }, true], [undefined, false], [{}, false], [{ traceId: "t" }, false], [{ traceId: "0".repeat(32) }, false], [{ traceId: traceId.toUpperCase() }, false],
  ];
  for (const [context, traced] of contexts) {
    const { chain } = rig();
    const source = remote("r", "a", "b");
    await chain.addSource(source);
    await chain.execute({ ...CALL, ...(context && { context }) });
    const parents = source.calls.map(({ params }) => params._meta?.["traceparent"]);
    if (traced) for (const parent of parents) assert.match(String(parent), new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    assert.equal(new Set(parents).size, traced ? 2 : 1, JSON.stringify(context));
    if (!traced) assert.deepEqual(source.calls.map(({ params }) => params._meta), [undefined, undefined]);
  }
});

test("a host without a random source judges all the same, without spans", async () => {
  const host = { ...rig().host, random: () => assert.fail("no random source") };
  const { chain } = rig({ host });
  const source = remote("r", "a");
  await chain.addSource(source);
  const result = await chain.execute({ ...CALL, context: { traceId: "0af7651916cd43dd8448eb211c80319c" } });
  assert.deepEqual([result.status, source.calls[0]?.params._meta], ["success", undefined]);
});

test("an error response is shown to those that handle errors alone", async () => {
  const { chain } = rig();
  chain.add([
    validates({ name: "plain" }, () => assert.fail("must not run")),
    mutates({ name: "handles", handlesErrors: true }, ({ payload }) => ({ ...payload, seen: true })),
  ]);
  const payload = { error: { code: -1, message: "m" } };
  const result = await chain.execute({ ...CALL, phase: "response", error: true, payload });
  assert.deepEqual(result.finalPayload, { ...payload, seen: true });
});

test("an entry's condition sees a copy and skips the entry", async () => {
  const { chain } = rig();
  const when = ({ payload, event, phase, name }: { payload: unknown; event: string; phase: string; name: string }) => {
    assert.deepEqual([event, phase, name], ["tools/call", "request", "v"]);
    const copy = payload as { name: string };
    const wanted = copy.name === "echo";
    copy.name = "vandalised";
    return wanted;
  };
  const seen: unknown[] = [];
  chain.add(validates({ name: "v" }, ({ payload }) => (seen.push(payload), true)), { overrides: { v: { when } } });
  assert.equal((await chain.execute(CALL)).results.length, 1);
  const skipped = await chain.execute({ ...CALL, payload: { name: "other" } });
  assert.deepEqual([skipped.status, skipped.results], ["success", []]);
  assert.deepEqual(seen, [CALL.payload]);
});

test("an entry's condition sees who asks, and in the response phase the request, as copies", async () => {
  const { chain } = rig();
  const seen: unknown[] = [];
  const when = ({ context }: ConditionInput) => {
    seen.push(structuredClone({ claims: context.principal?.claims, request: context.request }));
    Object.assign(context.principal?.claims ?? {}, { role: "vandalised" });
    Object.assign(context.request?.params ?? {}, { name: "vandalised" });
    return true;
  };
  chain.add(validator({ name: "v", hooks: BOTH_PHASES }, ({ context }) => context.principal?.claims?.["role"] === "ops"), { overrides: { v: { when } } });
  const context = { principal: { type: "user", claims: { role: "ops" } } } as const;
  const request = { method: "tools/call", params: { name: "echo" } };
  const results = [
    await chain.execute({ ...CALL, context }),
    await chain.execute({ ...CALL, phase: "response", payload: { content: [] }, context, request }),
  ];
  assert.deepEqual(results.map(({ status }) => status), ["success", "success"]);
  const claims = { role: "ops" };
  assert.deepEqual(seen, [{ claims, request: undefined }, { claims, request }]);
  assert.equal(request.params.name, "echo");
});

test("each invocation is observed by name, event, phase, outcome and duration, without its payload", async () => {
  const { chain, observed, host } = rig();
  const answer = deferred<boolean>();
  const audit = validates({ name: "w", mode: "audit" }, () => false);
  chain.add([validates({ name: "v" }, () => answer.promise), audit, mutates({ name: "m" }, () => ({ name: "changed" }))]);
  const run = chain.execute(CALL);
  await host.advance(1.5);
  answer.resolve(true);
  const result = await run;
  const common = { event: "tools/call", phase: "request" };
  const ends = observed.filter((told) => told.kind === "verdict" || told.kind === "mutated").map(({ run: _run, at: _at, ...told }) => told);
  assert.deepEqual(ends, [
    { kind: "verdict", address: "local/w", interceptor: "w", type: "validation", mode: "audit", ...common, outcome: "invalid", severity: "error", elapsedMs: 0 },
    { kind: "verdict", address: "local/v", interceptor: "v", type: "validation", mode: "active", ...common, outcome: "valid", elapsedMs: 1.5 },
    { kind: "mutated", address: "local/m", interceptor: "m", type: "mutation", mode: "active", ...common, elapsedMs: 0 },
  ]);
  assert.deepEqual([result.results[0]?.elapsedMs, result.results[0]?.durationMs, result.totalDurationMs], [1.5, 2, 2]);
});

test("a server's own duration is kept beside ours, and ours stands in where it gives none", async () => {
  for (const [claimed, durationMs] of [[7.5, 7.5], [undefined, 2], [-1, 2], ["7", 2], [NaN, 2]] as const) {
    const { chain, host } = rig();
    const answer = deferred<unknown>();
    await chain.addSource(remoteSource("r", [{ name: "v", type: "validation", hooks }], () => answer.promise));
    const run = chain.execute(CALL);
    await host.advance(1.5);
    answer.resolve({ valid: true, durationMs: claimed });
    const [entry] = (await run).results;
    assert.deepEqual([entry?.durationMs, entry?.elapsedMs], [durationMs, 1.5], String(claimed));
  }
});

test("a chain cannot tell a source in this process from one behind JSON", async () => {
  const interceptors = [
    validates({ name: "v" }, ({ payload }) => ({ valid: (payload as { name: string }).name !== "rm", messages: [{ message: "m", severity: "warn" }] })),
    mutates({ name: "m" }, ({ payload }) => ({ ...payload, m: undefined, n: -0 })),
    mutates({ name: "crash", failOpen: true }, () => assert.fail("boom")),
  ];
  const local = interceptorSource(interceptors, { label: "s", host: rig().host });
  const overJson = remoteSource("s", await local.list() as InterceptorDescriptor[], async (params) => {
    try {
      const received = JSON.parse(JSON.stringify(params)) as typeof params;
      return JSON.parse(JSON.stringify(await local.invoke(received, NEVER)));
    } catch (error) {
      const { code, message, data } = (error as RpcError).toJson();
      throw new RpcError(code, message, data);
    }
  });
  const results = [];
  for (const source of [local, overJson]) {
    const { chain } = rig();
    await chain.addSource(source);
    const { settled: _settled, ...result } = await chain.execute(CALL);
    // The text of an exception stays on the server's side.
    results.push(JSON.stringify(result).replace(/"message":"(boom|Interceptor execution failed)"/, '"message":""'));
  }
  assert.equal(results[0], results[1]);
});

test("two interceptors of one name make no source, and an unknown name is not found", () => {
  assert.throws(() => interceptorSource([pass("a"), pass("a")]), { code: "conflict" });
  const source = interceptorSource([pass("a")]);
  const invoke = () => source.invoke({ name: "b", event: "tools/call", phase: "request" }, NEVER);
  assert.throws(invoke, (error: unknown) => error instanceof LocalError && error.code === "not_found");
});
