import { createHash, timingSafeEqual } from "node:crypto";
import { LocalError } from "../core/base/errors.ts";
import { checkPrincipal, type Principal } from "../core/wire/gen/interceptors.ts";

/** A bearer token that an operator has handed out: itself, or the SHA-256 of its text in hexadecimal, so that the list holds no secret. */
export type StaticToken = ({ readonly token: string } | { readonly sha256: string }) & {
  readonly principal: Principal;
  /** Milliseconds since the epoch from which on it is no longer good. */
  readonly expiresAt?: number;
};

/** Whose a token is, if it is on the list. */
export type TokenList = (token: string, nowMs: number) => Principal | undefined;

const SHORTEST = 16;

/**
 * Looks tokens up in a list. Only digests are kept and compared, each time with all of the list and in constant time, so that the time says nothing about
 * how much of a guess was right. Throws `invalid_argument` for what cannot be, and never with a token in it.
 */
export function createTokenList(tokens: readonly StaticToken[]): TokenList {
  const known = tokens.map((entry, index) => {
    const where = `token ${index + 1} of the list`;
    const problem = checkPrincipal(entry.principal);
    if (problem !== undefined) throw new LocalError("invalid_argument", `${where}: its principal is none: ${problem.path} ${problem.reason}`);
    return { digest: digestOf(entry, where), principal: entry.principal, expiresAt: entry.expiresAt ?? Infinity };
  });
  if (new Set(known.map(({ digest }) => digest.toString("hex"))).size < known.length) throw new LocalError("conflict", "a token is on the list twice");
  return (token, nowMs) => {
    const digest = sha256(token);
    let found: Principal | undefined;
    for (const entry of known) {
      if (timingSafeEqual(entry.digest, digest) && nowMs < entry.expiresAt) found = entry.principal;
    }
    return found;
  };
}

function digestOf(entry: StaticToken, where: string): Buffer {
  if ("sha256" in entry) {
    if (!/^[0-9a-f]{64}$/i.test(entry.sha256)) throw new LocalError("invalid_argument", `${where}: sha256 must be 64 hexadecimal digits`);
    return Buffer.from(entry.sha256, "hex");
  }
  // What the header can carry, see `bearerToken` in core/http/authentication.ts.
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(entry.token)) throw new LocalError("invalid_argument", `${where} has characters that a bearer token cannot have`);
  if (entry.token.length < SHORTEST) throw new LocalError("invalid_argument", `${where} has fewer than ${SHORTEST} characters, and could be guessed`);
  return sha256(entry.token);
}

export function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
