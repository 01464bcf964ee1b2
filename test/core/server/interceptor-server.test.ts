import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { mutator, validator, type HandlerInput, type Interceptor } from "../../../src/core/interceptor/define.ts";
import { deny } from "../../../src/core/interceptor/verdict.ts";
import type { LogEntry } from "../../../src/core/jsonrpc/log.ts";
import { McpServer } from "../../../src/core/mcp/server.ts";
import { hostInterceptors, type HostOptions } from "../../../src/core/server/interceptor-server.ts";
import { META } from "../../../src/core/wire/versions.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { scriptedTransport } from "../../support/scripted-transport.ts";

const INFO = { name: "policies", version: "1" };
const CALLS = [{ events: ["tools/call"], phase: "request" }] as const;
const EXTENSION = "io.modelcontextprotocol/interceptors";
const pass = validator({ name: "pass", hooks: CALLS }, () => true);

async function setUp(interceptors: readonly Interceptor[] | undefined, options: HostOptions = {}, era: "handshake" | "stateless" = "handshake") {
  const host = fakeHost();
  const log: LogEntry[] = [];
  const server = new McpServer(INFO, { host });
  const hosted = interceptors === undefined ? undefined : hostInterceptors(server, interceptors, { host, log: (entry) => log.push(entry), ...options });
  const transport = scriptedTransport();
  server.connect(transport);
  let id = 0;
  const meta = { [META.protocolVersion]: "2026-07-28", [META.clientCapabilities]: {} };
  const send = (method: string, params: JsonObject = {}) => {
    transport.deliver({ jsonrpc: "2.0", id: ++id, method, params: era === "handshake" ? params : { ...params, _meta: meta } });
    return id;
  };
  const answers = (wanted: number) => transport.sent.map(({ message }) => message as unknown as JsonObject).filter((message) => message.id === wanted);
  /** The whole answer, which is there without any time passing. */
  const ask = async (method: string, params: JsonObject = {}) => {
    const own = send(method, params);
    await settle();
    const [answer, ...more] = answers(own);
    assert.ok(answer !== undefined && more.length === 0, `${method} has one answer`);
    return answer;
  };
  const ok = async (method: string, params?: JsonObject) => {
    const answer = await ask(method, params);
    assert.equal(answer.error, undefined, JSON.stringify(answer.error));
    return answer.result as JsonObject;
  };
  const refused = async (method: string, params?: JsonObject) => {
    const { error } = await ask(method, params);
    return error as { readonly code: number; readonly message: string; readonly data: JsonObject };
  };
  const hello = () => ok(era === "handshake" ? "initialize" : "server/discover", era === "handshake" ? { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } } : {});
  const greeting = await hello();
  return { host, log, hosted, transport, send, answers, ask, ok, refused, greeting };
}
const INVOKE = { name: "pass", event: "tools/call", phase: "request", payload: { name: "echo" } };

describe("interceptors/list", () => {
  const everything = validator({ name: "everything", hooks: [{ events: ["*"], phase: "response" }] }, () => true);
  const resources = mutator(
    { name: "resources", description: "d", mode: "audit", failOpen: true, priorityHint: { request: 5 }, hooks: [{ events: ["resources/*"], phase: "request" }], configSchema: { type: "object" } },
    ({ payload }) => payload,
  );

  test("gives canonical descriptors in the order of registration, under both spellings, in one page", async () => {
    const { ok } = await setUp([pass, resources, everything]);
    const listed = await ok("interceptors/list");
    assert.deepEqual(await ok("interceptor/list"), listed);
    assert.deepEqual(Object.keys(listed), ["interceptors"]);
    const [first, second, third] = listed.interceptors as JsonObject[];
    // Members at their default are left out.
    assert.deepEqual(first, { name: "pass", type: "validation", hooks: CALLS });
    assert.deepEqual([second?.name, second?.mode, second?.failOpen, second?.priorityHint, second?.configSchema], ["resources", "audit", true, { request: 5 }, { type: "object" }]);
    assert.ok((second?.hooks as { events: string[] }[])[0]?.events.includes("resources/read"), "ns/* is listed with the events under it");
    assert.equal(third?.name, "everything");
  });

  test("keeps with an event filter what has a hook for it, * and ns/* included; an unknown event gives an empty list", async () => {
    const { ok } = await setUp([pass, resources, everything]);
    const names = async (event: string) => ((await ok("interceptors/list", { event })).interceptors as JsonObject[]).map(({ name }) => name);
    assert.deepEqual(await names("tools/call"), ["pass", "everything"]);
    assert.deepEqual(await names("resources/read"), ["resources", "everything"]);
    assert.deepEqual(await names("com.example/none"), ["everything"]);
    assert.deepEqual((await (await setUp([pass])).ok("interceptors/list", { event: "prompts/get" })).interceptors, []);
  });

  test("refuses a cursor and malformed params with the path", async () => {
    const { refused } = await setUp([pass]);
    for (const [params, path] of [[{ cursor: "2" }, "/cursor"], [{ cursor: 5 }, "/cursor"], [{ event: 5 }, "/event"]] as const) {
      const error = await refused("interceptors/list", params);
      assert.deepEqual([error.code, error.data.path], [-32602, path], JSON.stringify(params));
    }
  });

  test("an empty registry lists nothing and is still announced; without one both methods are unknown and nothing is", async () => {
    const empty = await setUp([]);
    assert.deepEqual(await empty.ok("interceptors/list"), { interceptors: [] });
    assert.deepEqual((empty.greeting.capabilities as JsonObject).extensions, { [EXTENSION]: { supportedEvents: [] } });
    const without = await setUp(undefined);
    for (const method of ["interceptors/list", "interceptor/list", "interceptor/invoke", "interceptors/invoke"]) assert.equal((await without.refused(method)).code, -32601);
    assert.equal((without.greeting.capabilities as JsonObject).extensions, undefined);
  });

  test("the capability names the hooked events as declared, sorted, once, in both eras", async () => {
    for (const era of ["handshake", "stateless"] as const) {
      const { greeting, ok } = await setUp([resources, pass, validator({ name: "again", hooks: CALLS }, () => true)], {}, era);
      assert.deepEqual((greeting.capabilities as JsonObject).extensions, { [EXTENSION]: { supportedEvents: ["resources/*", "tools/call"] } }, era);
      const result = await ok("interceptor/invoke", INVOKE);
      assert.equal(result.valid, true);
      if (era === "stateless") assert.equal(result.resultType, "complete");
    }
  });

  test("what is added while the server runs is listed, announced and run; a taken name adds nothing", async () => {
    const { hosted, ok, host } = await setUp([pass]);
    const late = validator({ name: "late", hooks: [{ events: ["prompts/get"], phase: "request" }] }, () => true);
    assert.throws(() => hosted?.add([late, pass]), { code: "conflict", message: /"pass"/ });
    assert.equal(((await ok("interceptors/list")).interceptors as unknown[]).length, 1);
    hosted?.add(late);
    assert.equal(((await ok("interceptors/list")).interceptors as unknown[]).length, 2);
    assert.equal((await ok("interceptor/invoke", { ...INVOKE, name: "late", event: "prompts/get" })).valid, true);
    assert.equal(host.liveTimers, 0);
  });

  test("hosts no more interceptors than the limit, and not one of a batch that passes it", async () => {
    const { hosted, ok } = await setUp([pass], { limits: { maxInterceptors: 2 } });
    const more = ["a", "b"].map((name) => validator({ name, hooks: CALLS }, () => true));
    assert.throws(() => hosted?.add(more), { code: "limit_exceeded" });
    assert.equal(((await ok("interceptors/list")).interceptors as unknown[]).length, 1);
    hosted?.add(more.slice(0, 1));
    assert.equal(((await ok("interceptors/list")).interceptors as unknown[]).length, 2);
  });
});

describe("interceptor/invoke", () => {
  test("answers with type first, then interceptor, phase and durationMs, whatever the handler returned there", async () => {
    const forged = validator({ name: "forged", hooks: CALLS }, () => ({ valid: true, interceptor: "other", durationMs: -5, phase: "request" }) as never);
    const tag = mutator({ name: "tag", hooks: CALLS }, ({ payload }) => ({ ...payload, tagged: true }));
    const { ok } = await setUp([forged, tag]);
    const result = await ok("interceptor/invoke", { ...INVOKE, name: "forged" });
    assert.deepEqual(result, { type: "validation", interceptor: "forged", phase: "request", durationMs: 0, valid: true });
    assert.deepEqual(Object.keys(result).slice(0, 4), ["type", "interceptor", "phase", "durationMs"]);
    const mutated = await ok("interceptors/invoke", { ...INVOKE, name: "tag" });
    assert.deepEqual(Object.keys(mutated)[0], "type");
    assert.deepEqual([mutated.modified, mutated.payload], [true, { name: "echo", tagged: true }]);
  });

  test("with alsoNested the members of a result come a second time, in Go's nesting and after the flat ones; errors stay as they are", async () => {
    const interceptors = [
      validator({ name: "no", hooks: CALLS }, () => deny("never", { path: "/name" })),
      validator({ name: "later", hooks: CALLS }, async () => true),
      mutator({ name: "tag", hooks: CALLS }, ({ payload }) => ({ ...payload, tagged: true })),
      mutator({ name: "same", hooks: CALLS }, ({ payload }) => payload),
      validator({ name: "crash", hooks: CALLS }, () => assert.fail("boom")),
    ];
    for (const alsoNested of [true, false]) {
      const { ok, refused } = await setUp(interceptors, { alsoNested });
      const plain = await setUp(interceptors);
      const nested = { no: "validation", later: "validation", tag: "mutation", same: "mutation" };
      for (const [name, type] of Object.entries(nested)) {
        const flat = await plain.ok("interceptor/invoke", { ...INVOKE, name });
        const { type: _type, interceptor: _name, phase: _phase, durationMs: _ms, ...own } = flat;
        const result = await ok("interceptor/invoke", { ...INVOKE, name });
        assert.deepEqual(result, alsoNested ? { ...flat, [type]: own } : flat, name);
        assert.equal(Object.keys(result)[0], "type");
      }
      assert.equal((await refused("interceptor/invoke", { ...INVOKE, name: "crash" })).data.reason, "crashed");
    }
  });

  test("a denial carries its severity and a message", async () => {
    const { ok } = await setUp([validator({ name: "no", hooks: CALLS }, () => deny("never")), validator({ name: "mute", hooks: CALLS }, () => false)]);
    const no = await ok("interceptor/invoke", { ...INVOKE, name: "no" });
    assert.deepEqual([no.valid, no.severity, no.messages], [false, "error", [{ severity: "error", message: "never" }]]);
    const mute = await ok("interceptor/invoke", { ...INVOKE, name: "mute" });
    assert.deepEqual([mute.valid, mute.severity], [false, "error"]);
    assert.equal((mute.messages as unknown[]).length, 1);
  });

  test("refuses malformed params with the path of what is wrong, or of what lacks a member", async () => {
    const { refused, log } = await setUp([pass]);
    const without = (member: string) => Object.fromEntries(Object.entries(INVOKE).filter(([name]) => name !== member));
    const cases: readonly (readonly [JsonObject, string | undefined])[] = [
      [without("name"), ""],
      [{ ...INVOKE, name: 5 }, "/name"],
      [{ ...INVOKE, name: "constructor" }, "/name"],
      [without("event"), ""],
      [{ ...INVOKE, event: {} }, "/event"],
      [{ ...INVOKE, event: "tools/*" }, "/event"],
      [without("phase"), ""],
      [{ ...INVOKE, phase: "both" }, "/phase"],
      [{ ...INVOKE, config: [] }, "/config"],
      [{ ...INVOKE, context: "me" }, "/context"],
      [{ ...INVOKE, timeoutMs: 0 }, "/timeoutMs"],
      [{ ...INVOKE, timeoutMs: 1.5 }, "/timeoutMs"],
      [{ ...INVOKE, timeoutMs: "1" }, "/timeoutMs"],
      [{ ...INVOKE, timeoutMs: 2 ** 31 }, "/timeoutMs"],
      [{ ...INVOKE, event: "prompts/get" }, undefined],
      [{ ...INVOKE, phase: "response" }, undefined],
    ];
    for (const [params, path] of cases) {
      const { code, message, data } = await refused("interceptor/invoke", params);
      assert.deepEqual([code, data.path], [-32602, path], JSON.stringify(params));
      assert.ok(message.length > 10, message);
      if (typeof params.name === "string") assert.equal(data.interceptor, params.name);
    }
    // None of it is the interceptor's fault.
    assert.deepEqual(log, []);
  });

  test("says which event or phase is not hooked", async () => {
    const { refused } = await setUp([pass]);
    assert.match((await refused("interceptor/invoke", { ...INVOKE, phase: "response" })).message, /response phase of tools\/call/);
    assert.deepEqual((await refused("interceptor/invoke", { ...INVOKE, event: "prompts/get" })).data, { interceptor: "pass", event: "prompts/get", phase: "request" });
  });

  test("an absent payload reads as null, and the handler gets copies of config and context", async () => {
    const seen: unknown[] = [];
    const look = validator({ name: "look", hooks: CALLS }, ({ payload, config, context }: HandlerInput) => {
      seen.push([payload, config, context.traceId]);
      return true;
    });
    const { ok } = await setUp([look]);
    await ok("interceptor/invoke", { name: "look", event: "tools/call", phase: "request" });
    await ok("interceptor/invoke", { name: "look", event: "tools/call", phase: "request", payload: 0, config: { a: 1 }, context: { traceId: "t" } });
    assert.deepEqual(seen, [[null, {}, undefined], [0, { a: 1 }, "t"]]);
  });

  test("a crash gives a stable reason and is logged here; exposeErrors tells the caller what was thrown", async () => {
    const crashes = ["sync", "async"].map((name) =>
      validator({ name, hooks: CALLS }, () => {
        if (name === "sync") throw new Error("password is hunter2");
        return Promise.reject(new Error("password is hunter2"));
      }),
    );
    const { refused, log } = await setUp(crashes);
    for (const name of ["sync", "async"]) {
      const { code, message, data } = await refused("interceptor/invoke", { ...INVOKE, name });
      assert.deepEqual([code, message, data], [-32603, "Interceptor execution failed", { interceptor: name, reason: "crashed" }]);
    }
    assert.deepEqual(log.map(({ message, error }) => [message, (error as Error).message]), [
      ["interceptor sync failed", "password is hunter2"],
      ["interceptor async failed", "password is hunter2"],
    ]);
    const exposed = await setUp(crashes, { exposeErrors: true });
    assert.equal((await exposed.refused("interceptor/invoke", { ...INVOKE, name: "sync" })).data.reason, "password is hunter2");
  });

  test("a malformed result and a config that does not fit are failures with a reason of their own", async () => {
    const { refused } = await setUp([
      validator({ name: "nothing", hooks: CALLS }, () => undefined as never),
      validator({ name: "strict", hooks: CALLS, configSchema: { type: "object", properties: { max: { type: "integer" } }, required: ["max"] } }, () => true),
    ]);
    assert.deepEqual((await refused("interceptor/invoke", { ...INVOKE, name: "nothing" })).data.reason, "malformed_result");
    for (const config of [undefined, {}, { max: "many" }]) {
      const { code, data } = await refused("interceptor/invoke", { ...INVOKE, name: "strict", ...(config === undefined ? {} : { config }) });
      assert.deepEqual([code, data.reason, (data.errors as unknown[]).length], [-32603, "invalid_config", 1]);
    }
  });

  test("a run ends at timeoutMs, else at the interceptor's own limit, else after 30 s, and its signal aborts", async () => {
    const signals: { aborted: boolean }[] = [];
    const hang = (name: string, timeoutMs?: number) =>
      validator({ name, hooks: CALLS, ...(timeoutMs === undefined ? {} : { timeoutMs }) }, ({ signal }) => {
        signals.push(signal);
        return new Promise<boolean>(() => {});
      });
    const { host, send, answers } = await setUp([hang("plain"), hang("quick", 500)]);
    for (const [params, ms] of [
      [{ ...INVOKE, name: "plain", timeoutMs: 20 }, 20],
      [{ ...INVOKE, name: "quick" }, 500],
      [{ ...INVOKE, name: "quick", timeoutMs: 700 }, 700],
      [{ ...INVOKE, name: "plain" }, 30_000],
    ] as const) {
      const id = send("interceptor/invoke", params);
      await host.advance(ms - 1);
      assert.deepEqual([answers(id).length, signals.at(-1)?.aborted], [0, false]);
      await host.advance(1);
      assert.deepEqual(answers(id)[0]?.error, { code: -32000, message: "Interceptor execution timeout", data: { interceptor: params.name, timeoutMs: ms, phase: "request" } });
      assert.equal(signals.at(-1)?.aborted, true);
    }
    assert.equal(host.liveTimers, 0);
  });

  test("a cancellation by the client aborts the handler's signal, and nothing is answered", async () => {
    let signal: { readonly aborted: boolean } | undefined;
    const { host, send, answers, transport } = await setUp([
      validator({ name: "hang", hooks: CALLS }, (input) => {
        signal = input.signal;
        return new Promise<boolean>(() => {});
      }),
    ]);
    const id = send("interceptor/invoke", { ...INVOKE, name: "hang" });
    await settle();
    assert.equal(signal?.aborted, false);
    transport.deliver({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
    await settle();
    assert.equal(signal?.aborted, true);
    await host.advance(100_000);
    assert.deepEqual(answers(id), []);
    assert.equal(host.liveTimers, 0);
  });
});
