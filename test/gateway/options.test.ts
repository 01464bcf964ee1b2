import assert from "node:assert/strict";
import { test } from "node:test";
import { createChain } from "../../src/core/chain/chain.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import { openAudit } from "../../src/gateway/audit.ts";
import { verifyAudit } from "../../src/gateway/audit-verify.ts";
import { createAuthenticate } from "../../src/gateway/auth.ts";
import { withBreaker } from "../../src/gateway/breaker.ts";
import { loadConfig } from "../../src/gateway/config/load.ts";
import { startGateway } from "../../src/gateway/config/start.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { guardedRelay, wrapServer } from "../../src/gateway/guarded-relay.ts";
import { listenOps, opsHandler } from "../../src/gateway/health.ts";
import { createLog } from "../../src/gateway/logs.ts";
import { createMetrics } from "../../src/gateway/metrics.ts";
import { createOtlp } from "../../src/gateway/otlp.ts";

const chain = createChain();
const source = { label: "x", remote: true, list: async () => [], invoke: async () => ({}) as never };
const upstream = { name: "a", target: { command: process.execPath } };
const pair = () => memoryPair()[0];
const plan = (options: object) => createGateway({ upstreams: [upstream], chain: () => chain, ...options } as never);
// What takes options, and one that is misspelt.
const TAKERS: readonly [take: (options: never) => unknown, wrong: object, meant: string][] = [
  [plan, { htp: {} }, "http"],
  [plan, { http: { authentcate: () => ({}) } }, "authenticate"],
  [plan, { policy: { exposeError: false } }, "exposeErrors"],
  [plan, { parking: { maxparked: 1 } }, "maxParked"],
  [plan, { upstreams: [{ ...upstream, alow: () => false }] }, "allow"],
  [plan, { upstreams: [{ name: "a", target: { url: "http://127.0.0.1:9", authorise: () => {} } }] }, "authorize"],
  [(options) => guardedRelay(pair(), pair(), options), { chain, postur: "server" }, "posture"],
  [(options) => wrapServer(pair(), { command: process.execPath }, options), { chain, gard: {} }, "guard"],
  [(options) => wrapServer(pair(), { command: process.execPath }, options), { chain, guard: { recrd: () => {} } }, "record"],
  [(options) => createAuthenticate(options), { anonymous: true, scope: ["a"] }, "scopes"],
  [(options) => opsHandler(options), { metric: () => "" }, "metrics"],
  [(options) => listenOps(options), { redy: () => [] }, "ready"],
  [(options) => createLog(options), { levl: "info" }, "level"],
  [(options) => createMetrics(options), { maxserie: 1 }, "maxSeries"],
  [(options) => createOtlp(options), { url: "http://127.0.0.1:9", send: () => {}, header: [] }, "headers"],
  [(options) => openAudit(options), { path: "/nowhere/audit.jsonl", kee: "k" }, "key"],
  [(options) => verifyAudit([], options), { anchor: [] }, "anchors"],
  [(options) => withBreaker(source, options), { failure: 1 }, "failures"],
  [(options) => loadConfig("/nowhere/gateway.json", options), { secret: {} }, "secrets"],
  [(options) => startGateway(options), { file: "/nowhere/gateway.json", wach: false }, "watch"],
];

test("a gateway and its parts refuse a misspelt option with the one that is meant", async () => {
  for (const [take, wrong, meant] of TAKERS) {
    await assert.rejects(async () => take(wrong as never), (thrown: { code?: string; message: string }) => {
      assert.equal(thrown.code, "invalid_argument", thrown.message);
      assert.ok(thrown.message.endsWith(`: did you mean ${meant}?`), thrown.message);
      return true;
    });
  }
});

test("a server that nobody could speak with is not started", async () => {
  await assert.rejects(wrapServer({} as never, { command: "/nowhere/server" }, { chain }), { code: "invalid_argument", message: /the client's side of a relay/ });
  await assert.rejects(wrapServer({} as never, undefined as never, undefined as never), { code: "invalid_argument" });
  await assert.rejects(wrapServer(pair(), { command: "/nowhere/server" }, {} as never), { code: "invalid_argument", message: /a guard needs a chain/ });
});
