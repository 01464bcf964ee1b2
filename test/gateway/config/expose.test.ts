import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { RpcError } from "../../../src/core/base/errors.ts";
import type { McpClient } from "../../../src/core/mcp/client.ts";
import type { Era } from "../../../src/core/mcp/lifecycle.ts";
import { buildPlan, createPools } from "../../../src/gateway/config/build.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import type { ReloadOutcome } from "../../../src/gateway/config/reload.ts";
import { startGateway, type ConfiguredGateway } from "../../../src/gateway/config/start.ts";
import { connectServer, createChain } from "../../../src/node/chain.ts";
import { versionsOf } from "../kit.ts";
import { complaints, INDEX, policyServer, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());
const running: ConfiguredGateway[] = [];
const clients: McpClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all(running.splice(0).map((one) => one.close()));
});

folder.write(
  "server.mjs",
  `import { McpServer } from ${JSON.stringify(INDEX)};
export const server = new McpServer({ name: "own", version: "1" });
server.tool({ name: "echo", inputSchema: { type: "object" } }, ({ text }) => String(text));`,
);
const house = (word: string) =>
  folder.write(
    "house.mjs",
    `import { deny, mutator, validator } from ${JSON.stringify(INDEX)};
let runs = 0;
export const all = [
  validator({ name: "counts", hooks: [{ events: ["*"], phase: "request" }] }, ({ caller, context }) => ({ valid: true, info: { runs: ++runs, caller: caller ?? null, said: context.principal ?? null } })),
  validator({ name: "refuse", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload, config }) => (payload.name === "rm" ? deny(config.word ?? ${JSON.stringify(word)}) : true)),
  mutator({ name: "crash", hooks: [{ events: ["prompts/get"], phase: "response" }], priorityHint: 7 }, () => { throw new Error("the handler's own words"); }),
];`,
  );
house("first");

const CONFIG = {
  upstreams: { own: { module: "server.mjs" } },
  interceptors: [{ use: "redact", mode: "audit" }, { module: "house.mjs" }, policyServer()],
  expose: { allow: { claim: "team", equals: "policies" } },
  http: { port: 0 },
  auth: {
    tokens: [
      { token: "token-of-another-gateway", principal: { type: "service", id: "edge", claims: { team: "policies" } } },
      { token: "token-of-a-third-gateway", principal: { type: "service", id: "edge", claims: { team: "policies", zone: 3 } } },
      { token: "token-of-somebody", principal: { type: "user", id: "bob" } },
    ],
  },
};
const PEER = { headers: { authorization: "Bearer token-of-another-gateway" } };

async function start(config: object = CONFIG) {
  const outcomes: ReloadOutcome[] = [];
  const one = await startGateway({ file: folder.write("gateway.json", config), env: {}, watch: false, reloaded: (outcome) => void outcomes.push(outcome) });
  running.push(one);
  const url = (name = "interceptors") => `${one.gateway.url}/${name}/mcp`;
  const connect = async (era: Era, name?: string) => {
    const client = await connectServer({ url: url(name), ...PEER }, undefined, { versions: versionsOf(era) });
    clients.push(client);
    return client;
  };
  return { one, outcomes, url, connect };
}

const invoke = (client: McpClient, name: string, params: object = {}) =>
  client.request("interceptor/invoke", { name, event: "tools/call", phase: "request", payload: { name: "rm" }, ...params });

async function errorOf(work: Promise<unknown>): Promise<{ readonly code: number; readonly message: string; readonly data: unknown }> {
  try {
    await work;
  } catch (thrown) {
    if (thrown instanceof RpcError) return { code: thrown.code, message: thrown.message, data: thrown.data };
    throw thrown;
  }
  assert.fail("nothing was refused");
}

describe("the interceptors that a gateway exposes", () => {
  for (const era of ["handshake", "stateless"] as const) {
    it(`are announced, listed as they declare themselves, and run, in the ${era} era`, async () => {
      const { connect } = await start();
      const client = await connect(era);
      assert.equal(client.era, era);
      assert.deepEqual(client.serverCapabilities?.["extensions"], {
        "io.modelcontextprotocol/interceptors": { supportedEvents: ["*", "prompts/get", "tools/call"] },
      });
      const { interceptors } = await client.request("interceptors/list", {});
      // `audit` is what this gateway does with it; whoever calls has a policy of his own.
      assert.deepEqual(
        (interceptors as { name: string; mode?: string; priorityHint?: number }[]).map(({ name, mode, priorityHint }) => [name, mode, priorityHint]),
        [["redact", undefined, 1000], ["counts", undefined, undefined], ["refuse", undefined, undefined], ["crash", undefined, 7]],
      );
      const filtered = await client.request("interceptors/list", { event: "prompts/get" });
      assert.deepEqual((filtered["interceptors"] as { name: string }[]).map(({ name }) => name), ["redact", "counts", "crash"]);
      const { valid, messages } = await invoke(client, "refuse", { config: { word: "the caller's" } });
      assert.deepEqual([valid, messages], [false, [{ message: "the caller's", severity: "error" }]]);
      // The errors are what interceptor servers answer, texts and data included.
      const crash = { name: "crash", event: "prompts/get", phase: "response", payload: {} };
      assert.deepEqual(await errorOf(client.request("interceptor/invoke", crash)), { code: -32603, message: "Interceptor execution failed", data: { interceptor: "crash", reason: "crashed" } });
      assert.deepEqual((await errorOf(invoke(client, "none"))).data, { interceptor: "none", path: "/name" });
    });

    it(`serve a chain elsewhere that finds them by URL alone, in the ${era} era`, async () => {
      const { url } = await start({ ...CONFIG, versions: versionsOf(era) });
      const chain = createChain();
      await chain.addServer({ url: url(), ...PEER }, { label: "team" });
      assert.deepEqual(chain.entries.map(({ address }) => address), ["team/redact", "team/counts", "team/refuse", "team/crash"]);
      const run = (payload: object) => chain.execute({ event: "tools/call", phase: "request", direction: "receiving", payload });
      const blocked = await run({ name: "rm" });
      assert.deepEqual([blocked.status, blocked.abortedAt?.address], ["validation_failed", "team/refuse"]);
      const passed = await run({ name: "echo", arguments: { text: "write to ann@example.com" } });
      assert.deepEqual(passed.finalPayload, { name: "echo", arguments: { text: "write to [REDACTED:email]" } });
      await chain.close();
    });
  }

  it("are for whom the rule lets in: 401 for nobody, 403 for others", async () => {
    const { url } = await start();
    const status = async (token?: string) => {
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
      return (await fetch(url(), { method: "POST", headers, body: "{}" })).status;
    };
    assert.deepEqual([await status(), await status("token-of-somebody"), await status("token-of-another-gateway")], [401, 403, 400]);
  });

  it("are told who calls, as its token says, beside whom its chain speaks of", async () => {
    const { one, url } = await start();
    const who = async (era: Era, token: string) => {
      const client = await connectServer({ url: url(), headers: { authorization: `Bearer ${token}` } }, undefined, { versions: versionsOf(era) });
      clients.push(client);
      const { caller, said } = (await invoke(client, "counts", { context: { principal: { type: "user", id: "ann" }, timestamp: "2026-07-28T00:00:00Z" } }))["info"] as { caller: unknown; said: unknown };
      assert.deepEqual(said, { type: "user", id: "ann" });
      return caller;
    };
    for (const era of ["handshake", "stateless"] as const) {
      // One name, and two tokens that say different things of it: never the one for the other.
      assert.deepEqual(await Promise.all(["token-of-another-gateway", "token-of-a-third-gateway"].map((token) => who(era, token))), CONFIG.auth.tokens.slice(0, 2).map(({ principal }) => principal));
    }
    assert.equal(one.gateway.stats().upstreams["interceptors"]?.connections, 2);
  });

  it("do not judge calls of themselves, and go on to guard what they guard", async () => {
    const { connect } = await start();
    const client = await connect("stateless");
    const runs = async () => ((await invoke(client, "counts"))["info"] as { runs: number }).runs;
    const first = await runs();
    assert.equal(await runs(), first + 1, "the interceptor of all methods has run for its own invocation");
    const own = await connect("stateless", "own");
    await assert.rejects(own.callTool({ name: "rm", arguments: {} }), /Interceptor validation failed/);
    assert.ok((await runs()) > first + 2);
    // What is exposed answers nothing else.
    assert.equal((await errorOf(client.request("tools/list", {}))).code, -32601);
  });

  it("stay the same for their clients while a reload leaves them as they are, and are others once it does not", async () => {
    const { one, outcomes, connect, url } = await start();
    const session = await connect("handshake");
    const server = one.built.exposure?.server;
    folder.write("gateway.json", { ...CONFIG, drainMs: 5_000, interceptors: [{ use: "redact" }, ...CONFIG.interceptors.slice(1)] });
    await one.reload();
    // Otherwise sessions end, and clients have to open others.
    assert.equal(one.built.exposure?.server, server);
    assert.equal((await invoke(session, "refuse"))["valid"], false);
    house("the second policy");
    folder.write("gateway.json", { ...CONFIG, expose: { ...CONFIG.expose, interceptors: ["house"] } });
    await one.reload();
    assert.notEqual(one.built.exposure?.server, server);
    // A session of before is over, and its client has opened another one by itself.
    assert.deepEqual((await invoke(session, "refuse"))["messages"], [{ message: "the second policy", severity: "error" }]);
    assert.deepEqual((await errorOf(invoke(session, "redact"))).data, { interceptor: "redact", path: "/name" });
    const { expose: _gone, ...without } = CONFIG;
    folder.write("gateway.json", without);
    await one.reload();
    assert.equal((await fetch(url(), { method: "POST", ...PEER })).status, 404);
    assert.deepEqual(outcomes.map(({ error }) => error), [undefined, undefined, undefined]);
  });

  it("may have another name, and are refused where they cannot be had", async () => {
    const build = async (config: object) => {
      const loaded = await loadConfig(folder.write("wrong.json", { ...CONFIG, auth: undefined, ...config }), { env: {} });
      const built = await buildPlan(loaded, { pools: createPools(), log: () => {}, chainLog: () => {} });
      await built.close();
      return built;
    };
    const file = `${folder.path}/wrong.json`;
    const wrong = async (config: object) => (await complaints(build(config), file, folder.path)).map((line) => line.replace(/^F:\d+:\d+: /, ""));
    const named = await build({ expose: { name: "policies" }, http: undefined, stdio: "policies" });
    assert.deepEqual(named.plan.upstreams.map(({ name }) => name), ["own", "policies"]);
    assert.match(named.warnings[0] ?? "", /\/expose is served nowhere but on stdin and stdout, where --stdio or stdio names it: there is no http$/);
    assert.deepEqual(await wrong({ expose: { name: "own" } }), ["/expose/name would be served as own, which is the name of an upstream; give it another name"]);
    assert.deepEqual(await wrong({ expose: {}, upstreams: { interceptors: { module: "server.mjs" } } }), [
      "/expose would be served as interceptors, which is the name of an upstream; give it another name",
    ]);
    assert.deepEqual(await wrong({ expose: { interceptors: ["hause", "server", "house"] } }), [
      "/expose/interceptors/0 is no item of interceptors; did you mean house?",
      "/expose/interceptors/1 is an interceptor server, which chains elsewhere reach without this gateway",
    ]);
    assert.deepEqual(await wrong({ expose: {}, interceptors: [policyServer()] }), ["/expose has nothing to offer: interceptors of this process, which are those of use and module"]);
    assert.deepEqual(await wrong({ expose: {}, interceptors: [{ use: "redact" }, { use: "redact" }] }), ['/expose the server has an interceptor "redact" already']);
    assert.deepEqual(await wrong({ expose: { allow: { tool: "x" } } }), ["/expose/allow/tool says nothing about a caller; here only all, any, not, claim, principal do"]);
  });
});
