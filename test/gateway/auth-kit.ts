// Keys and tokens for the tests of who may call.
import { webcrypto } from "node:crypto";
import type { JsonObject } from "../../src/core/base/json.ts";
import type { AuthenticationRequest } from "../../src/core/http/authentication.ts";
import type { HttpAnswer, HttpSend } from "../../src/core/http/exchange.ts";
import { signatureOf } from "../../src/gateway/auth-algorithms.ts";
import { fakeHost } from "../support/fake-host.ts";
import { NEVER } from "../support/never.ts";

const { subtle } = webcrypto;
const BASE64URL = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64url");

export interface TestKey {
  readonly jwk: JsonObject;
  /** A token of these claims; `header` over the usual one. */
  sign(claims: unknown, header?: JsonObject): Promise<string>;
}

const made = new Map<string, Promise<TestKey>>();

/** A key pair for an algorithm, made once for each name. */
export function keyFor(algorithm: string, kid = algorithm, bits = 2048): Promise<TestKey> {
  const name = `${algorithm} ${kid} ${bits}`;
  const known = made.get(name) ?? makeKey(algorithm, kid, bits);
  made.set(name, known);
  return known;
}

async function makeKey(algorithm: string, kid: string, bits: number): Promise<TestKey> {
  const { import: parameters, verify } = signatureOf(algorithm)!;
  const generation = parameters.name.startsWith("RSA") ? { ...parameters, modulusLength: bits, publicExponent: new Uint8Array([1, 0, 1]) } : parameters;
  const pair = (await subtle.generateKey(generation as webcrypto.RsaHashedKeyGenParams, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair;
  const { kty, n, e, crv, x, y } = await subtle.exportKey("jwk", pair.publicKey);
  const members = Object.entries({ kty, n, e, crv, x, y }).filter(([, value]) => value !== undefined);
  return {
    jwk: { ...Object.fromEntries(members), kid },
    async sign(claims, header = {}) {
      const signed = `${BASE64URL(JSON.stringify({ alg: algorithm, kid, ...header }))}.${BASE64URL(typeof claims === "string" ? claims : JSON.stringify(claims))}`;
      return `${signed}.${BASE64URL(new Uint8Array(await subtle.sign(verify, pair.privateKey, Buffer.from(signed))))}`;
    },
  };
}

export const ISSUER = "https://issuer.example";
export const AUDIENCE = "https://mcp.example.com";
/** Seconds since the epoch when a fake host begins. */
export const NOW = fakeHost().wallTime() / 1000;
export const CLAIMS = { iss: ISSUER, aud: AUDIENCE, sub: "alice", exp: NOW + 600, iat: NOW - 10 };

export function request(token?: string, { path = "/mcp", headers = {} }: { path?: string; headers?: Record<string, string> } = {}): AuthenticationRequest {
  return { method: "POST", path, headers: new Map(Object.entries(headers)), signal: NEVER, token };
}

export function answerOf(status: number, body: string): HttpAnswer {
  const chunks = [Buffer.from(body)];
  return { status, headers: new Map(), body: { next: () => Promise.resolve(chunks.shift()), cancel: () => {} } };
}

/** A key set behind a URL: what it answers can be changed, and requests are counted. */
export function keyServer(keys: readonly JsonObject[]) {
  const server = {
    asked: 0,
    answer: (): Promise<HttpAnswer> => Promise.resolve(answerOf(200, JSON.stringify({ keys }))),
    send: (() => {
      server.asked++;
      return server.answer();
    }) as HttpSend,
    serve: (next: readonly JsonObject[]) => void (server.answer = () => Promise.resolve(answerOf(200, JSON.stringify({ keys: next })))),
  };
  return server;
}
