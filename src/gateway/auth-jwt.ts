import { webcrypto } from "node:crypto";
import { base64Decode, utf8DecodeExact } from "../core/base/bytes.ts";
import { LocalError } from "../core/base/errors.ts";
import { detectHost } from "../core/base/host.ts";
import { scanJson } from "../core/base/json-text.ts";
import { isObject, ownMember, type JsonObject } from "../core/base/json.ts";
import type { Principal } from "../core/wire/gen/interceptors.ts";
import { assertAlgorithms, DEFAULT_ALGORITHMS, signatureOf, type JwtAlgorithm } from "./auth-algorithms.ts";
import { createKeySet, type KeyOrigin, type KeySetOptions } from "./auth-jwks.ts";
import { sha256 } from "./auth-tokens.ts";

/** An issuer whose signed tokens are good (RFC 7519), and what they must say. */
export interface JwtOptions extends KeySetOptions {
  readonly keys: KeyOrigin;
  /** What `iss` must be, to the letter. */
  readonly issuer: string;
  /** What `aud` must be or have: the name of this gateway, so that a token for another service is no good here. */
  readonly audience: string | readonly string[];
  /** Default {@link DEFAULT_ALGORITHMS}. Symmetric ones and `none` cannot be had. */
  readonly algorithms?: readonly JwtAlgorithm[];
  /** How far clocks may be apart, for `exp`, `nbf` and `iat`. Default 60,000 ms. */
  readonly clockSkewMs?: number;
  /** Tokens issued longer ago than this are refused, and so are those that do not say (`iat`). Default: no such limit. */
  readonly maxTokenAgeMs?: number;
  /** The claim that names the caller. Default `sub`. */
  readonly idClaim?: string;
  /** What callers are. Default `user`. */
  readonly principalType?: Principal["type"];
  /** Claims that interceptors and rules see, besides `iss`, which is always among them. Default `scope` and `client_id`. */
  readonly claims?: readonly string[];
}

/** `problem` is for the caller and the log: it holds nothing of the token. */
export type JwtOutcome = { readonly principal: Principal; readonly problem?: undefined } | { readonly problem: string; readonly principal?: undefined };

export interface JwtVerifier {
  readonly issuer: string;
  /** Never rejects because of the token; with `closed` where there are no keys to verify anything with. */
  verify(token: string): Promise<JwtOutcome>;
}

const MAX_TOKEN_CHARS = 16_384;
const MAX_VERIFIED = 1_000;
const TYPES: ReadonlySet<string> = new Set(["jwt", "at+jwt", "application/at+jwt", "application/jwt"]);

/**
 * Verifies JSON Web Tokens (RFC 7519, RFC 8725): the algorithm must be allowed and fit the key, which comes from the key set alone, never from the token;
 * then the signature, then issuer, audience and times. What was verified is kept by digest, so that a token that comes again costs no signature, and
 * its times are looked at each time.
 */
export function createJwtVerifier(options: JwtOptions): JwtVerifier {
  const { issuer, algorithms = DEFAULT_ALGORITHMS, clockSkewMs = 60_000, host = detectHost() } = options;
  assertAlgorithms(algorithms);
  const audiences = typeof options.audience === "string" ? [options.audience] : options.audience;
  if (issuer === "" || audiences.length === 0 || audiences.includes("")) throw new LocalError("invalid_argument", "issuer and audience must be given");
  if (!(clockSkewMs >= 0 && clockSkewMs <= 600_000)) throw new LocalError("invalid_argument", "clockSkewMs must be from 0 to 600000");
  const keySet = createKeySet(options.keys, options);
  // The slot of a host is any object; WebCrypto's is this.
  const subtle = (host.subtle ?? webcrypto.subtle) as webcrypto.SubtleCrypto;
  let verified = new Map<string, JsonObject>();
  let generation = -1;

  const claimsOf = async (token: string): Promise<JsonObject | string> => {
    const parts = token.split(".");
    const [header, payload] = [readPart(parts[0]), readPart(parts[1])];
    const signature = base64Decode(parts[2] ?? "", "url");
    if (parts.length !== 3 || header === undefined || payload === undefined || signature === undefined) return "the token is no signed JWT";
    const [alg, kid, typ] = [ownMember(header, "alg"), ownMember(header, "kid"), ownMember(header, "typ")];
    const allowed = algorithms.find((name) => name === alg);
    const how = allowed === undefined ? undefined : signatureOf(allowed);
    if (allowed === undefined || how === undefined) return "the token is signed by an algorithm that is not allowed";
    // What must be understood, and is not (RFC 7515, section 4.1.11).
    if (Object.hasOwn(header, "crit")) return "the token has critical extensions";
    if (typ !== undefined && !(typeof typ === "string" && TYPES.has(typ.toLowerCase()))) return "the token is of another type";
    if (kid !== undefined && (typeof kid !== "string" || kid.length > 1_024)) return "the token names its key in no way that is known";
    const signed = Buffer.from(`${parts[0]}.${parts[1]}`);
    for (const key of await keySet.find(allowed, kid)) {
      if (await subtle.verify(how.verify, key, signature, signed)) return payload;
    }
    return "the token is not signed by a known key";
  };
  const known = async (token: string): Promise<JsonObject | string> => {
    // Keys that have changed, or have grown too old, hold for those who came before as well.
    const current = await keySet.current();
    if (generation !== current) {
      verified = new Map();
      generation = current;
    }
    const digest = sha256(token).toString("base64");
    const before = verified.get(digest);
    if (before !== undefined) return before;
    const mine = verified;
    const claims = await claimsOf(token);
    if (typeof claims === "string") return claims;
    const [oldest] = mine.keys();
    if (oldest !== undefined && mine.size >= MAX_VERIFIED) mine.delete(oldest);
    mine.set(digest, claims);
    return claims;
  };

  return {
    issuer,
    async verify(token) {
      if (token.length > MAX_TOKEN_CHARS) return { problem: "the token is too long" };
      const claims = await known(token);
      if (typeof claims === "string") return { problem: claims };
      const problem = problemOf(claims, { ...options, audiences, clockSkewMs }, host.wallTime());
      return problem === undefined ? principalOf(claims, options) : { problem };
    },
  };
}

/** The issuer that an unverified token claims, to find whose keys to ask; no reason to believe anything. */
export function claimedIssuer(token: string): string | undefined {
  if (token.length > MAX_TOKEN_CHARS) return undefined;
  const issuer = ownMember(readPart(token.split(".", 2)[1]) ?? {}, "iss");
  return typeof issuer === "string" ? issuer : undefined;
}

interface Demands extends Pick<JwtOptions, "issuer" | "maxTokenAgeMs"> {
  readonly audiences: readonly string[];
  readonly clockSkewMs: number;
}

function problemOf(claims: JsonObject, { issuer, audiences, clockSkewMs, maxTokenAgeMs }: Demands, nowMs: number): string | undefined {
  const seconds = (name: string): number | undefined | "wrong" => {
    const value = ownMember(claims, name);
    return value === undefined || (typeof value === "number" && value >= 0) ? value : "wrong";
  };
  const [exp, nbf, iat] = [seconds("exp"), seconds("nbf"), seconds("iat")];
  const aud = ownMember(claims, "aud");
  const meant: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (ownMember(claims, "iss") !== issuer) return "the token is from another issuer";
  if (!audiences.some((audience) => meant.includes(audience))) return "the token is for another audience";
  if (exp === undefined || exp === "wrong" || nbf === "wrong" || iat === "wrong") return "the token does not say from when to when it is good";
  if (nowMs >= exp * 1000 + clockSkewMs) return "the token has expired";
  if (nbf !== undefined && nowMs < nbf * 1000 - clockSkewMs) return "the token is not good yet";
  if (iat !== undefined && nowMs < iat * 1000 - clockSkewMs) return "the token was issued in the future";
  if (maxTokenAgeMs !== undefined && (iat === undefined || nowMs - iat * 1000 > maxTokenAgeMs + clockSkewMs)) return "the token was issued too long ago";
  return undefined;
}

function principalOf(claims: JsonObject, { idClaim = "sub", principalType = "user", claims: shown = ["scope", "client_id"] }: JwtOptions): JwtOutcome {
  const id = ownMember(claims, idClaim);
  if (typeof id !== "string" || id === "" || id.length > 1_024) return { problem: `the token does not say who calls (${idClaim})` };
  const seen: JsonObject = {};
  for (const name of ["iss", ...shown]) {
    if (Object.hasOwn(claims, name) && name !== "__proto__") seen[name] = claims[name];
  }
  return { principal: { type: principalType, id, claims: seen } };
}

function readPart(part: string | undefined): JsonObject | undefined {
  const bytes = part === undefined ? undefined : base64Decode(part, "url");
  const text = bytes === undefined ? undefined : utf8DecodeExact(bytes);
  // Duplicate keys are refused: of `alg` and `aud` there can be one only.
  const value = text === undefined ? undefined : scanJson(text, { maxDepth: 16 }).value;
  return isObject(value) ? value : undefined;
}
