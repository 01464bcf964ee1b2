import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createJwtVerifier, type JwtOptions } from "../../src/gateway/auth-jwt.ts";
import { createKeySet, type KeyOrigin } from "../../src/gateway/auth-jwks.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { answerOf, AUDIENCE, CLAIMS, ISSUER, keyFor, keyServer } from "./auth-kit.ts";

const URL = "https://issuer.example/keys";

function rig(keys: readonly Record<string, unknown>[], options: Partial<JwtOptions> = {}) {
  const host = fakeHost();
  const server = keyServer(keys);
  const log: string[] = [];
  const verifier = createJwtVerifier({ keys: { url: URL }, issuer: ISSUER, audience: AUDIENCE, host, send: server.send, log: (text) => log.push(text), ...options });
  const outcome = async (token: string) => {
    const { principal, problem } = await verifier.verify(token);
    return principal?.id ?? problem;
  };
  return { host, server, log, outcome };
}

test("keys are read once, however many ask, and kept", async () => {
  const key = await keyFor("ES256");
  const { host, server, outcome } = rig([key.jwk]);
  const token = await key.sign({ ...CLAIMS, exp: CLAIMS.exp + 10_000 });
  assert.equal(server.asked, 0, "nothing is read before it is needed");
  assert.deepEqual(await Promise.all([outcome(token), outcome(token), outcome(token)]), ["alice", "alice", "alice"]);
  await host.advance(600_000);
  assert.equal(await outcome(token), "alice");
  assert.equal(server.asked, 1);
  assert.equal(host.liveTimers, 0);
});

test("a key that nobody knows has them read anew, but no more often than the cooldown allows", async () => {
  const [key, next] = [await keyFor("ES256", "one"), await keyFor("ES256", "two")];
  const { host, server, outcome } = rig([key.jwk]);
  const unknown = "the token is not signed by a known key";
  assert.equal(await outcome(await key.sign(CLAIMS)), "alice");
  for (let count = 0; count < 20; count++) assert.equal(await outcome(await next.sign(CLAIMS, { kid: `guess-${count}` })), unknown);
  assert.equal(server.asked, 1, "the cooldown began with the first reading");
  server.serve([next.jwk]);
  await host.advance(30_000);
  assert.equal(await outcome(await next.sign(CLAIMS)), "alice");
  assert.equal(server.asked, 2);
  assert.equal(await outcome(await key.sign(CLAIMS)), unknown, "a key that is gone is good no longer, for those who came before either");
});

test("old keys are read anew beside the call that notices, and used until then", async () => {
  const key = await keyFor("ES256");
  const { host, server, log, outcome } = rig([key.jwk], { refreshMs: 1_000, cooldownMs: 100, maxAgeMs: 10_000 });
  const token = await key.sign(CLAIMS);
  await outcome(token);
  await host.advance(1_001);
  server.answer = () => Promise.resolve(answerOf(503, "busy"));
  assert.equal(await outcome(token), "alice");
  await settle();
  assert.equal(server.asked, 2);
  assert.deepEqual(log, ["the key set at https://issuer.example/keys could not be read: it was answered with status 503"]);
  await host.advance(10_000);
  await assert.rejects(outcome(token), { code: "closed" }, "beyond their last day nobody gets in");
  server.serve([key.jwk]);
  await host.advance(100);
  assert.equal(await outcome(token), "alice");
});

test("a key server that is silent, endless, broken or elsewhere lets nobody in, within a bound", async () => {
  const key = await keyFor("ES256");
  const token = await key.sign(CLAIMS);
  const endless = { status: 200, headers: new Map<string, string>(), body: { next: () => Promise.resolve(new Uint8Array(65_536).fill(32)), cancel: () => {} } };
  for (const [answer, why] of [
    [() => new Promise<never>(() => {}), /no answer within 5000 ms/],
    [() => Promise.resolve(endless), /more than 262144 bytes/],
    [() => Promise.resolve(answerOf(200, "<html>")), /no JSON Web Key Set/],
    [() => Promise.resolve(answerOf(200, '{"keys":[],"keys":[]}')), /no JSON Web Key Set/],
    [() => Promise.resolve(answerOf(200, JSON.stringify({ keys: Array.from({ length: 101 }, () => key.jwk) }))), /more than 100 keys/],
    [() => Promise.resolve(answerOf(302, "")), /status 302/],
  ] as const) {
    const { host, server, log, outcome } = rig([]);
    server.answer = answer;
    const refused = assert.rejects(outcome(token), { code: "closed" });
    await host.advance(5_000);
    await refused;
    assert.match(log[0] ?? "", why);
    await assert.rejects(outcome(token), { code: "closed" });
    assert.equal(server.asked, 1, "nor is it asked again at once");
    assert.equal(host.liveTimers, 0);
  }
});

test("keys come over https or from this machine", () => {
  const { send } = keyServer([]);
  for (const url of ["http://issuer.example/keys", "http://localhost.evil.example/keys", "http://127.0.0.1.evil.example/", "ftp://localhost/"]) {
    assert.throws(() => createKeySet({ url }, { send }), { code: "invalid_argument" }, url);
  }
  for (const url of [URL, "http://localhost:8080/keys", "http://127.0.0.1/keys", "http://[::1]:1/k"]) createKeySet({ url }, { send });
  assert.throws(() => createKeySet({ url: URL }), { code: "invalid_argument" });
  assert.throws(() => createKeySet({ keys: "x" } as unknown as KeyOrigin), { code: "invalid_argument" });
});

test("keys come from a file, which is read anew like a URL", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
  try {
    const file = join(folder, "keys.json");
    const [key, next] = [await keyFor("ES256", "one"), await keyFor("ES256", "two")];
    writeFileSync(file, JSON.stringify({ keys: [key.jwk] }));
    const { host, outcome } = rig([], { keys: { file } });
    assert.equal(await outcome(await key.sign(CLAIMS)), "alice");
    writeFileSync(file, JSON.stringify({ keys: [next.jwk] }));
    await host.advance(30_000);
    assert.equal(await outcome(await next.sign(CLAIMS)), "alice");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
