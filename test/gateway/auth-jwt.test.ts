import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { createJwtVerifier, type JwtOptions } from "../../src/gateway/auth-jwt.ts";
import { fakeHost } from "../support/fake-host.ts";
import { AUDIENCE, CLAIMS, ISSUER, keyFor, NOW } from "./auth-kit.ts";

const verifierOf = (keys: readonly JsonObject[], options: Partial<JwtOptions> = {}) =>
  createJwtVerifier({ keys: { keys }, issuer: ISSUER, audience: AUDIENCE, host: fakeHost(), ...options });
const outcome = async (token: string, keys: readonly JsonObject[], options?: Partial<JwtOptions>) => {
  const { principal, problem } = await verifierOf(keys, options).verify(token);
  return problem ?? principal?.id;
};

describe("a signature", () => {
  for (const algorithm of ["RS256", "PS256", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"] as const) {
    test(`of ${algorithm} is verified, and no longer once anything has changed`, async () => {
      const [key, other] = [await keyFor(algorithm), await keyFor(algorithm, `other-${algorithm}`)];
      const token = await key.sign(CLAIMS);
      const options = { algorithms: [algorithm] };
      assert.equal(await outcome(token, [key.jwk], options), "alice");
      const [header, payload, signature] = token.split(".") as [string, string, string];
      const forged = Buffer.from(JSON.stringify({ ...CLAIMS, sub: "mallory" })).toString("base64url");
      for (const wrong of [`${header}.${forged}.${signature}`, `${header}.${payload}.`, `${header}.${payload}.${signature.slice(0, -4)}AAAA`]) {
        assert.equal(await outcome(wrong, [key.jwk], options), "the token is not signed by a known key");
      }
      assert.equal(await outcome(token, [{ ...other.jwk, kid: algorithm }], options), "the token is not signed by a known key");
      assert.equal(await outcome(token, [key.jwk], { algorithms: [algorithm === "RS256" ? "ES256" : "RS256"] }), "the token is signed by an algorithm that is not allowed");
    });
  }

  test("of none or of a shared secret cannot be let in, whatever the key set and the options say", async () => {
    const { jwk } = await keyFor("RS256");
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    for (const alg of ["none", "None", "NONE", "", "HS256", "rs256", undefined]) {
      const signed = `${part({ alg, kid: "RS256" })}.${part(CLAIMS)}`;
      for (const signature of ["", createHmac("sha256", String(jwk["n"])).update(signed).digest("base64url")]) {
        assert.equal(await outcome(`${signed}.${signature}`, [jwk, { kty: "oct", k: "AAAA", kid: "RS256" }]), "the token is signed by an algorithm that is not allowed");
      }
    }
    for (const algorithms of [["HS256"], ["none"], []]) assert.throws(() => verifierOf([jwk], { algorithms: algorithms as never }), { code: "invalid_argument" });
  });

  test("is checked with keys of the set alone: of the right type and curve, for this purpose, and long enough", async () => {
    const [rs, es] = [await keyFor("RS256"), await keyFor("ES256")];
    const [token, bySecond] = [await rs.sign(CLAIMS), await es.sign(CLAIMS)];
    const unknown = "the token is not signed by a known key";
    assert.equal(await outcome(await rs.sign(CLAIMS, { jwk: rs.jwk, kid: "x" }), [es.jwk]), unknown, "a key that the token brings");
    assert.equal(await outcome(token, [{ ...rs.jwk, use: "enc" }]), unknown);
    assert.equal(await outcome(token, [{ ...rs.jwk, key_ops: ["sign"] }]), unknown);
    assert.equal(await outcome(token, [{ ...rs.jwk, alg: "RS512" }]), unknown);
    assert.equal(await outcome(token, [{ ...rs.jwk, use: "sig", alg: "RS256", key_ops: ["verify"] }]), "alice");
    assert.equal(await outcome(bySecond, [{ ...es.jwk, crv: "P-384" }]), unknown);
    const short = await keyFor("RS256", "short", 1024);
    assert.equal(await outcome(await short.sign(CLAIMS), [short.jwk]), unknown);
    assert.equal(await outcome(await rs.sign(CLAIMS, { kid: undefined }), [es.jwk, rs.jwk]), "alice", "without a name, all that fit are tried");
  });
});

test("what is no JWT is refused without a look at any key", async () => {
  const { jwk, sign } = await keyFor("ES256");
  const good = await sign(CLAIMS);
  const none = "the token is no signed JWT";
  for (const token of ["", "a", "a.b", "..", `${good}.x`, `${good}=`, good.replace(".", "!."), good.split(".").slice(0, 2).join(".")]) assert.equal(await outcome(token, [jwk]), none, token);
  assert.equal(await outcome("x".repeat(16_385), [jwk]), "the token is too long");
  assert.equal(await outcome(await sign('{"iss":"a","iss":"b"}'), [jwk]), none, "a key that comes twice");
  assert.equal(await outcome(await sign("[]"), [jwk]), none);
  assert.equal(await outcome(await sign(CLAIMS, { crit: ["b64"], b64: false }), [jwk]), "the token has critical extensions");
  assert.equal(await outcome(await sign(CLAIMS, { typ: "dpop+jwt" }), [jwk]), "the token is of another type");
  for (const typ of ["JWT", "at+jwt", "application/AT+JWT"]) assert.equal(await outcome(await sign(CLAIMS, { typ }), [jwk]), "alice");
});

describe("claims", () => {
  const expired = "the token has expired";
  const unclear = "the token does not say from when to when it is good";
  const cases: readonly (readonly [claims: object, expected: string, options?: Partial<JwtOptions>])[] = [
    [{}, "alice"],
    [{ iss: `${ISSUER}/` }, "the token is from another issuer"],
    [{ iss: undefined }, "the token is from another issuer"],
    [{ aud: "https://other.example" }, "the token is for another audience"],
    [{ aud: undefined }, "the token is for another audience"],
    [{ aud: [] }, "the token is for another audience"],
    [{ aud: ["https://other.example", AUDIENCE] }, "alice"],
    [{ aud: "b" }, "alice", { audience: ["a", "b"] }],
    [{ exp: undefined }, unclear],
    [{ exp: `${NOW + 600}` }, unclear],
    [{ exp: -1 }, unclear],
    [{ nbf: "now" }, unclear],
    [{ iat: null }, unclear],
    [{ exp: NOW - 59 }, "alice"],
    [{ exp: NOW - 60 }, expired],
    [{ exp: NOW }, expired, { clockSkewMs: 0 }],
    [{ nbf: NOW + 60 }, "alice"],
    [{ nbf: NOW + 61 }, "the token is not good yet"],
    [{ iat: NOW + 61 }, "the token was issued in the future"],
    [{ iat: NOW - 361 }, "the token was issued too long ago", { maxTokenAgeMs: 300_000 }],
    [{ iat: NOW - 360 }, "alice", { maxTokenAgeMs: 300_000 }],
    [{ iat: undefined }, "the token was issued too long ago", { maxTokenAgeMs: 300_000 }],
    [{ sub: undefined }, "the token does not say who calls (sub)"],
    [{ sub: 7 }, "the token does not say who calls (sub)"],
    [{ sub: "" }, "the token does not say who calls (sub)"],
    [{ client_id: "robot" }, "robot", { idClaim: "client_id" }],
  ];
  for (const [claims, expected, options] of cases) {
    test(`${JSON.stringify(claims)} under ${JSON.stringify(options ?? {})}: ${expected}`, async () => {
      const { jwk, sign } = await keyFor("ES256");
      assert.equal(await outcome(await sign({ ...CLAIMS, ...claims }), [jwk], options), expected);
    });
  }

  test("are shown to interceptors where they are on the list, and the issuer always", async () => {
    const { jwk, sign } = await keyFor("ES256");
    const token = await sign({ ...CLAIMS, scope: "a b", email: "alice@example.com", groups: ["x"] });
    assert.deepEqual((await verifierOf([jwk]).verify(token)).principal, { type: "user", id: "alice", claims: { iss: ISSUER, scope: "a b" } });
    const { principal } = await verifierOf([jwk], { claims: ["groups", "absent"], principalType: "service" }).verify(token);
    assert.deepEqual(principal, { type: "service", id: "alice", claims: { iss: ISSUER, groups: ["x"] } });
  });
});

test("a token that was verified is kept, its times are looked at each time", async () => {
  const host = fakeHost();
  const { jwk, sign } = await keyFor("ES256");
  let verified = 0;
  const real = host.subtle as { verify(...given: unknown[]): unknown };
  const counting = new Proxy(real, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => {
        if (name === "verify") verified++;
        return Reflect.apply(member, target, given) as unknown;
      };
    },
  });
  const verifier = verifierOf([jwk], { host: { ...host, subtle: counting } });
  const token = await sign(CLAIMS);
  for (let count = 0; count < 3; count++) assert.equal((await verifier.verify(token)).principal?.id, "alice");
  assert.equal(verified, 1);
  await host.advance(660_000);
  assert.equal((await verifier.verify(token)).problem, "the token has expired");
  assert.equal(verified, 1);
});
