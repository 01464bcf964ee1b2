import { webcrypto } from "node:crypto";
import { utf8DecodeExact } from "../core/base/bytes.ts";
import { describeError, LocalError } from "../core/base/errors.ts";
import { detectHost, type Host } from "../core/base/host.ts";
import { scanJson } from "../core/base/json-text.ts";
import { isObject, ownMember, type JsonObject } from "../core/base/json.ts";
import { createSignal } from "../core/base/signal.ts";
import type { HttpSend } from "../core/http/exchange.ts";
import { readRegularFile } from "../node/read-file.ts";
import { isLoopbackUrl, readAnswer } from "./small-http.ts";
import { fits, importKey } from "./auth-algorithms.ts";

/** Where public keys come from: a JSON Web Key Set (RFC 7517) at a URL, in a file, or given. */
export type KeyOrigin = { readonly url: string } | { readonly file: string } | { readonly keys: readonly JsonObject[] };

/** How an issuer's keys are read and kept (RFC 7517). */
export interface KeySetOptions {
  /** Keys are read anew when they are this old, beside the call that notices. Default 600,000 ms. */
  readonly refreshMs?: number;
  /** Keys that could not be read anew are not used beyond this age. Default 86,400,000 ms, a day. */
  readonly maxAgeMs?: number;
  /** Between two readings there is at least this, however many tokens name keys that nobody knows. Default 30,000 ms. */
  readonly cooldownMs?: number;
  /** How long one reading may take. Default 5,000 ms. */
  readonly timeoutMs?: number;
  /** Reads them at once, so that the log tells what is wrong before anybody has sent a token. Default false: when they are first needed. */
  readonly early?: boolean;
  /** Carries requests to a URL; needed there. */
  readonly send?: HttpSend;
  readonly host?: Host;
  /** Told why a reading came to nothing, once per reading. */
  log?(message: string): void;
}

/** A key and its name, ready for one algorithm. */
export type VerifyKey = webcrypto.CryptoKey;

export interface KeySet {
  /**
   * Keys that may have made a signature: with the name that the token gives, or all that fit where it gives none; at most {@link MAX_CANDIDATES}. Empty:
   * nobody knows such a key. Rejects with `closed` where no keys could be read.
   */
  find(algorithm: string, kid: string | undefined): Promise<readonly VerifyKey[]>;
  /**
   * A number that goes up with each reading that brought other keys: what was verified before has to be verified again. Rejects as `find` does.
   */
  current(): Promise<number>;
}

const MAX_BYTES = 256 * 1024;
const MAX_KEYS = 100;
const MAX_CANDIDATES = 8;

/** Keys that are read when first needed, kept, and read anew when old or when a token names one that is not among them; readings are rate limited. */
export function createKeySet(origin: KeyOrigin, options: KeySetOptions = {}): KeySet {
  const { refreshMs = 600_000, maxAgeMs = 86_400_000, cooldownMs = 30_000, timeoutMs = 5_000, early = false, host = detectHost(), log } = options;
  const load = loaderOf(origin, options, timeoutMs, host);
  // WebCrypto's, whoever provides it: the slot of a host is any object.
  const subtle = (host.subtle ?? webcrypto.subtle) as webcrypto.SubtleCrypto;
  let keys: readonly JsonObject[] | undefined;
  let text = "";
  let readAt = -Infinity;
  let triedAt = -Infinity;
  let generation = 0;
  let reading: Promise<void> | undefined;
  // By algorithm and place in `keys`; of the present generation.
  let imported = new Map<string, Promise<VerifyKey | undefined>>();

  const read = async () => {
    try {
      const next = await load();
      readAt = host.now();
      if (next === text) return;
      keys = parseKeys(next);
      text = next;
      generation++;
      imported = new Map();
    } catch (thrown) {
      log?.(`the key set${placeOf(origin)} could not be read: ${describeError(thrown)}`);
    }
  };
  // One reading for all that ask meanwhile. Undefined: it is too soon for another one.
  const readAgain = (): Promise<void> | undefined => {
    if (reading !== undefined) return reading;
    if (host.now() - triedAt < cooldownMs) return undefined;
    triedAt = host.now();
    return (reading = read().finally(() => (reading = undefined)));
  };
  const candidates = (algorithm: string, kid: string | undefined) =>
    (keys ?? []).map((jwk, index) => ({ jwk, index })).filter(({ jwk }) => (kid === undefined || ownMember(jwk, "kid") === kid) && fits(jwk, algorithm));
  const ready = (algorithm: string, jwk: JsonObject, index: number) => {
    const name = `${algorithm} ${index}`;
    const known = imported.get(name);
    if (known !== undefined) return known;
    const key = importKey(subtle, jwk, algorithm).catch((thrown: unknown) => {
      log?.(`a key of the key set cannot be used: ${describeError(thrown)}`);
      return undefined;
    });
    imported.set(name, key);
    return key;
  };

  const current = async () => {
    const age = host.now() - readAt;
    if (keys === undefined || age > maxAgeMs) await readAgain();
    else if (age > refreshMs) void readAgain();
    if (keys === undefined || host.now() - readAt > maxAgeMs) throw new LocalError("closed", "there are no keys to verify tokens with");
    return generation;
  };

  if (early) void readAgain();
  return {
    current,
    async find(algorithm, kid) {
      await current();
      if (candidates(algorithm, kid).length === 0) await readAgain();
      const found = await Promise.all(candidates(algorithm, kid).slice(0, MAX_CANDIDATES).map(({ jwk, index }) => ready(algorithm, jwk, index)));
      return found.filter((key): key is VerifyKey => key !== undefined);
    },
  };
}

/**
 * Reads a key set once. Rejects with why nobody's tokens can be verified by it: it cannot be read, is no JSON Web Key Set, or has no key for any of the
 * algorithms.
 */
export async function readKeySet(origin: KeyOrigin, algorithms: readonly string[], options: Pick<KeySetOptions, "timeoutMs" | "send" | "host"> = {}): Promise<void> {
  const { timeoutMs = 5_000, host = detectHost() } = options;
  const keys = parseKeys(await loaderOf(origin, options, timeoutMs, host)());
  if (keys.length === 0) throw new LocalError("invalid_argument", "it has no public key");
  const subtle = (host.subtle ?? webcrypto.subtle) as webcrypto.SubtleCrypto;
  let why = `it has no key for ${algorithms.join(", ")}`;
  for (const algorithm of algorithms) {
    for (const jwk of keys.filter((key) => fits(key, algorithm))) {
      try {
        await importKey(subtle, jwk, algorithm);
        return;
      } catch (thrown) {
        why = `its keys cannot be used: ${describeError(thrown)}`;
      }
    }
  }
  throw new LocalError("invalid_argument", why);
}

function placeOf(origin: KeyOrigin): string {
  return "url" in origin ? ` at ${origin.url}` : "file" in origin ? ` in ${origin.file}` : "";
}

function loaderOf(origin: KeyOrigin, { send }: KeySetOptions, timeoutMs: number, host: Host): () => Promise<string> {
  if ("keys" in origin) {
    const text = JSON.stringify({ keys: origin.keys });
    parseKeys(text);
    return () => Promise.resolve(text);
  }
  if ("file" in origin) {
    return async () => {
      try {
        return utf8DecodeExact(readRegularFile(origin.file, MAX_BYTES)) ?? "";
      } catch (thrown) {
        throw thrown instanceof LocalError ? new LocalError(thrown.code, `it ${thrown.message}`) : thrown;
      }
    };
  }
  const { url } = origin;
  if (send === undefined) throw new LocalError("invalid_argument", "a key set at a URL needs send");
  // Whoever can change what comes back can make tokens.
  if (!url.startsWith("https://") && !isLoopbackUrl(url)) throw new LocalError("invalid_argument", "a key set comes over https, or from this machine");
  return async () => {
    const { status, body } = await readAnswer(host, send, { method: "GET", url, headers: [["accept", "application/json"]], signal: createSignal().signal }, { timeoutMs, maxBytes: MAX_BYTES });
    if (status !== 200) throw new LocalError("closed", `it was answered with status ${status}`);
    return body;
  };
}

/** Reads a key set; keys of types that nobody signs tokens with, the symmetric ones among them, are left out. */
function parseKeys(text: string): readonly JsonObject[] {
  const { value, refusal } = scanJson(text, { maxDepth: 16 });
  const keys = isObject(value) ? ownMember(value, "keys") : undefined;
  if (!Array.isArray(keys)) throw new LocalError("invalid_argument", `it is no JSON Web Key Set${refusal === undefined ? "" : `: ${refusal.code}`}`);
  if (keys.length > MAX_KEYS) throw new LocalError("limit_exceeded", `it has more than ${MAX_KEYS} keys`);
  return keys.filter((key): key is JsonObject => isObject(key) && ["RSA", "EC", "OKP"].includes(String(ownMember(key, "kty"))));
}
