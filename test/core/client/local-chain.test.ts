import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { createSignal } from "../../../src/core/base/signal.ts";
import { createChain, localChain, type ConnectedChainOptions } from "../../../src/core/client/local-chain.ts";
import { interceptorSource } from "../../../src/core/chain/in-process.ts";
import { REMOTE_GRACE_MS } from "../../../src/core/chain/invocation.ts";
import type { ChainLog } from "../../../src/core/chain/report.ts";
import type { ChainResult } from "../../../src/core/chain/result.ts";
import { validator, type Interceptor } from "../../../src/core/interceptor/define.ts";
import { allow, deny, info, mutated, unchanged, warn } from "../../../src/core/interceptor/verdict.ts";
import { hostInterceptors } from "../../../src/core/server/interceptor-server.ts";
import { fakeHost, settle, type FakeHost } from "../../support/fake-host.ts";
import { CALL, mutates, validates } from "../chain/kit.ts";
import { connected, descriptor, listing } from "./kit.ts";

const hosting = (interceptors: readonly Interceptor[]) => connected((server, host) => void hostInterceptors(server, interceptors, { host }));
const pass = validator({ name: "pass", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => true);
const addresses = (chain: { readonly entries: readonly { readonly address: string }[] }) => chain.entries.map(({ address }) => address);

describe("adding servers", () => {
  test("finds all interceptors of a connected client, under the given label or server-1, server-2, …", async () => {
    const chain = createChain({ host: fakeHost() });
    for (const label of [undefined, "mine", undefined]) {
      const { client } = await hosting([pass]);
      await chain.addServer(client, label === undefined ? {} : { label });
    }
    assert.deepEqual(addresses(chain), ["server-1/pass", "mine/pass", "server-2/pass"]);
  });

  test("the label of a server is the first of server-1, server-2, … that nobody has, is getting or has got for an empty list", async () => {
    const chain = createChain({ host: fakeHost() });
    await chain.addServer((await hosting([pass])).client, { label: "server-1" });
    await chain.addServer(interceptorSource([pass], { label: "server-2" }));
    await chain.addServer((await hosting([])).client);
    const pair = [await hosting([pass]), await hosting([pass])];
    await Promise.all(pair.map(({ client }) => chain.addServer(client)));
    assert.deepEqual(addresses(chain), ["server-1/pass", "server-2/pass", "server-4/pass", "server-5/pass"]);
    await assert.rejects(chain.addServer((await connected()).client));
    await chain.addServer((await hosting([pass])).client);
    assert.equal(addresses(chain).at(-1), "server-6/pass");
  });

  test("what is no server is refused in words, before anything is started", async () => {
    const chain = createChain({ host: fakeHost(), connect: () => assert.fail("nothing to connect to") });
    const none = [null, undefined, "x", 5, [], {}, { url: 5 }, { command: 5 }, { command: "" }, { command: "a", url: "b" }, { invoke: 1, list: 2 }];
    for (const server of none) {
      await assert.rejects(chain.addServer(server as never), { code: "invalid_argument", message: /a connected McpClient, a source/ });
    }
  });

  test("takes a source of one's own, with its label", async () => {
    const chain = createChain({ host: fakeHost() });
    await chain.addServer(interceptorSource([pass], { label: "own" }), { overrides: { pass: { mode: "audit" } } });
    assert.deepEqual(addresses(chain), ["own/pass"]);
    assert.equal(chain.entries[0]?.policy.mode, "audit");
  });

  test("adds nothing where a descriptor is refused, a name comes twice, the list fails, or the label is taken or wrong", async () => {
    const chain = createChain({ host: fakeHost() });
    await chain.addServer((await hosting([pass])).client, { label: "first" });
    const refusals: readonly (readonly [Awaited<ReturnType<typeof connected>>, string, RegExp])[] = [
      [await connected(listing({ "": { interceptors: [descriptor("a"), descriptor("b", { hooks: "all" })] } })), "s", /"b" of "s"/],
      [await connected(listing({ "": { interceptors: [descriptor("a"), descriptor("a")] } })), "s", /s\/a already/],
      [await connected(), "s", /"s" hosts no interceptors/],
      [await hosting([pass]), "first", /label "first" already/],
      [await hosting([pass]), "a/b", /without "\/"/],
      [await hosting([pass]), "", /non-empty/],
    ];
    for (const [{ client }, label, expected] of refusals) {
      await assert.rejects(chain.addServer(client, { label }), expected);
      assert.deepEqual(addresses(chain), ["first/pass"]);
      // A refused server of the caller's own stays connected: it is the caller's to close.
      await client.ping();
    }
  });

  test("an empty list is logged, and adds nothing", async () => {
    const logged: ChainLog[] = [];
    const chain = createChain({ host: fakeHost(), log: (entry) => logged.push(entry) });
    await chain.addServer((await hosting([])).client);
    assert.deepEqual(logged.map(({ level, message }) => [level, message]), [["warning", 'the source "server-1" lists no interceptors']]);
    assert.deepEqual(chain.entries, []);
  });

  test("what a server says of a changed list is logged and changes nothing, until a refresh, and is not heard once the chain is closed", async () => {
    const logged: ChainLog[] = [];
    const chain = createChain({ host: fakeHost(), log: (entry) => logged.push(entry) });
    let list = [descriptor("a")];
    const { client, connection } = await connected((server) => void server.method("interceptors/list", () => ({ interceptors: list })));
    let own = 0;
    // A program may listen itself, before and after.
    client.notification("notifications/interceptors/list_changed", () => void own++);
    await chain.addServer(client, { label: "s" });
    list = [descriptor("a"), descriptor("b")];
    for (const method of ["notifications/interceptors/list_changed", "notifications/interceptor/list_changed", "notifications/tools/list_changed"]) await connection.notify(method);
    await settle();
    const hint = ["info", 'the server "s" says that its interceptors have changed; refresh() takes that in'];
    assert.deepEqual(logged.map(({ level, message }) => [level, message]), [hint, hint]);
    assert.deepEqual([own, addresses(chain)], [1, ["s/a"]]);
    const { added } = await chain.refresh();
    assert.deepEqual([addresses({ entries: added }), addresses(chain)], [["s/b"], ["s/a", "s/b"]]);
    await chain.close();
    await connection.notify("notifications/interceptors/list_changed");
    await settle();
    assert.deepEqual([logged.length, own], [2, 2]);
  });

  test("descriptors of every dialect are read, and unknown types are left out on demand", async () => {
    const chain = createChain({ host: fakeHost() });
    const both = { name: "b", type: "validation", hook: { events: ["tools/call"], phase: "both" }, mode: "enforce" };
    const flat = { name: "f", type: "mutation", events: ["*/response"], phase: "request", mode: "" };
    const { client } = await connected(listing({ "": { interceptors: [both, descriptor("o", { type: "oracle" })], nextCursor: "2" }, "2": { interceptors: [flat, descriptor("s", { type: "sink" })] } }));
    await assert.rejects(chain.addServer(client), { code: "refused", message: /"o" of "server-1"/ });
    await chain.addServer(client, { ignoreUnknownTypes: true });
    assert.deepEqual(
      chain.entries.map(({ name, type, policy: { mode, hooks } }) => [name, type, mode, hooks.map(({ events, phase }) => `${phase}:${events.join()}`)]),
      [["b", "validation", "active", ["request:tools/call", "response:tools/call"]], ["f", "mutation", "active", ["response:*"]], ["s", "sink", "audit", ["request:tools/call"]]],
    );
  });

  test("a denial of a server that nests its results as Go does blocks, also where the result says both", async () => {
    const answers: readonly JsonObject[] = [
      { type: "validation", phase: "request", validation: { valid: false, messages: [{ message: "no", severity: "error" }] } },
      { type: "validation", phase: "request", valid: false, validation: { valid: false } },
      // Two answers in one are none.
      { type: "validation", phase: "request", valid: true, validation: { valid: false } },
    ];
    const { client, host } = await connected((server) => {
      listing({ "": { interceptors: [descriptor("a")] } })(server);
      let call = 0;
      server.method("interceptor/invoke", () => answers[call++] ?? {});
    });
    const chain = createChain({ host });
    await chain.addServer(client);
    const reasons: unknown[] = [];
    for (const _answer of answers) {
      const { status, results } = await chain.execute(CALL);
      reasons.push([status, results[0]?.error?.reason ?? results[0]?.messages?.[0]?.message]);
    }
    assert.deepEqual(reasons, [["validation_failed", "no"], ["validation_failed", "rejected"], ["validation_failed", "malformed_result"]]);
  });

  test("without a connector a command is refused with what to do", async () => {
    await assert.rejects(createChain().addServer({ command: "x" }), { code: "host_missing", message: /createChain of mcp-interceptors\/node, or pass a connected client/ });
  });

  test("a connector gets the target and the signal; what it opened is closed with the chain, or at once where adding fails", async () => {
    const good = await hosting([pass]);
    const bad = await connected();
    const asked: unknown[] = [];
    const signal = createSignal().signal;
    const connect: NonNullable<ConnectedChainOptions["connect"]> = async (target, given) => {
      asked.push([target, given]);
      return "command" in target && target.command === "good" ? good.client : bad.client;
    };
    const chain = createChain({ host: fakeHost(), connect });
    await chain.addServer({ command: "good" }, { signal });
    await assert.rejects(chain.addServer({ url: "https://example.com" }), { code: "unsupported" });
    assert.deepEqual(asked, [[{ command: "good" }, signal], [{ url: "https://example.com" }, undefined]]);
    await bad.client.closed;
    await good.client.ping();
    await Promise.all([chain.close(), chain.close()]);
    await good.client.closed;
    assert.deepEqual(addresses(chain), ["server-1/pass"]);
    assert.equal((await chain.execute(CALL)).results[0]?.error?.reason, "unavailable");
  });

  test("localChain adds interceptors with their settings, and can be added to", async () => {
    const host = fakeHost();
    const chain = await localChain([pass], { host, overrides: { pass: { failOpen: true } }, config: { pass: { a: 1 } } });
    assert.equal(chain.entries[0]?.policy.failOpen, true);
    await chain.addServer((await hosting([pass])).client);
    assert.deepEqual(addresses(chain), ["local/pass", "server-1/pass"]);
    assert.deepEqual((await localChain([])).entries, []);
  });
});

describe("a remote interceptor", () => {
  test("fails closed as unavailable once its server has died, also in mid-call; with failOpen the message passes", async () => {
    const hang = validates({ name: "hang" }, () => new Promise(() => {}));
    for (const failOpen of [false, true]) {
      const { client, connection } = await hosting([hang]);
      const host = fakeHost();
      const chain = createChain({ host });
      await chain.addServer(client, { overrides: { hang: { failOpen } } });
      const running = chain.execute(CALL);
      await settle();
      await connection.close();
      for (const result of [await running, await chain.execute(CALL)]) {
        assert.equal(result.results[0]?.error?.reason, "unavailable");
        assert.equal(result.status, failOpen ? "success" : "validation_failed");
      }
      assert.equal(host.liveTimers, 0);
    }
  });

  test("has a grace beyond its timeout for the server's own error, and no more", async () => {
    // The server's answer to a timeout comes 100 ms after the limit, or never.
    for (const [answers, waited] of [[true, 600], [false, 500 + REMOTE_GRACE_MS]] as const) {
      const cancelled: unknown[] = [];
      const { client, host } = await connected((server, own) => {
        listing({ "": { interceptors: [descriptor("slow")] } })(server);
        server.method("interceptor/invoke", ({ timeoutMs }, { coreSignal }) => {
          coreSignal.onAbort((reason) => cancelled.push(reason));
          return new Promise((resolve) => {
            if (answers) own.setTimer(() => resolve({ type: "validation", phase: "request", valid: timeoutMs === 500 }), 600);
          });
        });
      });
      const chain = createChain({ host });
      await chain.addServer(client, { overrides: { slow: { timeoutMs: 500 } } });
      const started = host.now();
      const running = chain.execute(CALL);
      await host.advance(waited);
      const result = await running;
      assert.deepEqual([result.status, result.totalDurationMs], [answers ? "success" : "timeout", waited]);
      assert.equal(host.now() - started, waited);
      await settle();
      if (!answers) assert.equal(cancelled.length, 1, "the server is told");
      assert.equal(host.liveTimers, 0);
    }
  });

  test("is cancelled when the caller gives up", async () => {
    let aborted = 0;
    const { client, host } = await hosting([
      validates({ name: "hang" }, ({ signal }) => {
        (signal as AbortSignal).addEventListener("abort", () => aborted++);
        return new Promise(() => {});
      }),
    ]);
    const chain = createChain({ host });
    await chain.addServer(client);
    const caller = createSignal();
    const running = chain.execute({ ...CALL, signal: caller.signal });
    await settle();
    caller.abort("enough");
    await assert.rejects(running, (thrown) => thrown === "enough");
    await settle();
    assert.equal(aborted, 1);
    assert.equal(host.liveTimers, 0);
  });
});

// What differs by nature: durations, the label, and the text of an error, which does not cross a wire.
function comparable(result: ChainResult): unknown {
  return JSON.parse(
    JSON.stringify(result, (key, value: unknown) => {
      if (key === "durationMs" || key === "elapsedMs" || key === "totalDurationMs") return undefined;
      if (key === "address") return String(value).replace(/^.*\//, "");
      if (key === "error" && typeof value === "object") return { ...value, message: undefined };
      return value;
    }),
  );
}

describe("in process and over a connection a chain comes to the same result", () => {
  const crash = () => {
    throw new Error("boom");
  };
  const behaviours: Readonly<Record<string, Interceptor | readonly Interceptor[]>> = {
    "true": validates({ name: "x" }, () => true),
    "false": validates({ name: "x" }, () => false),
    "allow": validates({ name: "x" }, () => allow()),
    "deny with a path": validates({ name: "x" }, () => deny("no", { path: "/name" })),
    "deny, later": validates({ name: "x" }, async () => deny("no")),
    "info": validates({ name: "x" }, () => info("fyi")),
    "warn": validates({ name: "x" }, () => warn("careful")),
    "an invalid verdict of severity warn": validates({ name: "x" }, () => ({ valid: false, severity: "warn" })),
    "an invalid verdict of an unknown severity": validates({ name: "x" }, () => ({ valid: false, severity: "fatal", messages: [{ message: "m", severity: "odd" }] })),
    "info and more in a verdict": validates({ name: "x" }, () => ({ valid: true, info: { score: 0.5 }, messages: [], suggestions: [{ path: "/a", value: 1 }] })),
    "nothing": validates({ name: "x" }, () => undefined),
    "a wrong type": validates({ name: "x" }, () => ({ type: "mutation", valid: true })),
    "a number": validates({ name: "x" }, () => 5),
    "what is no JSON": validates({ name: "x" }, () => ({ valid: true, info: { f: () => {} } })),
    "a crash": validates({ name: "x" }, crash),
    "a crash, later": validates({ name: "x" }, async () => crash()),
    "a crash that fails open": validates({ name: "x", failOpen: true }, crash),
    "a crash in audit": validates({ name: "x", mode: "audit" }, crash),
    "a timeout": validates({ name: "x", timeoutMs: 50 }, () => new Promise(() => {})),
    "a timeout that fails open": mutates({ name: "x", timeoutMs: 50, failOpen: true }, () => new Promise(() => {})),
    "a config that does not fit": validates({ name: "x", configSchema: { type: "object", required: ["must"] } }, () => true),
    "audit that denies": validates({ name: "x", mode: "audit" }, () => deny("no")),
    "a new payload": mutates({ name: "x" }, (input) => ({ ...input.payload, added: { deep: [1, "é", null] } })),
    "an edit in place": mutates({ name: "x" }, ({ payload }) => {
      payload["name"] = "edited";
      return payload;
    }),
    "the same payload": mutates({ name: "x" }, ({ payload }) => payload),
    "unchanged()": mutates({ name: "x" }, () => unchanged()),
    "mutated() with info": mutates({ name: "x" }, ({ payload }) => mutated({ ...payload, a: 1 }, { info: { why: "because" } })),
    "a payload with undefined members": mutates({ name: "x" }, ({ payload }) => ({ ...payload, gone: undefined })),
    "a payload with a key __proto__": mutates({ name: "x" }, ({ payload }) => JSON.parse(`{"name":"${String(payload["name"])}","__proto__":{"a":1}}`)),
    "no object for a payload": mutates({ name: "x" }, () => "text"),
    "a payload of NaN": mutates({ name: "x" }, ({ payload }) => ({ ...payload, n: NaN })),
    "a forgotten return": mutates({ name: "x" }, () => undefined),
    "a mutator that crashes": mutates({ name: "x" }, crash),
    "a shadow mutator": mutates({ name: "x", mode: "audit" }, ({ payload }) => ({ ...payload, shadow: true })),
    "several that build on each other": [
      mutates({ name: "b", priorityHint: 2 }, ({ payload }) => ({ ...payload, trail: `${String(payload["trail"])}b` })),
      mutates({ name: "a", priorityHint: 1 }, ({ payload }) => ({ ...payload, trail: "a" })),
      validates({ name: "v" }, ({ payload }) => ((payload as { trail?: string }).trail === undefined ? warn("before") : true)),
    ],
    "conditions": validator({ name: "x", hooks: [{ events: ["tools/call"], phase: "request" }], when: ({ payload }) => payload.name === "other" }, () => deny("never")),
  };

  const execute = async (host: FakeHost, chain: ReturnType<typeof createChain>) => {
    const running = chain.execute({ ...CALL, revalidate: "if-modified" });
    await host.advance(50);
    const result = await running;
    // An audit entry that answers later is in the settled result alone, and a connection always answers later.
    const at = chain.entries.some(({ policy }) => policy.mode === "audit") ? result.status : comparable(result);
    return { at, settled: comparable(await result.settled) };
  };

  for (const [name, behaviour] of Object.entries(behaviours)) {
    test(name, async () => {
      const interceptors = Array.isArray(behaviour) ? (behaviour as readonly Interceptor[]) : [behaviour as Interceptor];
      const near = fakeHost();
      const local = createChain({ host: near });
      local.add(interceptors);
      const { client, host } = await hosting(interceptors);
      const remote = createChain({ host });
      await remote.addServer(client);
      assert.deepEqual(await execute(host, remote), await execute(near, local));
      assert.deepEqual([near.liveTimers, host.liveTimers], [0, 0]);
    });
  }
});
