import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { buildPlan, createPools } from "../../../src/gateway/config/build.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import type { UpstreamFacts } from "../../../src/gateway/config/probe.ts";
import { TOOL_NAMES, unknownTools } from "../../../src/gateway/config/unknown-tools.ts";
import { readyMade } from "../../../src/library/catalog.ts";
import { INDEX, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

folder.write("rename.mjs", `import { mutator, unchanged } from ${JSON.stringify(INDEX)};\nexport const rename = mutator({ name: "rename", hooks: [{ events: ["tools/list"], phase: "response" }] }, () => unchanged());`);

const has = (...names: string[]): UpstreamFacts => ({ era: "handshake", protocolVersion: "2025-11-25", info: undefined, capabilities: {}, tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) });
const FILES = has("get-env", "read_file", "write_file");

async function warnings(interceptors: readonly object[], facts: Record<string, UpstreamFacts> = { files: FILES, web: has("fetch") }): Promise<readonly string[]> {
  const url = "http://127.0.0.1:1/mcp";
  const file = folder.write("gateway.json", { upstreams: { files: { url }, web: { url } }, interceptors });
  const built = await buildPlan(await loadConfig(file), { pools: createPools(), log: () => {}, chainLog: () => {} });
  await built.close();
  return unknownTools(built, new Map(Object.entries(facts))).map((line) => line.replace(/^.*: warning: /, ""));
}

const filter = (config: object, more: object = {}) => ({ use: "tool-filter", upstreams: ["files"], config, ...more });

describe("a tool that no upstream has", () => {
  it("is told with the nearest one, in each config that names tools", async () => {
    const upstreams = ["files"];
    const told = await warnings([
      filter({ deny: ["get_env", "read_file"], rules: [{ type: "user", allow: ["writ_file"] }] }, { name: "a", overrides: { "tool-filter": { config: { allow: ["red_file"] } } } }),
      { use: "approval", upstreams, config: { url: "http://127.0.0.1:1/ask", tools: ["get_*", "write_*", "nothing/near"], scope: "global" } },
      { use: "rate-limit", upstreams, config: { perMinute: 1, tools: ["read_fil"], scope: "global" } },
      { use: "command-guard", upstreams, config: { rules: [{ tools: ["read_files"], arguments: ["a"], checks: ["shell"] }] } },
      { use: "annotate", upstreams, config: { tools: { "get_env": { readOnlyHint: true }, "write_file": { readOnlyHint: false } } } },
      { use: "budget", upstreams, config: { max: { cost: 1 }, costs: { "write-file": 2 }, scope: "global" } },
    ]);
    assert.deepEqual(told, [
      "/interceptors/0/config/deny/0 get_env is no tool of files; did you mean get-env?",
      "/interceptors/0/config/rules/0/allow/0 writ_file is no tool of files; did you mean write_file?",
      "/interceptors/0/overrides/tool-filter/config/allow/0 red_file is no tool of files; did you mean read_file?",
      "/interceptors/1/config/tools/0 get_* is no tool of files; did you mean get-*?",
      "/interceptors/1/config/tools/2 nothing/near is no tool of files; there are get-env, read_file, write_file",
      "/interceptors/2/config/tools/0 read_fil is no tool of files; did you mean read_file?",
      "/interceptors/3/config/rules/0/tools/0 read_files is no tool of files; did you mean read_file?",
      "/interceptors/4/config/tools/get_env get_env is no tool of files; did you mean get-env?",
      "/interceptors/5/config/costs/write-file write-file is no tool of files; did you mean write_file?",
    ]);
  });

  it("is told only where no upstream of the item has it, each was asked, and none can have it by another name", async () => {
    assert.deepEqual(await warnings([{ use: "tool-filter", config: { deny: ["fetch", "read_file", "*"] } }]), []);
    assert.deepEqual(await warnings([{ use: "tool-filter", config: { deny: ["none"] } }], { files: FILES }), []);
    assert.deepEqual(await warnings([filter({ deny: ["x"] }), { module: "rename.mjs" }]), []);
    const [none] = await warnings([filter({ allow: ["*"], deny: ["x*"] })], { files: { ...FILES, tools: undefined } });
    assert.equal(none, "/interceptors/0/config/deny/0 x* is no tool of files; there are none");
    const many = has(...Array.from({ length: 14 }, (_, index) => `tool-${index}`));
    assert.match((await warnings([filter({ deny: ["other"] })], { files: many }))[0] ?? "", /there are tool-0, .*, tool-11 and 2 more$/);
  });

  it("is looked for where the schemas of configs have tools", () => {
    for (const [use, places] of TOOL_NAMES) {
      for (const place of places) {
        let schema: unknown = readyMade.get(use)?.configSchema;
        for (const step of place.split("/")) {
          const { properties, items, additionalProperties } = schema as { properties?: Record<string, unknown>; items?: unknown; additionalProperties?: unknown };
          schema = step === "*" ? (items ?? additionalProperties) : properties?.[step];
        }
        assert.ok(typeof schema === "object", `${use}: ${place}`);
      }
    }
  });
});
