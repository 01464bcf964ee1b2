import assert from "node:assert/strict";
import { utimesSync } from "node:fs";
import { after, afterEach, describe, it } from "node:test";
import { currentOf } from "../../../src/core/guard/chain-source.ts";
import type { ChainResult } from "../../../src/core/chain/result.ts";
import { createSignal } from "../../../src/core/base/signal.ts";
import { LocalError } from "../../../src/core/base/errors.ts";
import { buildPlan, createPools, type BuiltPlan, type BuildOptions, type Pools } from "../../../src/gateway/config/build.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import { complaints, INDEX, policyServer, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const built: BuiltPlan[] = [];
const pools: Pools = createPools();
afterEach(async () => {
  await Promise.all(built.splice(0).map((plan) => plan.close()));
  assert.deepEqual([pools.clients.size, pools.servers.size, pools.workers.size, pools.breakers.size, pools.checks.size], [0, 0, 0, 0, 0], "something was not given back");
});

const upstreams = { files: { command: "files-server" }, crm: { url: "https://crm.example/mcp" } };
const file = () => folder.write("gateway.json", {});

async function build(config: object, options: Partial<BuildOptions> = {}): Promise<BuiltPlan> {
  const loaded = await loadConfig(folder.write("gateway.json", { upstreams, ...config }), { env: { TOKEN: "s3cret-token" } });
  const plan = await buildPlan(loaded, { pools, log: () => {}, chainLog: () => {}, ...options });
  built.push(plan);
  return plan;
}

const wrong = (config: object, options?: Partial<BuildOptions>) => complaints(build(config, options), file(), folder.path);

const addresses = ({ plan }: BuiltPlan, upstream: string) => currentOf(plan.chain(upstream)).current().entries.map(({ address }) => address);

function run({ plan }: BuiltPlan, payload: object, { upstream = "files", phase = "request", event = "tools/call", ...rest }: Record<string, unknown> = {}): Promise<ChainResult> {
  const chain = currentOf(plan.chain(String(upstream))).current();
  return chain.execute({ event: String(event), phase: phase === "response" ? "response" : "request", payload, ...rest });
}

const policy = (body: string, name = "policy.mjs") => folder.write(name, `import { allow, deny, mutator, unchanged, validator } from ${JSON.stringify(INDEX)};\n${body}`);
// For threads, each of which would load the whole package anew.
const plain = (name: string, handler: string) => `export const only = { descriptor: { name: "${name}", type: "validation", hooks: [{ events: ["tools/call"], phase: "request" }] }, handler: ${handler} };`;
const TWO = `export const hooks = [{ events: ["tools/*"], phase: "request" }, { events: ["tools/*"], phase: "response" }];
export const all = [validator({ name: "a", hooks }, ({ config }) => deny(\`a says \${config.word ?? "no"}\`)), mutator({ name: "b", hooks, priorityHint: 3 }, () => unchanged())];`;

describe("a plan of a configuration", () => {
  it("has the upstreams as they are written, with paths and variables made whole", async () => {
    const { plan } = await build({
      upstreams: {
        files: { command: "npx", args: ["x"], env: { A: "1" }, cwd: "sub", sharing: "shared", callTimeoutMs: 5 },
        crm: { url: "https://crm.example/mcp", headers: { Authorization: "Bearer ${TOKEN}" }, era: "stateless", allow: { claim: "role", equals: "ops" } },
      },
      http: { port: "8080", allowedHosts: ["x"] },
      stdio: "files",
      policy: { blockAs: "result" },
      drainMs: 7,
    });
    const [files, crm] = plan.upstreams;
    assert.ok(files !== undefined && crm !== undefined && "command" in files.target);
    const { env, ...target } = files.target;
    assert.deepEqual(target, { command: "npx", args: ["x"], cwd: `${folder.path}/sub`, stderr: "log" });
    assert.deepEqual([env?.["A"], env?.["PATH"] === process.env["PATH"]], ["1", true]);
    assert.deepEqual([files.name, files.sharing, files.callTimeoutMs, files.allow], ["files", "shared", 5, undefined]);
    assert.deepEqual([crm.target, crm.era], [{ url: "https://crm.example/mcp", headers: { Authorization: "Bearer s3cret-token" } }, "stateless"]);
    assert.deepEqual([crm.allow?.({ type: "user", claims: { role: "ops" } }), crm.allow?.(undefined)], [true, false]);
    assert.deepEqual([plan.http, plan.stdio, plan.policy?.blockAs, plan.drainMs], [{ port: 8080, allowedHosts: ["x"] }, "files", "result", 7]);
  });

  it("starts commands with what they need and no secret of the gateway's", async () => {
    process.env["GATEWAY_TEST_SECRET"] = "x";
    const { plan } = await build({});
    delete process.env["GATEWAY_TEST_SECRET"];
    const target = plan.upstreams[0]?.target;
    assert.ok(target !== undefined && "command" in target);
    assert.equal(Object.hasOwn(target.env ?? {}, "GATEWAY_TEST_SECRET"), false);
    assert.equal(target.cwd, folder.path);
  });

  it("takes interceptors from the package, from modules and from servers, each for its upstreams", async () => {
    policy(TWO);
    const plan = await build({
      interceptors: [
        { use: "tool-filter", config: { deny: ["rm"] }, upstreams: ["files"] },
        { use: "tool-filter", config: { deny: ["mv"] }, upstreams: ["files"] },
        { module: "policy.mjs", name: "house" },
        { ...policyServer(), upstreams: ["crm"] },
      ],
    });
    assert.deepEqual(addresses(plan, "files"), ["tool-filter/tool-filter", "tool-filter/tool-filter-list", "tool-filter-2/tool-filter", "tool-filter-2/tool-filter-list", "house/a", "house/b"]);
    assert.deepEqual(addresses(plan, "crm"), ["house/a", "house/b", "server/names"]);
    const mv = await run(plan, { name: "mv" });
    assert.equal(mv.abortedAt?.address, "tool-filter-2/tool-filter");
    const rm = await run(plan, { name: "rm" }, { upstream: "crm" });
    assert.deepEqual(rm.results.map(({ interceptor, valid }) => [interceptor, valid]).find(([name]) => name === "names"), ["names", false]);
    assert.ok(plan.files.includes(`${folder.path}/policy.mjs`));
  });

  it("runs a module in a thread of its own where that is wanted, one for all plans, and another once it has changed", async () => {
    folder.write("looping.mjs", plain("loop", "({ payload }) => { while (payload.name === \"loop\"); return true; }"));
    const config = { interceptors: [{ module: "looping.mjs", worker: { timeoutMs: 300, maxMemoryMb: 64 } }] };
    const plan = await build(config);
    const again = await build(config, { before: plan });
    assert.equal(pools.workers.size, 1);
    assert.equal((await run(again, { name: "loop" })).status, "timeout");
    utimesSync(`${folder.path}/looping.mjs`, 1, 1);
    assert.ok((await build({ ...config, drainMs: 1 })).files.includes(`${folder.path}/looping.mjs`));
    assert.equal(pools.workers.size, 2);
  });

  it("routes by event and phase, as far as the interceptors hook them, and says what is left out", async () => {
    policy(`${TWO}\nexport const other = validator({ name: "c", hooks: [{ events: ["prompts/get"], phase: "request" }] }, () => allow());`);
    const plan = await build({ interceptors: [{ module: "policy.mjs", events: ["tools/call", "resources/*"], phase: "request" }] });
    const entries = currentOf(plan.plan.chain("files")).current().entries;
    assert.deepEqual(entries.map(({ name, policy: { hooks } }) => [name, hooks]), [
      ["a", [{ phase: "request", events: ["tools/call"] }]],
      ["b", [{ phase: "request", events: ["tools/call"] }]],
    ]);
    assert.deepEqual(plan.warnings.map((line) => line.replace(file(), "F")), [
      "F:11:5: warning: /interceptors/0 leaves out the interceptor c, which hooks nothing of the events and the phase that are given",
    ]);
  });

  it("applies the settings of an item, and over them those of single interceptors", async () => {
    policy(TWO);
    const plan = await build({
      interceptors: [
        {
          module: "policy.mjs",
          mode: "audit",
          failOpen: true,
          timeoutMs: 9_000,
          priorityHint: 1,
          revalidate: false,
          grants: { read: ["/name"] },
          config: { word: "never", x: 1 },
          overrides: { a: { mode: "active", config: { word: "today" }, hooks: [{ events: ["tools/call"], phase: "request" }] }, b: { priorityHint: 2 } },
        },
      ],
    });
    const [a, b] = currentOf(plan.plan.chain("files")).current().entries;
    assert.deepEqual([a?.policy.mode, a?.policy.failOpen, a?.policy.timeoutMs, a?.policy.revalidate, a?.policy.hooks.length], ["active", true, 9_000, false, 1]);
    assert.deepEqual([b?.policy.mode, b?.policy.priorities, b?.policy.grants?.read], ["audit", { request: 2, response: 2 }, ["/name"]]);
    assert.deepEqual([a?.config, b?.config], [{ word: "today", x: 1 }, { word: "never", x: 1 }]);
    assert.equal((await run(plan, { name: "x" })).abortedAt?.reason, "a says today");
  });

  it("applies settings to interceptors of any name", async () => {
    policy(`const hooks = [{ events: ["tools/call"], phase: "request" }];
export const all = ["__proto__", "constructor", "a/b~c"].map((name) => validator({ name, hooks }, ({ config }) => config.x !== 1));`);
    const overrides = JSON.parse('{"a/b~c":{"when":{"tool":"other"}},"__proto__":{"failOpen":true}}') as object;
    const plan = await build({ interceptors: [{ module: "policy.mjs", mode: "audit", config: { x: 1 }, overrides }] });
    const { entries } = currentOf(plan.plan.chain("files")).current();
    assert.deepEqual(entries.map(({ name, policy: { mode, failOpen }, config }) => [name, mode, failOpen, config]), [
      ["__proto__", "audit", true, { x: 1 }],
      ["constructor", "audit", false, { x: 1 }],
      ["a/b~c", "audit", false, { x: 1 }],
    ]);
    const result = await run(plan, { name: "x" });
    assert.deepEqual((await result.settled).results.map(({ interceptor }) => interceptor), ["__proto__", "constructor"]);
  });

  it("runs an interceptor where its condition holds, and fails closed where that cannot be judged", async () => {
    policy(TWO);
    const when = { all: [{ argument: "/path", prefix: "/etc" }, { not: { claim: "role", equals: "ops" } }] };
    const plan = await build({ interceptors: [{ module: "policy.mjs", overrides: { a: { when } } }] });
    const call = (path: unknown, role = "dev") => run(plan, { name: "read", arguments: { path } }, { context: { principal: { type: "user", claims: { role } } } });
    assert.equal((await call("/home/x")).status, "success");
    assert.equal((await call("/etc/passwd", "ops")).status, "success");
    assert.equal((await call("/etc/passwd")).abortedAt?.reason, "a says no");
    const odd = await call(["/etc/passwd"]);
    assert.deepEqual([odd.status, odd.abortedAt?.reason], ["validation_failed", "condition_failed"]);
  });

  it("learns what tools say of themselves from the lists that go by, for conditions on annotations alone", async () => {
    policy(TWO);
    const item = { module: "policy.mjs", overrides: { a: { when: { annotation: "readOnlyHint", equals: false } } } };
    const plan = await build({ interceptors: [{ ...item, events: ["tools/call"] }] });
    assert.deepEqual(addresses(plan, "files"), ["policy/a", "policy/b", "gateway/tool-hints"]);
    assert.equal((await run(plan, { name: "read" })).abortedAt?.reason, "condition_failed");
    const tools = [{ name: "read", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }, { name: "write", inputSchema: { type: "object" } }];
    await run(plan, { tools }, { event: "tools/list", phase: "response" });
    assert.equal((await run(plan, { name: "read" })).status, "success");
    assert.equal((await run(plan, { name: "write" })).abortedAt?.reason, "a says no");
    assert.equal((await run(plan, { name: "read" }, { upstream: "crm" })).abortedAt?.reason, "condition_failed");
    const again = await build({ interceptors: [{ ...item, events: ["tools/call"] }] }, { before: plan });
    assert.equal((await run(again, { name: "read" })).status, "success");
    const other = await build({ interceptors: [{ ...item, events: ["tools/call"] }], upstreams: { files: { command: "another-server" } } }, { before: plan });
    assert.equal((await run(other, { name: "read" })).abortedAt?.reason, "condition_failed");
  });

  it("puts a circuit breaker before servers, unless told not to", async () => {
    const logged: string[] = [];
    const log = ({ message }: { readonly message: string }) => void logged.push(message);
    const item = { ...policyServer(), name: "far" };
    const plan = await build({ interceptors: [{ ...item, breaker: { failures: 1 } }] }, { log });
    const bare = await build({ interceptors: [{ ...item, breaker: false }] }, { log });
    assert.equal((await run(plan, { name: "die" })).abortedAt?.reason, "unavailable");
    assert.deepEqual(logged.filter((line) => line.includes("breaker")), ["the circuit breaker of far/names is open"]);
    const [entry] = (await run(plan, { name: "x" })).results;
    assert.match(entry?.error?.message ?? "", /circuit|breaker/);
    assert.notEqual((await run(bare, { name: "die" })).status, "success");
    assert.equal(logged.filter((line) => line.includes("breaker")).length, 1);
  });

  it("keeps what a breaker has come to for as long as the item, and what is behind it, stay as they are", async () => {
    folder.write("throws.mjs", plain("throws", "() => { throw new Error(\"x\"); }"));
    const far = { ...policyServer(), name: "far", breaker: { failures: 1 }, upstreams: ["files"] };
    const thread = { module: "throws.mjs", worker: true, name: "thread", breaker: { failures: 1 }, upstreams: ["crm"] };
    const before = await build({ interceptors: [far, thread] });
    const states = async (plan: BuiltPlan) => {
      const [server, worker] = [await run(plan, { name: "x" }), await run(plan, { name: "x" }, { upstream: "crm" })];
      return [server.abortedAt?.reason ?? server.status, worker.abortedAt?.reason ?? worker.status];
    };
    await run(before, { name: "die" });
    assert.deepEqual(await states(before), ["unavailable", "crashed"]);
    assert.deepEqual(await states(before), ["unavailable", "unavailable"]);
    // How it is used says nothing about how it fares; its counters go on, too.
    const after = await build({ drainMs: 5, interceptors: [{ ...far, timeoutMs: 900 }, { ...thread, events: ["tools/*"] }] }, { before });
    assert.deepEqual(await states(after), ["unavailable", "unavailable"]);
    assert.deepEqual(after.breakers.map((breaker, index) => breaker === before.breakers[index]), [true, true]);
    assert.deepEqual(after.breakers.map((breaker) => breaker.stats()[0]?.refused.open), [3, 2]);
    // A file that was mended is another one, and other options ask for another breaker.
    utimesSync(`${folder.path}/throws.mjs`, 1, 1);
    const other = await build({ interceptors: [{ ...far, breaker: { failures: 2 } }, thread] }, { before: after });
    assert.deepEqual(await states(other), ["success", "crashed"]);
    await Promise.all([before.close(), after.close(), other.close()]);
    assert.deepEqual(await states(await build({ interceptors: [far, thread] })), ["success", "crashed"], "with its item it has ended");
    assert.match((await wrong({ interceptors: [{ ...thread, breaker: { window: 20_000 } }] }))[0] ?? "", /window is at most 10000/);
  });

  it("is refused with the place for names that nothing has and for items that cannot be opened, all at once", async () => {
    policy(TWO);
    folder.write("empty.mjs", "export {};");
    const config = {
      stdio: "fils",
      http: { port: "70000" },
      interceptors: [{ use: "redcat" }, { use: "redact", name: "x", upstreams: ["crm", "file"] }, { use: "redact", name: "x" }, { use: "redact", name: "gateway" }],
    };
    const named = [
      "F:10:12: /stdio is no upstream; did you mean files?",
      "F:12:13: /http/port must be a port: a whole number from 0 (any free one) to 65535",
      "F:16:14: /interceptors/0/use is no ready-made interceptor; did you mean redact?",
      "F:23:9: /interceptors/1/upstreams/1 is no upstream; did you mean files?",
      "F:28:15: /interceptors/2/name is the name of another item, too; give each its own",
      "F:32:15: /interceptors/3/name is the gateway's own; take another",
    ];
    assert.deepEqual(await wrong(config), named);
    assert.deepEqual(await wrong(config, { dry: true, exhaustive: true }), named, "names break nothing else");
    const lines = await wrong({
      interceptors: [
        { use: "redact", config: { types: ["mail"] } },
        { module: "none.mjs" },
        { module: "empty.mjs" },
        policyServer("empty"),
        { command: "${TOKEN}" },
      ],
    });
    const told = lines.map((line) => line.replace(/^F:\d+:\d+: /, ""));
    assert.match(told[0] ?? "", /^\/interceptors\/0 config of redact: types\[0\] must be one of/);
    assert.equal(told[1], "/interceptors/1 there is no file D/none.mjs");
    assert.equal(told[2], "/interceptors/2 D/empty.mjs exports no interceptor; export what validator() or mutator() returns, or a list of such");
    assert.equal(told[3], "/interceptors/3 the server lists no interceptors");
    assert.match(told[4] ?? "", /^\/interceptors\/4 .*\*\*\*/);
    assert.doesNotMatch(lines.join(), /s3cret/);
  });

  it("is refused for overrides of what an item has not, and for hooks that widen", async () => {
    policy(TWO);
    const lines = await wrong({ interceptors: [{ module: "policy.mjs", overrides: { aa: { mode: "audit" } } }, { module: "policy.mjs", hooks: [{ events: ["*"], phase: "request" }] }] });
    assert.deepEqual(lines.map((line) => line.replace(/^F:\d+:\d+: /, "")), [
      "/interceptors/0/overrides/aa is no interceptor of this item; did you mean a?",
      '/interceptors/1 overrides of interceptor "a" widen its hooks: it does not declare "*" in the request phase',
    ]);
  });

  it("takes an upstream from a module: a server, or a function that makes one, once", async () => {
    folder.write("server.mjs", `import { McpServer } from ${JSON.stringify(INDEX)};\nexport default () => new McpServer({ name: "x", version: "1" });`);
    folder.write("none.mjs", "export const server = { name: 'x' };");
    const config = { upstreams: { own: { module: "server.mjs" } } };
    const plan = await build(config);
    const again = await build(config, { before: plan });
    assert.ok(plan.plan.upstreams[0] !== undefined && "server" in plan.plan.upstreams[0].target);
    assert.equal(again.plan.upstreams[0], plan.plan.upstreams[0]);
    utimesSync(`${folder.path}/server.mjs`, 1, 1);
    const changed = await build(config, { before: again });
    assert.notEqual(changed.plan.upstreams[0], plan.plan.upstreams[0]);
    const [line = ""] = await wrong({ upstreams: { own: { module: "none.mjs" } } });
    assert.match(line, /\/upstreams\/own D\/none\.mjs exports no server; export an McpServer, or a function that makes one, as default or as server$/);
  });

  it("has in common with the plan before it what has not changed: upstreams, listener, interceptor servers", async () => {
    const config = { interceptors: [policyServer()], http: { port: 0 } };
    const first = await build(config);
    assert.equal(pools.clients.size, 1);
    const second = await build({ ...config, upstreams: { ...upstreams, crm: { url: "https://other.example/mcp" } } }, { before: first });
    assert.equal(pools.clients.size, 1);
    assert.equal(second.plan.upstreams[0], first.plan.upstreams[0]);
    assert.notEqual(second.plan.upstreams[1], first.plan.upstreams[1]);
    assert.deepEqual(second.plan.http, first.plan.http);
    await first.close();
    assert.equal((await run(second, { name: "rm" })).status, "validation_failed");
  });

  it("is refused where an item that is the same guards less than before, and taken where the item says so", async () => {
    policy(TWO);
    const config = { interceptors: [{ module: "policy.mjs", name: "house" }] };
    const first = await build(config);
    policy(TWO.replace("[validator", "[mutator({ name: 'c', hooks, mode: 'audit' }, () => unchanged()) ?? validator"));
    utimesSync(`${folder.path}/policy.mjs`, 1, 1);
    const [line = "", ...more] = await wrong(config, { before: first });
    assert.match(line, /\/interceptors\/0 would guard less than now: a \(it is gone\)\. its file says what it said; change the item or start the gateway anew if that is meant$/);
    assert.deepEqual(more, []);
    const meant = await build({ interceptors: [{ module: "policy.mjs", name: "house", failOpen: false }] }, { before: first });
    assert.deepEqual(addresses(meant, "files"), ["house/c", "house/b"]);
  });

  it("gives up with the reason of its signal, and gives back what was opened", async () => {
    const stop = createSignal();
    const reason = new LocalError("aborted", "enough");
    const building = build({ interceptors: [policyServer("silent"), policyServer()] }, { signal: stop.signal });
    stop.abort(reason);
    await assert.rejects(building, reason);
    stop.dispose();
  });
});
