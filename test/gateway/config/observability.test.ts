import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { validator } from "../../../src/core/interceptor/define.ts";
import { buildPlan, createPools } from "../../../src/gateway/config/build.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import { openObservability } from "../../../src/gateway/config/observability.ts";
import type { HttpRequest } from "../../../src/core/http/exchange.ts";
import type { Gateway } from "../../../src/gateway/plan.ts";
import { fakeHost } from "../../support/fake-host.ts";
import { call, guardedPair } from "../../support/guarded-pair.ts";
import { request } from "../auth-kit.ts";
import { decision as aDecision, watched } from "../decision-kit.ts";
import { INDEX, startCollector, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());
folder.write("server.mjs", `import { McpServer } from ${JSON.stringify(INDEX)};\nexport const server = new McpServer({ name: "own", version: "1" });`);

const no = validator({ name: "no", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => false);
const log = () => {};

describe("what looks on while a gateway runs", () => {
  it("is ready once the gateway is and until it drains, and counts and traces what passes by", async () => {
    const collected = await startCollector();
    const config = {
      upstreams: { own: { module: "server.mjs" } },
      http: {},
      auth: { tokens: [{ token: "token-of-somebody", principal: { type: "user", id: "bob" } }] },
      audit: { file: "audit.jsonl", sync: "never" },
      metrics: {},
      traces: { url: collected.url },
    };
    const built = await buildPlan(await loadConfig(folder.write("gateway.json", config), { env: {} }), { pools: createPools(), log, chainLog: log });
    const host = fakeHost();
    const opened = await openObservability(built.loaded.config, { host, log, verbose: false });
    const page = async (path: string) => (await fetch(`${opened.url}${path}`)).text();
    assert.equal(await page("/readyz"), "starting\n", "nothing is ready before the gateway is");
    const stats = { faces: 1, calls: 2, parked: 0, upstreams: {}, draining: false };
    // Nothing else of it is looked at.
    opened.attach({ stats: () => stats } as unknown as Gateway, () => built);
    assert.equal(await page("/readyz"), "ready\n");
    stats.draining = true;
    assert.equal(await page("/readyz"), "draining\n");

    const plan = opened.adapt(built.plan);
    const check = plan.http?.authenticate;
    assert.ok(check !== undefined);
    assert.ok("principal" in (await check(request("token-of-somebody"))));
    assert.ok("challenge" in (await check(request())));
    const answered = await plan.http?.around?.(() => Promise.resolve({ status: 200, headers: [] }))({ method: "POST", path: "/own/mcp" } as HttpRequest);
    assert.equal(answered?.status, 200);
    const { record, written } = watched((made) => plan.record?.(made, "own") ?? Promise.reject(new TypeError("no audit")));
    const pair = guardedPair([no], { observe: (event) => plan.observe?.(event, "own"), record });
    await pair.fromPeer(call(1));
    await written();
    const text = await page("/metrics");
    for (const line of [
      'authentications_total{outcome="admitted"} 1',
      'http_requests_total{upstream="own",method="POST",status="200"} 1',
      'blocked_total{upstream="own",reason="validation_failed",interceptor="no"} 1',
      'audit_records_total{outcome="written"} 1',
      "calls 2",
      'queued{queue="spans"} 2',
    ]) {
      assert.ok(text.includes(`mcp_interceptors_${line}\n`), `${line} in ${text}`);
    }
    await opened.close();
    await built.close();
    assert.equal(collected.spans().length, 2, "what waits is sent at the end");
    assert.equal(host.liveTimers, 0);
    await assert.rejects(fetch(`${opened.url}/healthz`));
    await collected.close();
  });

  it("is not ready while no decision can be written down, where that keeps every call back", async () => {
    const config = { upstreams: { own: { module: "server.mjs" } }, http: {}, metrics: {}, audit: { file: "unwritable.jsonl", sync: "never" } };
    const file = folder.write("unwritable.json", config);
    const options = { pools: createPools(), log, chainLog: log };
    const blocking = await buildPlan(await loadConfig(file, { env: {} }), options);
    folder.write("unwritable.json", { ...config, audit: { ...config.audit, onFailure: "continue" } });
    const going = await buildPlan(await loadConfig(file, { env: {} }), { ...options, before: blocking });
    let current = blocking;
    const opened = await openObservability(blocking.loaded.config, { host: fakeHost(), log, verbose: false });
    opened.attach({ stats: () => ({ draining: false }) } as unknown as Gateway, () => current);
    const ready = async () => (await fetch(`${opened.url}/readyz`)).text();
    const record = () => blocking.plan.record?.(aDecision(), "own");
    await record();
    assert.equal(await ready(), "ready\n");
    const path = join(folder.path, "unwritable.jsonl");
    rmSync(path);
    writeFileSync(path, "somebody else's\n");
    await assert.rejects(async () => record());
    assert.equal(await ready(), `the audit log cannot be written: another file has been put at ${path}\n`);
    assert.deepEqual(opened.unready(), [`the audit log cannot be written: another file has been put at ${path}`]);
    current = going;
    assert.equal(await ready(), "ready\n", "its owner has it go on unrecorded");
    current = blocking;
    rmSync(path);
    await record();
    assert.equal(await ready(), "ready\n");
    await opened.close();
    await Promise.all([blocking.close(), going.close()]);
  });

  it("is nothing where nothing is asked for", async () => {
    const opened = await openObservability({}, { host: fakeHost(), log, verbose: false });
    const plan = { upstreams: [], chain: () => assert.fail("it is not asked") };
    assert.deepEqual([opened.url, opened.structured, opened.adapt(plan)], [undefined, undefined, plan]);
    await opened.close();
  });

  it("leaves nothing behind where its port is taken", async () => {
    const host = fakeHost();
    const first = await openObservability({ metrics: {} }, { host, log, verbose: false });
    const port = Number(new URL(first.url ?? "").port);
    await assert.rejects(openObservability({ metrics: { port }, traces: { url: "http://127.0.0.1:1/" } }, { host, log, verbose: false }), { code: "EADDRINUSE" });
    assert.equal(host.liveTimers, 0);
    await first.close();
  });
});
