import { base64Decode, base64Encode, utf8Decode, utf8Encode } from "../base/bytes.ts";
import { LocalError, RpcError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { sha256 } from "../base/sha256.ts";
import { invalidParams } from "./lifecycle.ts";

/** What a state is good for. All members are texts; the state is refused where one of them differs. */
export type Binding = Readonly<Record<"principal" | "method" | "params", string>>;

/**
 * States that a client keeps for the server (2026-07-28, basic/patterns/mrtr): JSON with an expiry and a binding, under HMAC-SHA-256. The
 * client can read it, and can present it again until it expires; it cannot change it, nor use it for anything else.
 */
export interface SealedStates {
  /** Whether a text claims to come from here; cheap, and no proof. */
  looksSealed(text: string): boolean;
  seal(content: JsonObject, binding: Binding): Promise<string>;
  /** The content. Rejects with the `RpcError` -32602 that says why a state is not taken: tampered with, of another key, expired, or foreign. */
  open(text: string, binding: Binding): Promise<JsonObject>;
  /** SHA-256 of a JSON value whatever the order of its members, as base64url. */
  digest(value: unknown): Promise<string>;
}

export interface SealOptions {
  readonly host: Host;
  /** At least 32 bytes each: the first one seals, all of them open. Random by default, and then no other process opens what this one sealed. */
  readonly keys?: Uint8Array | readonly Uint8Array[];
  /** How long a state is taken. Default: ten minutes, as people are asked. */
  readonly ttlMs?: number;
}

/** What we use of WebCrypto. */
interface Subtle {
  digest(algorithm: "SHA-256", bytes: Uint8Array): Promise<ArrayBuffer>;
  importKey(format: "raw", key: Uint8Array, algorithm: object, extractable: false, usages: readonly string[]): Promise<unknown>;
  sign(algorithm: "HMAC", key: unknown, bytes: Uint8Array): Promise<ArrayBuffer>;
}
type Mac = (bytes: Uint8Array) => Promise<Uint8Array>;

const PREFIX = "sealed1.";
const MIN_KEY_BYTES = 32;
const BLOCK_BYTES = 64;

export function createSealedStates({ host, keys: given, ttlMs = 600_000 }: SealOptions): SealedStates {
  if (!(ttlMs > 0)) throw new LocalError("invalid_argument", "stateTtlMs must be a positive number of milliseconds");
  const fixed = given === undefined ? undefined : ownKeys(given);
  // The slot is typed as an object, since core has no platform types; whoever fills it gives WebCrypto's `subtle`.
  const subtle = host.subtle as Subtle | undefined;
  let macs: readonly Mac[] | undefined;
  // Made when it is first needed: most servers never ask, and a host without a random source need not have one.
  const allMacs = () => (macs ??= (fixed ?? [host.random(new Uint8Array(MIN_KEY_BYTES))]).map((key) => createMac(key, subtle)));
  const tagged = (mac: Mac, body: string) => mac(utf8Encode(PREFIX + body, host));

  return {
    looksSealed: (text) => text.startsWith(PREFIX),
    async seal(content, binding) {
      const state = { expires: host.wallTime() + ttlMs, binding, content };
      const body = base64Encode(utf8Encode(JSON.stringify(state), host), "url");
      const tag = await tagged(allMacs()[0]!, body);
      return `${PREFIX}${body}.${base64Encode(tag, "url")}`;
    },
    async open(text, binding) {
      const [body = "", tag = "", ...rest] = text.slice(PREFIX.length).split(".", 3);
      const given = base64Decode(tag, "url");
      let genuine = false;
      if (text.startsWith(PREFIX) && rest.length === 0 && given !== undefined) {
        for (const mac of allMacs()) genuine = sameBytes(await tagged(mac, body), given) || genuine;
      }
      const state = genuine ? readState(body, host) : undefined;
      if (state === undefined) throw refused("is not what this server gave out");
      if (!(state.expires > host.wallTime())) throw refused("has expired: start the request anew");
      for (const member of ["principal", "method", "params"] as const) {
        if (state.binding[member] !== binding[member]) throw refused(`belongs to a request with another ${member === "params" ? "content" : member}`);
      }
      return state.content;
    },
    async digest(value) {
      const bytes = utf8Encode(canonicalJson(value), host);
      return base64Encode(subtle === undefined ? sha256(bytes) : new Uint8Array(await subtle.digest("SHA-256", bytes)), "url");
    },
  };
}

function refused(why: string): RpcError {
  return invalidParams(`params.requestState ${why}`);
}

function readState(body: string, host: Host): { expires: number; binding: JsonObject; content: JsonObject } | undefined {
  const bytes = base64Decode(body, "url");
  if (bytes === undefined) return undefined;
  // Its tag was right, so that it is text of ours; a key that is shared with something else is still no reason to fall over.
  try {
    const { expires, binding, content }: JsonObject = JSON.parse(utf8Decode(bytes, host)) as JsonObject;
    return typeof expires === "number" && isObject(binding) && isObject(content) ? { expires, binding, content } : undefined;
  } catch {
    return undefined;
  }
}

function ownKeys(given: Uint8Array | readonly Uint8Array[]): readonly Uint8Array[] {
  const list: readonly Uint8Array[] = ArrayBuffer.isView(given) ? [given] : given;
  if (list.length === 0 || list.some((key) => !ArrayBuffer.isView(key) || key.byteLength < MIN_KEY_BYTES)) {
    throw new LocalError("invalid_argument", `stateKey takes keys of at least ${MIN_KEY_BYTES} bytes`);
  }
  return list.map((key) => Uint8Array.from(key));
}

function createMac(key: Uint8Array, subtle: Subtle | undefined): Mac {
  if (subtle === undefined) return (bytes) => Promise.resolve(hmacSha256(key, bytes));
  const imported = subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  // Whoever uses the key gets the rejection.
  imported.catch(() => {});
  return async (bytes) => new Uint8Array(await subtle.sign("HMAC", await imported, bytes));
}

/** HMAC (RFC 2104) over our own SHA-256, for hosts without WebCrypto. */
export function hmacSha256(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key);
  const padded = (pad: number, message: Uint8Array) => {
    const joined = new Uint8Array(BLOCK_BYTES + message.length);
    block.forEach((byte, index) => (joined[index] = byte ^ pad));
    joined.set(message, BLOCK_BYTES);
    return joined;
  };
  return sha256(padded(0x5c, sha256(padded(0x36, bytes))));
}

// In a time that does not tell how many bytes are right.
function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length;
  left.forEach((byte, index) => (difference |= byte ^ (right[index] ?? 0)));
  return difference === 0;
}

/** JSON text that is the same for equal values. The value is from a message, whose depth is bounded. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value).filter((member) => value[member] !== undefined).sort();
  return `{${members.map((member) => `${JSON.stringify(member)}:${canonicalJson(value[member])}`).join(",")}}`;
}
