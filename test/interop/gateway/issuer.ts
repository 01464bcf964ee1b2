// Who gives out tokens, for gateways that take an issuer's.
import { createSign, generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Issuer {
  /** The file with its keys. */
  readonly jwks: string;
  /** Good for ten minutes, for the issuer and the audience that the examples name by default. */
  tokenFor(subject: string, claims?: Readonly<Record<string, unknown>>): string;
}

/** An issuer whose keys are in a file of this folder. */
export function createIssuer(folder: string): Issuer {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwks = join(folder, "jwks.json");
  writeFileSync(jwks, JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "k", use: "sig", alg: "RS256" }] }));
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  return {
    jwks,
    tokenFor(subject, claims = {}) {
      const now = Math.floor(Date.now() / 1000);
      const body = { iss: "https://login.example.com", aud: "mcp-gateway", sub: subject, ...claims, iat: now, exp: now + 600 };
      const signed = `${encode({ alg: "RS256", kid: "k" })}.${encode(body)}`;
      return `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey, "base64url")}`;
    },
  };
}
