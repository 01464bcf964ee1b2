import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { buildPlan, createPools } from "../../../src/gateway/config/build.ts";
import { learnHints } from "../../../src/gateway/config/learn-hints.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import { neverRuns } from "../../../src/gateway/config/never-runs.ts";
import { probeUpstream, type UpstreamFacts } from "../../../src/gateway/config/probe.ts";
import { INDEX, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

folder.write(
  "server.mjs",
  `import { McpServer } from ${JSON.stringify(INDEX)};
export const server = new McpServer({ name: "tools-only", version: "2" });
server.tool({ name: "read", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }, () => "x");
server.tool({ name: "write", inputSchema: { type: "object" } }, () => "x");`,
);
folder.write(
  "policy.mjs",
  `import { validator } from ${JSON.stringify(INDEX)};
const phase = "request";
export const call = validator({ name: "call", hooks: [{ events: ["tools/call"], phase }] }, () => true);
export const prompt = validator({ name: "prompt", hooks: [{ events: ["prompts/get", "resources/*"], phase }] }, () => true);
export const greet = validator({ name: "greet", hooks: [{ events: ["initialize"], phase }] }, () => true);
export const own = validator({ name: "own", hooks: [{ events: ["acme/x"], phase }] }, () => true);`,
);

async function built(config: object) {
  const file = folder.write("gateway.json", { upstreams: { own: { module: "server.mjs" }, far: { url: "http://127.0.0.1:1/mcp" } }, ...config });
  const plan = await buildPlan(await loadConfig(file), { pools: createPools(), log: () => {}, chainLog: () => {} });
  after(() => plan.close());
  const told = (facts: ReadonlyMap<string, UpstreamFacts>) => neverRuns(plan, facts).map((line) => line.replace(/^.*: warning: /, ""));
  return { plan, told };
}

const probe = (plan: Awaited<ReturnType<typeof built>>["plan"], name = "own") => {
  const upstream = plan.plan.upstreams.find((one) => one.name === name);
  assert.ok(upstream !== undefined);
  return probeUpstream(upstream, { log: () => {}, limits: undefined });
};

describe("what can never run", () => {
  it("is what hooks nothing that is intercepted, nothing that the upstream has, or tools that it has not", async () => {
    const when = (tool: unknown) => ({ when: { all: [{ tool }, { phase: "request" }] } });
    const { plan, told } = await built({
      interceptors: [
        { module: "policy.mjs", name: "house", overrides: { call: when(["delete_*", "rm"]) } },
        { module: "policy.mjs", name: "fine", events: ["tools/call"], ...when(["rm", "wri*"]) },
        { use: "redact", upstreams: ["own"], events: ["nothing/here"], phase: "request" },
        { module: "policy.mjs", name: "any", events: ["tools/call"], when: { any: [{ tool: "none" }, { not: { tool: "none" } }] } },
        { module: "policy.mjs", name: "idle", events: ["none/at-all"] },
      ],
    });
    const facts = await probe(plan);
    assert.deepEqual([facts.info?.name, facts.tools?.map(({ name }) => name), facts.capabilities.prompts], ["tools-only", ["read", "write"], undefined]);
    assert.deepEqual(told(new Map([["own", facts]])), [
      "/interceptors/0 call can never run at own: it has no tool delete_*, rm, which the condition asks for",
      "/interceptors/0 greet can never run at own: initialize: no connection comes about without it; it passes if it is valid",
      "/interceptors/0 own will hardly run at own: it hooks no method of MCP, and runs only on messages of other names",
      "/interceptors/0 prompt can never run at own: it has no prompts and no resources",
      "/interceptors/2 redact will hardly run at own: it hooks no method of MCP, and runs only on messages of other names",
      "/interceptors/0 greet can never run at far: initialize: no connection comes about without it; it passes if it is valid",
      "/interceptors/0 own will hardly run at far: it hooks no method of MCP, and runs only on messages of other names",
      "/interceptors/4 guards nothing",
    ]);
  });

  it("is what a condition spares in any case, and an upstream lets nobody in by such a one", async () => {
    const call = (when: object) => ({ module: "policy.mjs", events: ["tools/call"], when });
    const { told } = await built({
      upstreams: { own: { module: "server.mjs", allow: { all: [{ claim: "role", equals: "a" }, { claim: "role", equals: "b" }] } } },
      auth: { tokens: [{ token: "0123456789abcdef0123456789abcdef", principal: { type: "user", id: "ann" } }] },
      interceptors: [
        { ...call({ claim: "role", equals: "a" }), name: "fine" },
        { ...call({ phase: "response" }), name: "late" },
        { ...call({ all: [{ argument: "/path", prefix: "/a" }, { argument: "/path", equals: "b" }] }), name: "both" },
      ],
    });
    assert.deepEqual(told(new Map()), [
      "/interceptors/1 call can never run at own: the condition asks for no message that it hooks",
      '/interceptors/2 call can never run at own: no argument "/path" passes all tests of the condition',
      '/upstreams/own/allow lets nobody in: no claim "role" passes all tests of the condition',
    ]);
    const nobody = await built({ interceptors: [{ ...call({ any: [{ claim: "role", equals: "a" }, { principal: "id", equals: "ann" }] }) }] });
    const reason = 'the condition asks for the claim "role", and without "auth" nobody has any; and the condition asks who calls, and without "auth" nobody is known';
    assert.deepEqual(nobody.told(new Map()), ["own", "far"].map((name) => `/interceptors/0 call can never run at ${name}: ${reason}`));
  });
});

describe("conditions on annotations", () => {
  it("know the tools before anybody lists them; an upstream that cannot be asked is warned of", async () => {
    const { plan } = await built({ interceptors: [{ module: "policy.mjs", overrides: { call: { when: { annotation: "readOnlyHint", equals: false } } } }] });
    const logged: string[] = [];
    await learnHints(plan, ({ message }) => void logged.push(message));
    const hints = plan.hints.get("own");
    assert.deepEqual([hints?.hint("read", "readOnlyHint"), hints?.hint("write", "readOnlyHint"), plan.hints.get("far")?.informed], [true, false, false]);
    assert.match(logged.join("\n"), /^far: its tools cannot be asked for, so conditions on annotations fail until it has listed them: /);
  });
});
