import type { webcrypto } from "node:crypto";
import { LocalError } from "../core/base/errors.ts";
import { ownMember, type JsonObject } from "../core/base/json.ts";

/**
 * Signatures of JSON Web Tokens (RFC 7518, RFC 8037, RFC 9864) that can be allowed. All of them are of key pairs: whoever can check one of these cannot
 * make it. `none` and the symmetric ones are not in the table, so that no option can let them in.
 */
export type JwtAlgorithm = "RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512" | "EdDSA" | "Ed25519";

interface Signature {
  readonly kty: "RSA" | "EC" | "OKP";
  readonly crv?: string;
  readonly import: webcrypto.RsaHashedImportParams | webcrypto.EcKeyImportParams | { readonly name: "Ed25519" };
  readonly verify: webcrypto.RsaPssParams | webcrypto.EcdsaParams | { readonly name: string };
}

const rsa = (bits: number): Signature => ({ kty: "RSA", import: { name: "RSASSA-PKCS1-v1_5", hash: `SHA-${bits}` }, verify: { name: "RSASSA-PKCS1-v1_5" } });
const pss = (bits: number): Signature => ({ kty: "RSA", import: { name: "RSA-PSS", hash: `SHA-${bits}` }, verify: { name: "RSA-PSS", saltLength: bits / 8 } });
const ec = (bits: number, crv: string): Signature => ({
  kty: "EC",
  crv,
  import: { name: "ECDSA", namedCurve: crv },
  verify: { name: "ECDSA", hash: `SHA-${bits}` },
});
const ed25519: Signature = { kty: "OKP", crv: "Ed25519", import: { name: "Ed25519" }, verify: { name: "Ed25519" } };

const SIGNATURES: ReadonlyMap<string, Signature> = new Map<JwtAlgorithm, Signature>([
  ["RS256", rsa(256)],
  ["RS384", rsa(384)],
  ["RS512", rsa(512)],
  ["PS256", pss(256)],
  ["PS384", pss(384)],
  ["PS512", pss(512)],
  ["ES256", ec(256, "P-256")],
  ["ES384", ec(384, "P-384")],
  ["ES512", ec(512, "P-521")],
  ["EdDSA", ed25519],
  ["Ed25519", ed25519],
]);

/** The signatures of tokens that are taken unless others are named; see {@link JwtAlgorithm}. */
export const DEFAULT_ALGORITHMS: readonly JwtAlgorithm[] = ["RS256", "PS256", "ES256", "ES384", "EdDSA", "Ed25519"];
const FEWEST_RSA_BITS = 2048;

export function signatureOf(algorithm: string): Signature | undefined {
  return SIGNATURES.get(algorithm);
}

/** Throws `invalid_argument` for what is no signature of a key pair. */
export function assertAlgorithms(algorithms: readonly string[]): void {
  if (algorithms.length === 0) throw new LocalError("invalid_argument", "algorithms must name one at least");
  for (const name of algorithms) {
    if (!SIGNATURES.has(name)) {
      throw new LocalError("invalid_argument", `algorithms cannot have ${JSON.stringify(name)}; known are ${[...SIGNATURES.keys()].join(", ")}`);
    }
  }
}

/** Whether a public key (RFC 7517) may check signatures of this algorithm: by its type, its curve, and what it says it is for. */
export function fits(jwk: JsonObject, algorithm: string): boolean {
  const signature = SIGNATURES.get(algorithm);
  if (signature === undefined || ownMember(jwk, "kty") !== signature.kty) return false;
  if (signature.crv !== undefined && ownMember(jwk, "crv") !== signature.crv) return false;
  const [use, operations, meant] = [ownMember(jwk, "use"), ownMember(jwk, "key_ops"), ownMember(jwk, "alg")];
  if (use !== undefined && use !== "sig") return false;
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes("verify"))) return false;
  return meant === undefined || meant === algorithm || (SIGNATURES.get(String(meant)) === ed25519 && signature === ed25519);
}

/** The key for `verify`. Rejects where it is none, and for RSA keys that are too short. Only public members are read. */
export async function importKey(subtle: webcrypto.SubtleCrypto, jwk: JsonObject, algorithm: string): Promise<webcrypto.CryptoKey> {
  const signature = SIGNATURES.get(algorithm);
  if (signature === undefined) throw new LocalError("unsupported", `there is no algorithm ${algorithm}`);
  const key: webcrypto.JsonWebKey = { kty: signature.kty };
  for (const member of ["n", "e", "crv", "x", "y"] as const) {
    const value = ownMember(jwk, member);
    if (typeof value === "string") key[member] = value;
  }
  const imported = await subtle.importKey("jwk", key, signature.import, false, ["verify"]);
  const { algorithm: details } = imported;
  if ("modulusLength" in details && !(typeof details.modulusLength === "number" && details.modulusLength >= FEWEST_RSA_BITS)) {
    throw new LocalError("invalid_argument", `an RSA key needs ${FEWEST_RSA_BITS} bits or more`);
  }
  return imported;
}
