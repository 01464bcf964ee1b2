import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { Principal } from "../../src/core/wire/gen/interceptors.ts";
import { createAuthenticate, resourceMetadata, type AuthenticateOptions } from "../../src/gateway/auth.ts";
import { allowPrincipals, claimsOfRules, type AllowRule } from "../../src/gateway/auth-rules.ts";
import { createTokenList } from "../../src/gateway/auth-tokens.ts";
import { listenHttp } from "../../src/node/http-listener.ts";
import { fakeHost } from "../support/fake-host.ts";
import { send } from "../support/http-exchange.ts";
import { AUDIENCE, CLAIMS, ISSUER, keyFor, NOW, request } from "./auth-kit.ts";

const TOKEN = "a-token-of-enough-characters";
const ALICE: Principal = { type: "user", id: "alice", claims: { scope: "read write" } };

test("a token of the list says who calls, by itself or by its digest, until it expires", async () => {
  const host = fakeHost();
  const bob: Principal = { type: "service", id: "bob" };
  const sha256 = createHash("sha256").update(`${TOKEN}-2`).digest("hex");
  const check = createAuthenticate({ host, tokens: [{ token: TOKEN, principal: ALICE }, { sha256, principal: bob, expiresAt: NOW * 1000 + 1_000 }] });
  assert.deepEqual(await check(request(TOKEN)), { principal: ALICE });
  assert.deepEqual(await check(request(`${TOKEN}-2`)), { principal: bob });
  const unknown = { challenge: { error: "invalid_token", description: "the token is not known" } };
  for (const wrong of [`${TOKEN}-3`, TOKEN.slice(0, -1), TOKEN.toUpperCase()]) assert.deepEqual(await check(request(wrong)), unknown);
  await host.advance(1_000);
  assert.deepEqual(await check(request(`${TOKEN}-2`)), unknown);
  assert.deepEqual(await check(request()), { challenge: {} });
});

test("a list with a token that cannot be is refused, and the token is not in the message", () => {
  for (const tokens of [
    [{ token: "short", principal: ALICE }],
    [{ token: `${TOKEN} with spaces`, principal: ALICE }],
    [{ sha256: "abc", principal: ALICE }],
    [{ token: TOKEN, principal: { type: "admin" } as never }],
    [{ token: TOKEN, principal: ALICE }, { token: TOKEN, principal: { type: "service" } as const }],
  ]) {
    assert.throws(() => createTokenList(tokens), (thrown: Error) => !thrown.message.includes(TOKEN) && !thrown.message.includes("short"));
  }
  assert.throws(() => createAuthenticate({}), { code: "invalid_argument" });
});

test("a JWT goes to the issuer that it names, and a list beside is looked at first", async () => {
  const key = await keyFor("ES256");
  const log: string[] = [];
  const jwt = [ISSUER, "https://second.example"].map((issuer) => ({ issuer, audience: AUDIENCE, keys: { keys: [key.jwk] } }));
  const check = createAuthenticate({ host: fakeHost(), tokens: [{ token: TOKEN, principal: ALICE }], jwt, log: (text) => log.push(text) });
  assert.deepEqual(await check(request(TOKEN)), { principal: ALICE });
  assert.deepEqual(await check(request(await key.sign({ ...CLAIMS, iss: "https://second.example" }))), {
    principal: { type: "user", id: "alice", claims: { iss: "https://second.example" } },
  });
  const stranger = await key.sign({ ...CLAIMS, iss: "https://third.example" });
  assert.deepEqual(await check(request(stranger)), { challenge: { error: "invalid_token", description: "the token is not known" } });
  assert.deepEqual(await check(request(await key.sign({ ...CLAIMS, exp: NOW - 600 }))), { challenge: { error: "invalid_token", description: "the token has expired" } });
  assert.deepEqual(log, ["a caller was turned away: the token is not known", "a caller was turned away: the token has expired"]);
});

test("nobody is let in as anonymous who brings a token that is not good, or goes where a scope is needed", async () => {
  const options: AuthenticateOptions = { anonymous: true, tokens: [{ token: TOKEN, principal: ALICE }] };
  const check = createAuthenticate({ ...options, scopes: ({ path }) => (path === "/admin/mcp" ? ["admin"] : []) });
  assert.deepEqual(await check(request()), { principal: { type: "anonymous" } });
  assert.ok("challenge" in (await check(request("a-token-that-is-not-known"))));
  assert.deepEqual(await check(request(undefined, { headers: { authorization: "Basic YTpi" } })), { challenge: {} });
  assert.deepEqual(await check(request(undefined, { path: "/admin/mcp" })), { challenge: { scope: "admin" } });
  assert.deepEqual(await check(request(TOKEN, { path: "/admin/mcp" })), {
    challenge: { error: "insufficient_scope", description: "the token lacks a scope that is needed here", scope: "admin" },
  });
});

test("who is turned away over and over fills no log", async () => {
  const host = fakeHost();
  const log: string[] = [];
  const check = createAuthenticate({ host, tokens: [{ token: TOKEN, principal: ALICE }], log: (text) => log.push(text) });
  for (let count = 0; count < 25; count++) await check(request("a-token-that-is-not-known"));
  assert.equal(log.length, 10);
  await host.advance(1_000);
  await check(request("a-token-that-is-not-known"));
  assert.deepEqual(log.slice(10), ["15 more callers were turned away", "a caller was turned away: the token is not known"]);
});

test("rules let in whoever fits one of them", () => {
  const user = (claims: Record<string, unknown>, id = "alice"): Principal => ({ type: "user", id, claims });
  const cases: readonly (readonly [rules: readonly AllowRule[], principal: Principal | undefined, allowed: boolean])[] = [
    [[], user({}), false],
    [[{ type: "user" }], user({}), true],
    [[{ type: "service" }], user({}), false],
    [[{ type: "user" }], undefined, false],
    [[{ type: "anonymous" }], undefined, true],
    [[{ id: ["bob", "alice"] }], user({}), true],
    [[{ id: "bob" }], user({}), false],
    [[{ id: "undefined" }], { type: "user" }, false],
    [[{ claims: { groups: "ops" } }], user({ groups: ["dev", "ops"] }), true],
    [[{ claims: { groups: "ops" } }], user({ groups: "ops" }), true],
    [[{ claims: { groups: "ops" } }], user({ groups: "devops" }), false],
    [[{ claims: { groups: ["ops", "sec"], tenant: "a" } }], user({ groups: ["sec"], tenant: "a" }), true],
    [[{ claims: { groups: ["ops", "sec"], tenant: "a" } }], user({ groups: ["sec"], tenant: "b" }), false],
    [[{ claims: { admin: true } }], user({ admin: "true" }), false],
    [[{ claims: { toString: "x" } }], user({}), false],
    [[{ scopes: ["read"] }], user({ scope: "write read" }), true],
    [[{ scopes: ["read", "write"] }], user({ scp: ["read"] }), false],
    [[{ id: "bob" }, { scopes: ["read"] }], user({ scp: ["read"] }), true],
  ];
  for (const [rules, principal, allowed] of cases) assert.equal(allowPrincipals(rules)(principal), allowed, JSON.stringify([rules, principal]));
  for (const rule of [{}, { id: undefined }, { claim: { a: "b" } }]) assert.throws(() => allowPrincipals([rule as never]), { code: "invalid_argument" });
  assert.deepEqual(claimsOfRules([{ claims: { a: 1, b: 2 } }, { claims: { a: 3 }, scopes: ["x"] }]), ["a", "b", "scope", "scp"]);
});

test("metadata tells clients where tokens are to be had", async () => {
  const handler = resourceMetadata({ resource: "https://mcp.example.com/", authorizationServers: [ISSUER], scopes: ["read"] });
  const common = { authorization_servers: [ISSUER], bearer_methods_supported: ["header"], scopes_supported: ["read"] };
  const get = (path: string, method = "GET") => send(handler, { method, path });
  assert.deepEqual(await get("/.well-known/oauth-protected-resource").json(), { resource: "https://mcp.example.com/", ...common });
  assert.deepEqual(await get("/.well-known/oauth-protected-resource/files/mcp").json(), { resource: "https://mcp.example.com/files/mcp", ...common });
  for (const path of ["/", "/.well-known/oauth-protected-resourceful", '/.well-known/oauth-protected-resource/"', "/mcp"]) assert.equal(await get(path).status(), 404, path);
  assert.equal(await get("/.well-known/oauth-protected-resource", "POST").status(), 405);
});

test("over a real socket a caller without a token is told where to get one, and one with a token comes in", async () => {
  const check = createAuthenticate({ tokens: [{ token: TOKEN, principal: ALICE }] });
  const otherwise = resourceMetadata({ resource: "http://127.0.0.1", authorizationServers: [ISSUER] });
  const listener = await listenHttp({ authenticate: check, resourceMetadata: "http://127.0.0.1/.well-known/oauth-protected-resource", otherwise });
  try {
    const post = (headers: Record<string, string>) =>
      fetch(listener.url, { method: "POST", headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers }, body: "{}" });
    const refused = await post({});
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get("www-authenticate"), 'Bearer resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource"');
    const bad = await post({ authorization: "Bearer a-token-that-is-not-known" });
    assert.deepEqual([bad.status, bad.headers.get("www-authenticate")?.startsWith('Bearer error="invalid_token"')], [401, true]);
    assert.ok(!(await bad.text()).includes("a-token"));
    assert.equal((await post({ authorization: `Bearer ${TOKEN}` })).status, 400, "past the door: an empty object is no message");
    assert.equal((await fetch(new URL("/.well-known/oauth-protected-resource", listener.url))).status, 200);
  } finally {
    await listener.close();
  }
});
