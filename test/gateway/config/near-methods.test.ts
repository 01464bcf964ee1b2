import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { buildPlan, createPools } from "../../../src/gateway/config/build.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import { nearMethod } from "../../../src/gateway/config/near-methods.ts";
import { INDEX, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

folder.write(
  "policy.mjs",
  `import { validator } from ${JSON.stringify(INDEX)};
export const both = validator({ name: "both", hooks: [{ events: ["tools/call", "tool/list"], phase: "request" }] }, () => true);`,
);

async function warnings(interceptors: readonly object[]): Promise<readonly string[]> {
  const file = folder.write("gateway.json", { upstreams: { far: { url: "http://127.0.0.1:1/mcp" } }, interceptors });
  const plan = await buildPlan(await loadConfig(file), { pools: createPools(), log: () => {}, chainLog: () => {} });
  await plan.close();
  return plan.warnings.map((line) => line.replace(/^.*: warning: /, ""));
}

const wrong = (pointer: string, text: string, meant: string) => `${pointer} ${text} is no method of MCP; did you mean ${meant}?`;

describe("a method that is close to one of MCP's", () => {
  it("is told with that one, patterns too, and what may be meant as it is is not", () => {
    assert.equal(nearMethod("tool/call"), "is no method of MCP; did you mean tools/call?");
    assert.equal(nearMethod("tool/*"), "is no method of MCP; did you mean tools/*?");
    assert.equal(nearMethod("notification/progres"), "is no method of MCP; did you mean notifications/progress?");
    for (const fine of ["tools/call", "tools/*", "*", "llm/completion", "llm/*", "acme/x", "acme/*", "notifications/*", "com.example/query"]) assert.equal(nearMethod(fine), undefined, fine);
  });

  it("is warned of in events, hooks, conditions and configs of ready-made interceptors, wherever they stand", async () => {
    const phase = "request";
    const told = await warnings([
      { use: "redact", name: "a", events: ["tools/call", "tool/call"], when: { any: [{ method: "tools/list" }, { not: { all: [{ method: ["tool/lst", "acme/x"] }] } }] } },
      { use: "redact", name: "b", hooks: [{ events: ["tool/*"], phase }], overrides: { redact: { when: { method: "prompt/get" } } } },
      { use: "rate-limit", name: "c", config: { perMinute: 1, events: ["tools/cal"], scope: "global" } },
      { use: "redact", name: "d", overrides: { redact: { hooks: [{ events: ["resource/read"], phase }] } } },
    ]);
    assert.deepEqual([...told].sort(), [
      wrong("/interceptors/0/events/1", "tool/call", "tools/call"),
      wrong("/interceptors/0/when/any/1/not/all/0/method/0", "tool/lst", "tools/list"),
      wrong("/interceptors/1/hooks/0/events/0", "tool/*", "tools/*"),
      wrong("/interceptors/1/overrides/redact/when/method", "prompt/get", "prompts/get"),
      wrong("/interceptors/2/config/events/0", "tools/cal", "tools/call"),
      wrong("/interceptors/3/overrides/redact/hooks/0/events/0", "resource/read", "resources/read"),
    ]);
  });

  it("is warned of in what a module hooks of itself", async () => {
    assert.deepEqual(await warnings([{ module: "policy.mjs" }]), ["/interceptors/0 both hooks tool/list, which is no method of MCP; did you mean tools/list?"]);
  });
});
