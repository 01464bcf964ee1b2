import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { currentOf } from "../../../src/core/guard/chain-source.ts";
import { buildPlan, createPools, type BuiltPlan } from "../../../src/gateway/config/build.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import { complaints, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());
const pools = createPools();
const built: BuiltPlan[] = [];
afterEach(async () => {
  await Promise.all(built.splice(0).map((plan) => plan.close()));
  assert.equal(pools.made.size, 0);
});

const upstreams = { crm: { command: "crm-server" }, mail: { command: "mail-server" } };

async function build(config: object, before?: BuiltPlan, more: object = {}): Promise<BuiltPlan> {
  const loaded = await loadConfig(folder.write("gateway.json", { upstreams, ...config }), { env: {} });
  const plan = await buildPlan(loaded, { pools, log: () => {}, chainLog: () => {}, ...(before === undefined ? {} : { before }), ...more });
  built.push(plan);
  return plan;
}

async function passes({ plan }: BuiltPlan, upstream: string, phase: "request" | "response", payload: object): Promise<boolean> {
  const chain = currentOf(plan.chain(upstream)).current();
  return (await chain.execute({ event: "tools/call", phase, payload, context: { sessionId: "s", principal: { type: "user", id: "ada" } } })).status === "success";
}

const wrong = (config: object) => complaints(build(config), `${folder.path}/gateway.json`, folder.path);

describe("a ready-made interceptor that remembers", () => {
  it("goes on remembering over a reload that does not change it, and begins anew where its config changes", async () => {
    const once = { use: "rate-limit", config: { perMinute: 1 } };
    const first = await build({ interceptors: [once] });
    assert.ok(await passes(first, "mail", "request", { name: "t" }));
    const second = await build({ interceptors: [{ use: "redact" }, once] }, first);
    assert.equal(await passes(second, "mail", "request", { name: "t" }), false);
    const third = await build({ interceptors: [{ use: "redact" }, { ...once, config: { perMinute: 2 } }] }, second);
    assert.ok(await passes(third, "mail", "request", { name: "t" }));
  });

  it("is told which upstream it stands before, and is the same one before all of them", async () => {
    const plan = await build({ interceptors: [{ use: "flow-guard", config: { scope: "global", allow: [{ from: ["mail"] }] } }] });
    const text = "Payroll, October: Ada Lovelace 7,250; Grace Hopper 8,100; Alan Turing 6,900; total 22,250 EUR.";
    const other = "Minutes of the meeting on the fourth of March, taken by nobody in particular, and sent to all of us.";
    await passes(plan, "crm", "response", { content: [{ type: "text", text }] });
    await passes(plan, "mail", "response", { content: [{ type: "text", text: other }] });
    assert.ok(await passes(plan, "crm", "request", { name: "t", arguments: { text } }));
    assert.equal(await passes(plan, "mail", "request", { name: "t", arguments: { text } }), false);
    assert.ok(await passes(plan, "crm", "request", { name: "t", arguments: { text: other } }));
  });

  it("is refused where callers have neither session nor principal to remember them by, with what to do", async () => {
    const limited = (scope?: string, more: object = {}) => ({ http: {}, interceptors: [{ use: "rate-limit", config: scope === undefined ? {} : { scope } }], ...more });
    const auth = { tokens: [{ token: "a-token-of-some-length", principal: { type: "user", id: "ada" } }] };
    const bySession = 'keeps state by session, and 2026-07-28 has no sessions, and there is no auth to tell callers apart: add "auth", leave 2026-07-28 out of "versions", or say "scope": "global" in its config';
    const byPrincipal = 'keeps state by principal, and callers without a verified token have no principal: add "auth", or say "scope": "global" in its config';
    const [first = ""] = await wrong(limited());
    assert.ok(first.endsWith(`/interceptors/0 ${bySession}`), first);
    const [stranger = ""] = await wrong(limited("principal"));
    assert.ok(stranger.endsWith(`/interceptors/0 ${byPrincipal}`), stranger);
    const onStdio = 'keeps state by principal, and who calls on stdin and stdout has no principal: serve it over "http" with "auth", and there alone, or say "scope": "session" or "global" in its config';
    // Without http there is no other way in, whether the file names it or the command line does.
    for (const config of [{ ...limited("principal", { auth }), stdio: "mail" }, { ...limited("principal"), http: undefined, stdio: "mail" }, { ...limited("principal"), http: undefined }]) {
      const [line = ""] = await wrong(config);
      assert.ok(line.endsWith(`/interceptors/0 ${onStdio}`), line);
    }
    const flow = { interceptors: [{ use: "flow-guard" }] };
    assert.match((await wrong(flow)).join(), /by principal, .* or say "scope": "global" in its config$/);
    const tokens = { http: {}, interceptors: [{ use: "redact", config: { tokens: true } }] };
    assert.match((await wrong(tokens)).join(), /: add "auth", or leave 2026-07-28 out of "versions"$/);
    await assert.rejects(build({ ...limited("principal", { auth }) }, undefined, { stdio: "mail" }), /who calls on stdin and stdout has no principal/);
    for (const fine of [limited("global"), limited(undefined, { auth }), limited("principal", { auth }), limited(undefined, { versions: ["2025-11-25"] }), { ...limited(), http: undefined, stdio: "mail" }]) await build(fine);
  });
});
