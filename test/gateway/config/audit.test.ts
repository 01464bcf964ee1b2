import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, describe, it } from "node:test";
import { buildPlan, createPools, type BuildOptions, type BuiltPlan } from "../../../src/gateway/config/build.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import { decision as aDecision } from "../decision-kit.ts";
import { complaints, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const pools = createPools();
const built: BuiltPlan[] = [];
afterEach(async () => {
  await Promise.all(built.splice(0).map((plan) => plan.close()));
  assert.equal(pools.audits.size, 0);
});

async function build(config: object, options: Partial<BuildOptions> = {}): Promise<BuiltPlan> {
  const file = folder.write("gateway.json", { upstreams: { a: { command: "x" } }, ...config });
  const plan = await buildPlan(await loadConfig(file, { env: { KEY: "s3cret-key" } }), { pools, log: () => {}, chainLog: () => {}, ...options });
  built.push(plan);
  return plan;
}

const wrong = async (config: object, options?: Partial<BuildOptions>) =>
  (await complaints(build(config, options), folder.write("gateway.json", {}), folder.path)).map((line) => line.replace(/^F:\d+:\d+: /, ""));

const decision = aDecision();

describe("the audit of a configuration", () => {
  it("is one log for all plans, and is written before a message goes on", async () => {
    const audit = { file: "log/../audit.jsonl", key: "${KEY}", sync: "never", onFailure: "continue" };
    const first = await build({ audit });
    const second = await build({ audit: { ...audit, onFailure: "block" }, drainMs: 1 }, { before: first });
    await first.plan.record?.(decision, "a");
    await second.plan.record?.(decision, "a");
    const lines = readFileSync(join(folder.path, "audit.jsonl"), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(lines.map(({ kind, upstream, event }) => [kind, upstream, event]), [["opened", undefined, undefined], ["decision", "a", "tools/call"], ["decision", "a", "tools/call"]]);
    assert.equal(second.plan.canRecord?.("a"), true);
    assert.equal(first.plan.policy?.digest, second.plan.policy?.digest);
    assert.deepEqual([first.plan.policy?.onRecordFailure, second.plan.policy?.onRecordFailure], ["continue", "block"]);
    assert.doesNotMatch(JSON.stringify(lines), /s3cret/);
  });

  it("cannot come, change or go while the gateway runs", async () => {
    const audit = { file: "other.jsonl" };
    const plan = await build({ audit });
    assert.deepEqual(await wrong({ audit: { ...audit, keepFiles: 2 } }, { before: plan }), ["/audit has changed, which takes a new start of the gateway"]);
    assert.deepEqual(await wrong({}, { before: plan }), ["has no audit any more, which takes a new start of the gateway"]);
  });

  it("is left alone where a configuration is checked only, and told of where it cannot be opened", async () => {
    const plan = await build({ audit: { file: "never.jsonl" } }, { dry: true });
    assert.deepEqual([plan.plan.record, existsSync(join(folder.path, "never.jsonl"))], [undefined, false]);
    const [line = ""] = await wrong({ audit: { file: "no/such/folder/audit.jsonl" } });
    assert.match(line, /^\/audit\/file .*no\/such\/folder/);
  });

  it("is refused in the same words by who only checks it, who leaves the file as it is", async () => {
    const at = (name: string) => join(folder.path, name);
    const good = await build({ audit: { file: "good.jsonl" } });
    await good.plan.record?.(decision, "a");
    await good.close();
    const text = readFileSync(at("good.jsonl"), "utf8");
    writeFileSync(at("none.jsonl"), "hello\n", { mode: 0o644 });
    writeFileSync(at("text.jsonl"), "hello");
    writeFileSync(at("damaged.jsonl"), text.replace(/"tool":"[^"]*"|"verdict":"/g, (found) => `${found.slice(0, -1)}x"`));
    writeFileSync(at("rotated.jsonl.000001"), "hello\n");
    if (process.platform !== "win32") symlinkSync(at("good.jsonl"), at("link.jsonl"));
    for (const [name, words] of [
      ["none.jsonl", /^\/audit the last line of D\/none\.jsonl cannot be gone on from: it is no line of an audit log; verify it, and move it away to begin anew$/],
      ["text.jsonl", /^\/audit D\/text\.jsonl is no audit log$/],
      ["damaged.jsonl", /^\/audit the last line of D\/damaged\.jsonl cannot be gone on from: /],
      ["rotated.jsonl", /^\/audit the last line of D\/rotated\.jsonl\.000001 cannot be gone on from: /],
      ...(process.platform === "win32" ? [] : [["link.jsonl", /^\/audit D\/link\.jsonl is a symbolic link, and links are not followed; /] as const]),
    ] as const) {
      const before = existsSync(at(name)) ? { text: readFileSync(at(name), "utf8"), mode: statSync(at(name)).mode } : undefined;
      const checked = await wrong({ audit: { file: name } }, { dry: true, exhaustive: true });
      assert.deepEqual(existsSync(at(name)) ? { text: readFileSync(at(name), "utf8"), mode: statSync(at(name)).mode } : undefined, before);
      assert.match(checked.join("\n"), words);
      assert.deepEqual(await wrong({ audit: { file: name } }), checked);
    }
    // A kill has cut the last line, or another key is wanted.
    appendFileSync(at("good.jsonl"), text.slice(0, 40));
    await build({ audit: { file: "good.jsonl" } }, { dry: true, exhaustive: true });
    assert.equal(readFileSync(at("good.jsonl"), "utf8"), text + text.slice(0, 40));
    assert.match((await wrong({ audit: { file: "good.jsonl", key: "${KEY}" } }, { dry: true, exhaustive: true })).join(""), /its hash does not fit what it says/);
  });
});
