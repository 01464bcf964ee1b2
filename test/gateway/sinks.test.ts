// One secret goes through everything that an interceptor sees and throws, and must come out at none of src/gateway/{audit,metrics,otlp,logs}.ts.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createObserver } from "../../src/core/chain/observer.ts";
import { createChain } from "../../src/core/chain/chain.ts";
import type { GuardEvent } from "../../src/core/guard/events.ts";
import type { Message } from "../../src/core/wire/message.ts";
import { openAudit } from "../../src/gateway/audit.ts";
import { createAuditDigest } from "../../src/gateway/audit-record.ts";
import { createAuthenticate } from "../../src/gateway/auth.ts";
import { withBreaker } from "../../src/gateway/breaker.ts";
import { createLog } from "../../src/gateway/logs.ts";
import { createMetrics } from "../../src/gateway/metrics.ts";
import { createOtlp } from "../../src/gateway/otlp.ts";
import { mutates, remoteSource, validates } from "../core/chain/kit.ts";
import { fakeHost } from "../support/fake-host.ts";
import { guardedPair } from "../support/guarded-pair.ts";
import { answerOf, AUDIENCE, CLAIMS, ISSUER, keyFor, request } from "./auth-kit.ts";
import { watched } from "./decision-kit.ts";

const SECRET = "s3cret-sentinel-7f41c9";
const SHAPES = [SECRET, Buffer.from(SECRET).toString("base64").replace(/=+$/, ""), Buffer.from(SECRET).toString("hex"), encodeURIComponent(SECRET)];

test("a secret in payloads, exceptions and tokens shows up in no audit, metric, span or log", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
  try {
    const host = fakeHost();
    const out: string[] = [];
    const audit = await openAudit({ path: join(folder, "audit.jsonl"), host, sync: "never" });
    const metrics = createMetrics();
    const log = createLog({ host, level: "debug", write: (line) => out.push(line) });
    const otlp = createOtlp({
      url: "http://127.0.0.1:4318/v1/traces",
      host,
      send: ({ body = "" }) => {
        out.push(body);
        return Promise.resolve(answerOf(400, SECRET));
      },
      log: (message) => log.log({ level: "warn", message }),
    });
    const observer = createObserver((event: GuardEvent) => {
      metrics.observe(event, "files");
      otlp.observe(event, "files");
      log.observe(event, "files");
    });
    metrics.watchQueue("events", observer.stats);

    const crash = () => {
      throw new TypeError(`cannot read ${SECRET}`);
    };
    const severe = () => ({ valid: false, severity: "warn", messages: [{ message: `found ${SECRET}`, severity: "warn", path: "/arguments" }] });
    const remote = remoteSource("far", [{ name: "far", type: "validation", failOpen: true, hooks: [{ events: ["*"], phase: "request" }] }], () => Promise.reject(new TypeError(SECRET)));
    const chain = createChain({ host, log: (entry) => log.chain(entry), provenance: "values" });
    chain.add([
      validates({ name: "crashes", failOpen: true }, crash),
      validates({ name: "finds" }, severe),
      mutates({ name: "redacts" }, ({ payload }) => ({ ...payload, _meta: { masked: SECRET } })),
      validates({ name: "refuses", mode: "audit" }, () => ({ valid: false, severity: "error", messages: [{ message: SECRET, severity: "error" }] })),
    ]);
    await chain.addSource(withBreaker(remote, { host, failures: 1, onChange: (change) => log.log({ level: "warn", message: "a circuit has changed", details: change }) }));
    const { record, written } = watched((decision) => audit.record(decision, "files"));
    const pair = guardedPair([], {
      chainOf: () => chain,
      host: { ...host },
      record,
      observe: observer,
      log: (entry) => log.log(entry),
      policy: { provenance: "values", digest: createAuditDigest("a key") },
    });
    const args = { apiKey: SECRET, headers: { Authorization: `Bearer ${SECRET}` } };
    const call = (id: number): Message => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "echo", arguments: args } });
    const answers: Message[] = [
      { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: SECRET }] } },
      { jsonrpc: "2.0", id: 2, error: { code: -32000, message: SECRET, data: SECRET } },
      { jsonrpc: "2.0", id: 99, result: { text: SECRET } },
    ];
    for (const id of [1, 2]) {
      await pair.fromPeer(call(id));
      await written();
    }
    for (const answer of answers) await pair.fromApp(answer);
    await written();

    const key = await keyFor("ES256");
    const check = metrics.authenticate(
      createAuthenticate({ host, tokens: [{ token: SECRET, principal: { type: "service" } }], jwt: [{ issuer: ISSUER, audience: AUDIENCE, keys: { keys: [key.jwk] } }], log: (message) => log.log({ level: "warn", message }) }),
    );
    const tokens = [SECRET, `${SECRET}x`, await key.sign({ ...CLAIMS, sub: 5, secret: SECRET }), await key.sign({ ...CLAIMS, aud: SECRET })];
    for (const token of tokens) out.push(JSON.stringify(await check(request(token))));

    await host.advance(60_000);
    await otlp.close();
    await audit.close();
    out.push(readFileSync(join(folder, "audit.jsonl"), "utf8"), metrics.text(), JSON.stringify(metrics.snapshot()));
    const all = out.join("\n");
    for (const word of ["judge tools/call", '"kind":"decision"', "hmac-sha256:", "messages_total", "a circuit has changed", "redacts", "the token is for another audience", "spans are being lost"]) {
      assert.ok(all.includes(word), `the sinks were used: ${word}`);
    }
    assert.ok(audit.stats().written >= 4);
    for (const shape of SHAPES) assert.equal(all.indexOf(shape), -1, all.slice(Math.max(0, all.indexOf(shape) - 200), all.indexOf(shape) + 100));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
