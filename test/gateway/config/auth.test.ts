import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, createSign, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { after, afterEach, describe, it } from "node:test";
import type { Authentication } from "../../../src/core/http/authentication.ts";
import type { Log } from "../../../src/core/jsonrpc/log.ts";
import { keySetsAtUrls } from "../../../src/gateway/config/auth.ts";
import { buildPlan, createPools, type BuiltPlan } from "../../../src/gateway/config/build.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import { complaints, temporaryFolder } from "./kit.ts";
import { NEVER } from "../../support/never.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const pools = createPools();
const built: BuiltPlan[] = [];
afterEach(async () => {
  await Promise.all(built.splice(0).map((plan) => plan.close()));
  assert.equal(pools.checks.size, 0);
});

const base = { upstreams: { a: { command: "x" } }, http: { port: 0 } };
const load = (config: object) => loadConfig(folder.write("gateway.json", { ...base, ...config }), { env: { TOKEN: "token-of-the-robot" } });

async function build(config: object, before?: BuiltPlan, log: Log = () => {}): Promise<BuiltPlan> {
  const plan = await buildPlan(await load(config), { pools, log, chainLog: () => {}, ...(before === undefined ? {} : { before }) });
  built.push(plan);
  return plan;
}

const wrong = async (config: object, before?: BuiltPlan) =>
  (await complaints(build(config, before), folder.write("gateway.json", {}), folder.path)).map((line) => line.replace(/^F:\d+:\d+: /, ""));

async function ask({ plan }: BuiltPlan, token: string | undefined): Promise<Authentication> {
  const { authenticate } = plan.http ?? {};
  assert.ok(authenticate !== undefined);
  const headers = new Map(token === undefined ? [] : [["authorization", `Bearer ${token}`]]);
  return authenticate({ method: "POST", path: "/a/mcp", headers, signal: NEVER, token });
}

const robot = { type: "service", id: "robot", claims: { role: "ops" } };

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
function token(claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const signed = `${encode({ alg: "RS256", kid: "k", typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey, "base64url")}`;
}

describe("auth of a configuration", () => {
  it("lets in whoever has a token of the list, by the token or by its digest, until it expires", async () => {
    const sha256 = createHash("sha256").update("another-token-0001").digest("hex");
    const plan = await build({
      auth: {
        tokens: [
          { token: "${TOKEN}", principal: robot },
          { sha256, principal: { type: "user", id: "ann" } },
          { token: "an-old-token-00001", expiresAt: "2001-01-31", principal: { type: "user", id: "bob" } },
        ],
        metadata: { resource: "https://mcp.example.com/", authorizationServers: ["https://login.example.com"] },
      },
    });
    assert.deepEqual(await ask(plan, "token-of-the-robot"), { principal: robot });
    assert.deepEqual(await ask(plan, "another-token-0001"), { principal: { type: "user", id: "ann" } });
    for (const token of ["an-old-token-00001", "no-such-token-0001", undefined]) assert.ok("challenge" in (await ask(plan, token)), token);
    assert.equal(plan.plan.http?.resourceMetadata, "https://mcp.example.com/.well-known/oauth-protected-resource");
    assert.equal(typeof plan.plan.http?.otherwise, "function");
    const context = await plan.plan.context?.({ method: "x", direction: "receiving", message: { jsonrpc: "2.0", method: "x" }, from: { transport: "http", connection: "1", principal: { type: "user" } } }, "a");
    assert.deepEqual(context, { principal: { type: "user" } });
  });

  it("lets in whoever has a token of an issuer, with the claims that conditions and ready-made interceptors ask for", async () => {
    folder.write("jwks.json", { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k", use: "sig", alg: "RS256" }] });
    const when = { any: [{ claim: "role", equals: "x" }, { claim: "/realm/level", atLeast: 2 }] };
    const plan = await build({
      auth: { jwt: [{ jwks: "jwks.json", issuer: "https://login.example.com", audience: "gateway", claims: ["team"] }] },
      interceptors: [{ use: "redact", when }, { use: "tool-filter", config: { rules: [{ claims: { tier: "gold" }, allow: ["*"] }] } }],
    });
    const claims = { iss: "https://login.example.com", aud: "gateway", sub: "ann", role: "ops", tier: "gold", realm: { level: 3 }, team: "t", secret: "s", exp: 4_102_444_800, iat: 1_700_000_000 };
    const answer = await ask(plan, token(claims));
    assert.deepEqual("principal" in answer ? answer.principal : answer, {
      type: "user",
      id: "ann",
      claims: { iss: claims.iss, role: "ops", realm: { level: 3 }, team: "t", tier: "gold" },
    });
    assert.ok("challenge" in (await ask(plan, token({ ...claims, aud: "other" }))));
  });

  it("refuses key sets in files that cannot be used, at a reload too, and says of each what is wrong with it", async () => {
    const key = publicKey.export({ format: "jwk" });
    const small = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ format: "jwk" });
    folder.write("no-set.json", { key: [] });
    folder.write("symmetric.json", { keys: [{ kty: "oct", k: "c2VjcmV0" }] });
    folder.write("encrypts.json", { keys: [{ ...key, use: "enc" }] });
    folder.write("small.json", { keys: [small] });
    folder.write("broken.json", { keys: [{ ...key, n: "!" }] });
    folder.write("large.json", "x".repeat(256 * 1024 + 1));
    folder.write("good.json", { keys: [key] });
    folder.write("sub/good.json", { keys: [key] });
    const pipe = join(folder.path, "pipe");
    if (process.platform !== "win32") execFileSync("mkfifo", [pipe]);
    const issuer = (jwks: string, index: number) => ({ jwks, issuer: `https://${index}.example.com`, audience: "gateway" });
    const faults: readonly (readonly [file: string, why: RegExp])[] = [
      ["nope.json", /there is no such file/],
      ["no-set.json", /it is no JSON Web Key Set/],
      ["symmetric.json", /it has no public key/],
      ["encrypts.json", /it has no key for RS256, PS256, /],
      ["small.json", /its keys cannot be used: /],
      ["broken.json", /its keys cannot be used: /],
      ["large.json", /it is larger than 262144 bytes/],
      ["sub", /it is a folder, and no regular file/],
      ...(process.platform === "win32" ? [] : ([["pipe", /it is a pipe, and no regular file/], ["/dev/zero", /it is a device, and no regular file/]] as const)),
    ];
    const good = await build({ auth: { jwt: [issuer("good.json", 0)] } });
    for (const before of [undefined, good]) {
      const told = await wrong({ auth: { jwt: [...faults.map(([file]) => file), "good.json"].map(issuer) } }, before);
      assert.equal(told.length, faults.length, told.join("\n"));
      for (const [index, [file, why]] of faults.entries()) {
        assert.ok(told[index]?.startsWith(`/auth/jwt/${index}/jwks is no key set that can be used: ${resolve(folder.path, file).replace(folder.path, "D")}: `), told[index]);
        assert.match(told[index] ?? "", why);
      }
    }
  });

  it("warns of a key set at a URL that cannot be used: for whoever asks, and by the log from the start", async () => {
    const served = createServer((_request, response) => void response.writeHead(404).end()).listen(0, "127.0.0.1");
    await once(served, "listening");
    try {
      const url = `http://127.0.0.1:${(served.address() as AddressInfo).port}/jwks`;
      const jwt = [{ jwks: url, issuer: "https://login.example.com", audience: "gateway" }];
      let tell = (_message: string) => {};
      const told = new Promise<string>((resolve) => (tell = resolve));
      const plan = await build({ auth: { jwt } }, undefined, ({ message }) => tell(message));
      assert.equal(await told, `the key set at ${url} could not be read: it was answered with status 404`);
      assert.deepEqual(
        (await keySetsAtUrls(plan.loaded)).map((line) => line.replace(/^.*: warning: /, "")),
        ["/auth/jwt/0/jwks is no key set that can be used: it was answered with status 404; no token of this issuer is good until it is"],
      );
      await assert.rejects(ask(plan, token({ iss: "https://login.example.com", aud: "gateway", sub: "ann", exp: 4_102_444_800 })));
    } finally {
      served.close();
    }
  });

  it("is the same check in the next plan while it says the same, and another where it does not", async () => {
    const auth = { tokens: [{ token: "${TOKEN}", principal: robot }] };
    const first = await build({ auth });
    const same = await build({ auth, drainMs: 5 }, first);
    assert.equal(same.plan.http?.authenticate, first.plan.http?.authenticate);
    const other = await build({ auth: { ...auth, anonymous: true } }, same);
    assert.deepEqual(await ask(other, undefined), { principal: { type: "anonymous" } });
  });

  it("cannot come or go while the gateway runs", async () => {
    const auth = { tokens: [{ token: "${TOKEN}", principal: robot }] };
    const bare = await build({});
    assert.deepEqual(await wrong({ auth }, bare), ["/auth was not there before, which takes a new start of the gateway"]);
    const locked = await build({ auth });
    assert.deepEqual(await wrong({}, locked), ["has no auth any more, which takes a new start of the gateway"]);
    const metadata = { resource: "https://x.example", authorizationServers: [] };
    assert.deepEqual(await wrong({ auth: { ...auth, metadata } }, locked), ["/auth/metadata has changed, which takes a new start of the gateway"]);
  });

  it("is refused where nobody could get in, and where a token is none", async () => {
    assert.match((await wrong({ auth: {} }))[0] ?? "", /^\/auth no token would be good/);
    const short = "/auth/tokens/0/token has fewer than 16 characters, which is guessed too easily";
    assert.deepEqual(await wrong({ auth: { tokens: [{ token: "short", principal: robot }] } }), [short]);
    assert.deepEqual(await wrong({ auth: { tokens: [{ id: "x", token: "short" }], jwt: [{ isuer: "x", audience: "y" }] } }), [
      '/auth/tokens/0 must have the member "principal"',
      "/auth/tokens/0/id is not known; known are token, sha256, expiresAt, principal",
      short,
      '/auth/jwt/0 must have the member "jwks"',
      "/auth/jwt/0/isuer is not known; did you mean issuer?",
    ]);
    assert.deepEqual(await wrong({ auth: { tokens: [{ token: "a", sha256: "b", principal: { type: "user" }, expiresAt: "tomorrow" }] } }), [
      "/auth/tokens/0 needs one of token and sha256, and not both",
      short,
      "/auth/tokens/0/sha256 must be 64 hexadecimal digits in lower case",
      '/auth/tokens/0/principal must have the member "id"',
      "/auth/tokens/0/expiresAt must be a date, such as 2027-01-31 or 2027-01-31T12:00:00Z",
    ]);
    assert.deepEqual(await wrong({ auth: { tokens: [{ token: "${TOKEN}", principal: robot, expiresAt: "2027-13-31" }] } }), ["/auth/tokens/0/expiresAt is no date that there is"]);
  });

  it("is missed where others than this machine come in, and of no use without HTTP", async () => {
    const open = await build({ http: { host: "0.0.0.0", allowedHosts: ["mcp.example.com"] } });
    assert.match(open.warnings.join("\n"), /warning: \/http\/host lets others than this machine in, and whoever comes may call: there is no auth$/);
    const idle = await build({ http: undefined, stdio: "a", auth: { anonymous: true } });
    assert.match(idle.warnings.join("\n"), /warning: \/auth asks nobody: only HTTP has tokens, and nothing is served there$/);
    assert.match((await wrong({ http: { host: "0.0.0.0" } })).join("\n"), /^\/http\/host lets others than this machine in, which takes "allowedHosts" beside it/);
  });
});
