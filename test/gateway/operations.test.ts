import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { validator } from "../../src/core/interceptor/define.ts";
import { verifyAudit } from "../../src/gateway/audit-verify.ts";
import { createMetrics } from "../../src/gateway/metrics.ts";
import { startOperations, type OperationsOptions } from "../../src/gateway/operations.ts";
import { fakeHost } from "../support/fake-host.ts";
import { call, guardedPair } from "../support/guarded-pair.ts";
import { answerOf, AUDIENCE, CLAIMS, ISSUER, keyFor, keyServer, request } from "./auth-kit.ts";
import { watched } from "./decision-kit.ts";

async function withFolder(run: (path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
  try {
    await run(join(folder, "audit.jsonl"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
const no = validator({ name: "no", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => false);
const quiet: Pick<OperationsOptions, "log"> = { log: { write: () => {} } };

test("one set of options gives a gateway its audit, metrics, health, spans and log", async () => {
  await withFolder(async (path) => {
    const host = fakeHost();
    const sent: string[] = [];
    const lines: string[] = [];
    const key = await keyFor("ES256");
    const keys = keyServer([key.jwk]);
    const operations = await startOperations({
      host,
      log: { write: (line) => lines.push(line) },
      audit: { path, key: "a key", sync: "never", onFailure: "continue" },
      metrics: { port: 0, bounds: [1] },
      traces: { url: "http://127.0.0.1:4318/v1/traces" },
      send: (made) => {
        if (made.method === "GET") return keys.send(made);
        sent.push(made.body ?? "");
        return Promise.resolve(answerOf(200, "{}"));
      },
    });
    const { plan, url = "" } = operations;
    assert.equal((await fetch(`${url}/readyz`)).status, 503, "nothing is ready before the gateway is");
    let draining = false;
    operations.watch(() => ({ faces: 1, calls: 2, parked: 0, upstreams: {}, draining }));
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    draining = true;
    assert.equal(await (await fetch(`${url}/readyz`)).text(), "draining\n");

    const check = operations.authenticate({ jwt: [{ issuer: ISSUER, audience: AUDIENCE, keys: { url: `${ISSUER}/keys` } }] });
    assert.ok("principal" in (await check(request(await key.sign(CLAIMS)))));
    assert.deepEqual(await check(request()), { challenge: {} });

    assert.equal(plan.policy.onRecordFailure, "continue");
    const { record, written } = watched((made) => plan.record?.(made, "files") ?? Promise.reject(new TypeError("no audit")));
    const pair = guardedPair([no], { observe: (event) => plan.observe(event, "files"), record, policy: plan.policy });
    await pair.fromPeer(call(1));
    await written();
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const line of ['authentications_total{outcome="admitted"} 1', 'blocked_total{upstream="files",reason="validation_failed",interceptor="no"} 1', 'audit_records_total{outcome="written"} 1', "calls 2", 'queued{queue="spans"} 2']) {
      assert.ok(text.includes(`mcp_interceptors_${line}\n`), `${line} in ${text}`);
    }
    await operations.close();
    assert.equal(lines.length, 1);
    assert.equal(sent.length, 1);
    assert.equal((await verifyAudit([path], { key: "a key" })).lines, 2);
    assert.equal(host.liveTimers, 0);
    await assert.rejects(fetch(`${url}/healthz`));
  });
});

test("without options there is a log, and nothing is recorded or listened on", async () => {
  const operations = await startOperations({ ...quiet, host: fakeHost() });
  assert.deepEqual([operations.url, operations.audit, operations.plan.record, operations.plan.policy], [undefined, undefined, undefined, {}]);
  await operations.close();
});

test("other workers are summed up", async () => {
  const other = createMetrics();
  other.registry.counter({ name: "c", help: "c" }).add([], 2);
  const operations = await startOperations({ ...quiet, metrics: {}, gather: () => Promise.resolve([other.snapshot(), other.snapshot()]) });
  assert.match(await (await fetch(`${operations.url}/metrics`)).text(), /\nc 4\n/);
  await operations.close();
});

test("what cannot start leaves nothing behind", async () => {
  await withFolder(async (path) => {
    const host = fakeHost();
    const first = await startOperations({ ...quiet, host, metrics: {} });
    const port = Number(new URL(first.url ?? "").port);
    await assert.rejects(startOperations({ ...quiet, host, audit: { path }, traces: { url: "http://127.0.0.1:1/" }, metrics: { port } }), { code: "EADDRINUSE" });
    assert.equal(host.liveTimers, 0);
    await first.close();
    await assert.rejects(startOperations({ ...quiet, host, audit: { path, maxQueued: 0 } }), { code: "invalid_argument" });
  });
});
