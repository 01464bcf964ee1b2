// The configurations of examples/gateway can be used as they stand, and guard as they say. Nothing is started for them here.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { currentOf } from "../../src/core/guard/chain-source.ts";
import type { ExecuteParams } from "../../src/core/chain/execute.ts";
import { buildPlan, createPools } from "../../src/gateway/config/build.ts";
import { DEFAULT_POLICY } from "../../src/gateway/config/default-policy.ts";
import { loadConfig } from "../../src/gateway/config/load.ts";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { NEVER } from "../support/never.ts";

const folder = fileURLToPath(new URL("../../examples/gateway/", import.meta.url));
const temporary = temporaryFolder();
after(() => temporary.remove());
const configs = readdirSync(folder).filter((name) => name.endsWith(".jsonc"));

const CALLERS = { ADA_TOKEN: "0123456789abcdef0123", AUDIT_KEY: "0123456789abcdef" };

/** The configurations that a page shows. */
const blocksOf = (page: string) => [...readFileSync(page, "utf8").matchAll(/^```jsonc\n(.*?)^```/gms)].map(([, text]) => text!);

async function built(name: string, env: Record<string, string> = {}) {
  const plan = await buildPlan(await loadConfig(resolve(folder, name), { env }), { pools: createPools(), log: () => {}, chainLog: () => {}, dry: true });
  after(() => plan.close());
  const run = async (upstream: string, params: Partial<ExecuteParams>) => {
    const result = await currentOf(plan.plan.chain(upstream)).current().execute({ event: "tools/call", phase: "request", payload: {}, ...params });
    return { ...result, by: result.abortedAt?.interceptor };
  };
  return { ...plan, run };
}

const call = (name: string, args: object = {}) => ({ payload: { name, arguments: args } });

describe("the configurations of examples/gateway", () => {
  it("can be used, with nothing odd about them, and name their schema", async () => {
    assert.equal(configs.length, 3);
    for (const name of configs) {
      const { warnings, loaded } = await built(name);
      assert.deepEqual(warnings, [], name);
      assert.ok(readFileSync(join(folder, loaded.config.$schema ?? ""), "utf8").includes("The configuration of the gateway"), name);
    }
  });

  it("can be used as the READMEs show them, too", async () => {
    const root = join(folder, "../..");
    const shown = ["README.md", "src/gateway/config/README.md"].flatMap((name) => blocksOf(join(root, name)).filter((text) => text.includes('"upstreams": {')));
    assert.equal(shown.length, 3);
    for (const [index, text] of shown.entries()) {
      const file = temporary.write(`${index}.jsonc`, text);
      const { config } = await loadConfig(file, { env: { CRM_TOKEN: "x", ...CALLERS } });
      assert.deepEqual(Object.keys(config.upstreams), ["files", "crm"]);
    }
    const file = temporary.write("callers.jsonc", shown[2]!);
    const { warnings, loaded, plan } = await built(file, CALLERS);
    assert.deepEqual(warnings, []);
    assert.deepEqual([loaded.config.audit?.onFailure, loaded.config.metrics?.port, plan.upstreams.every(({ allow }) => allow !== undefined)], ["block", 9464, true]);
  });

  it("for callers, the default policy is as its README shows it: what remembers does so by principal", async () => {
    const [, ...more] = blocksOf(join(folder, "../../src/gateway/config/README.md"));
    const text = more.find((one) => one.includes('"secrets-in-calls"')) ?? "";
    const upstreams = `"upstreams": { "files": { "command": "node" } }, "http": {}, "auth": { "tokens": [{ "token": "\${ADA_TOKEN}", "principal": { "type": "user", "id": "ada" } }] }`;
    const { warnings, loaded } = await built(temporary.write("policy.jsonc", text.replace("{", `{ ${upstreams},`)), CALLERS);
    assert.deepEqual(warnings, []);
    const byPrincipal: unknown = JSON.parse(JSON.stringify(DEFAULT_POLICY).replaceAll('"scope":"global"', '"scope":"principal"'));
    assert.deepEqual(loaded.config.interceptors, byPrincipal);
  });

  it("one-server: nothing is written, no key is read, no address gets out", async () => {
    const { run, plan } = await built("one-server.jsonc", { FILES_FOLDER: "/data" });
    const [files] = plan.upstreams;
    assert.ok(files !== undefined && "command" in files.target);
    assert.deepEqual(files.target.args?.at(-1), "/data");
    assert.equal((await run("files", call("write_file", { path: "/data/x" }))).by, "tool-filter");
    assert.equal((await run("files", call("read_text_file", { path: "/data/id.pem/." }))).by, "refuse");
    assert.equal((await run("files", call("read_text_file", { path: ["/data/id.pem"] }))).by, "refuse");
    const fine = call("read_text_file", { path: "/data/ann@example.com.txt" });
    assert.deepEqual((await run("files", fine)).finalPayload, fine.payload);
    const payload = { content: [{ type: "text", text: "write to ann@example.com" }] };
    const request = { method: "tools/call", params: fine.payload };
    const answer = await run("files", { phase: "response", payload, request });
    assert.deepEqual(answer.finalPayload, { content: [{ type: "text", text: "write to [REDACTED:email]" }] });
  });

  it("team: who is nobody or of no group gets nothing, and what deletes is for admins", async () => {
    const { run, hints, plan, loaded } = await built("team.jsonc", { PUBLIC_HOST: "mcp.example.com" });
    assert.equal(plan.http?.resourceMetadata, "https://mcp.example.com/.well-known/oauth-protected-resource");
    assert.equal(loaded.config.audit?.onFailure, "block");
    const nobody = await plan.http?.authenticate?.({ method: "POST", path: "/files/mcp", headers: new Map(), signal: NEVER, token: undefined });
    assert.ok(nobody !== undefined && "challenge" in nobody);
    const [everything, files] = plan.upstreams;
    const member = (...groups: string[]) => ({ type: "user", id: "ann", claims: { groups } }) as const;
    assert.deepEqual([member("engineering"), member("sales"), undefined].map((who) => files?.allow?.(who)), [true, false, false]);
    assert.deepEqual([everything?.sharing, everything?.allow], ["shared", undefined]);
    hints.get("files")?.learn({ tools: [{ name: "write_file", annotations: { destructiveHint: true } }, { name: "read_file", annotations: { readOnlyHint: true } }] });
    const by = async (tool: string, ...groups: string[]) => (await run("files", { ...call(tool), context: { principal: member(...groups) } })).by;
    assert.deepEqual(await Promise.all([by("write_file", "sales"), by("write_file", "admins"), by("read_file", "sales"), by("never_listed", "admins")]), ["refuse", undefined, undefined, undefined]);
    assert.equal((await run("everything", call("get-env"))).by, "tool-filter");
  });

  it("shadow: the policy in force decides, the new one is recorded, and is in force for what only reads", async () => {
    const { run, hints, plan } = await built("shadow.jsonc");
    assert.equal(plan.http?.port, 3000);
    assert.equal((await run("notes", call("move_file"))).by, "tool-filter");
    const secret = await run("notes", call("write_file", { content: "sk-abcdefghijklmnopqrstuvwxyz" }));
    await secret.settled;
    assert.equal(secret.status, "success");
    const recorded = (await secret.settled).results.find(({ interceptor }) => interceptor === "no-secrets");
    assert.deepEqual([recorded?.mode, recorded?.valid], ["audit", false]);
    hints.get("notes")?.learn({ tools: [{ name: "read_file", annotations: { readOnlyHint: true } }, { name: "write_file" }] });
    const payload = { content: [{ type: "text", text: "4111 1111 1111 1111" }] };
    const answered = (name: string) => run("notes", { phase: "response", payload, request: { method: "tools/call", params: { name } } });
    assert.equal((await answered("read_file")).by, "no-card-numbers");
    assert.equal((await answered("write_file")).status, "success");
  });
});
