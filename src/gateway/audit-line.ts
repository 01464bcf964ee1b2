import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { LocalError } from "../core/base/errors.ts";
import { scanJson } from "../core/base/json-text.ts";
import { isObject, ownMember, type JsonObject } from "../core/base/json.ts";

// A line is one JSON object whose last member is `hash`: over the line's bytes before that member, which have the hash of the line before in them. So
// a verifier needs no canonical form, and no line can be changed, taken out, put in or moved without breaking the next one of its writer.

/** Where a chain stands: what the next line has to go on from. */
export interface Link {
  /** Names one chain; random, and the same over restarts and rotated files. */
  readonly writer: string;
  /** Of the last line, from 1; 0 before the first. */
  readonly seq: number;
  /** Of the last line; {@link FIRST} before the first. */
  readonly hash: string;
}

export const FIRST = "0".repeat(64);
/** Bytes of one line, far above what a record can take. */
export const MAX_LINE_BYTES = 1024 * 1024;
const VERSION = 1;
/** What each line begins with. */
export const LINE_START = `{"v":${VERSION},"writer":"`;
const TAIL = /^(.*),"hash":"([0-9a-f]{64})"\}$/s;

export type Hasher = (text: string) => string;

/** SHA-256, or HMAC-SHA256 with a key: then nobody without it can write a chain anew that holds. */
export function createHasher(key: string | undefined): Hasher {
  if (key === undefined) return (text) => createHash("sha256").update(text).digest("hex");
  if (key === "") throw new LocalError("invalid_argument", "an empty key keeps nothing secret");
  const secret = createHmac("sha256", key).update("mcp-interceptors audit chain").digest();
  return (text) => createHmac("sha256", secret).update(text).digest("hex");
}

/** The next line of a chain, line end included, and where the chain stands after it. */
export function nextLine(hasher: Hasher, { writer, seq, hash: prev }: Link, record: Readonly<Record<string, unknown>>): { readonly text: string; readonly link: Link } {
  const head = JSON.stringify({ v: VERSION, writer, seq: seq + 1, prev, ...record }).slice(0, -1);
  const hash = hasher(head);
  return { text: `${head},"hash":"${hash}"}\n`, link: { writer, seq: seq + 1, hash } };
}

export interface ReadLine {
  readonly link: Link;
  readonly prev: string;
  readonly record: JsonObject;
}

/** Reads a line without its end; a text says what is wrong with it, taken alone. */
export function readLine(hasher: Hasher, text: string): ReadLine | string {
  const match = TAIL.exec(text);
  const record = scanJson(text).value;
  if (match === null || !isObject(record)) return "it is no line of an audit log";
  const [, head = "", hash = ""] = match;
  if (!timingSafeEqual(Buffer.from(hasher(head), "hex"), Buffer.from(hash, "hex"))) return "its hash does not fit what it says";
  const [version, writer, seq, prev] = ["v", "writer", "seq", "prev"].map((member) => ownMember(record, member));
  if (version !== VERSION) return `it is of version ${JSON.stringify(version)}, which is not known here`;
  if (typeof writer !== "string" || typeof prev !== "string" || typeof seq !== "number" || !Number.isSafeInteger(seq) || seq < 1) return "it does not say its place";
  return { link: { writer, seq, hash }, prev, record };
}
