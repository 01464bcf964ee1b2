import { toHex, utf8Encode } from "../core/base/bytes.ts";
import { canonicalText } from "../core/base/canonical-text.ts";
import { isObject, type JsonObject, ownMember, setMember } from "../core/base/json.ts";
import { sha256 } from "../core/base/sha256.ts";
import { invalid } from "./config.ts";

/** Digests of tools by name, as a lock file holds them; or by server, and then by name. */
export type ToolLock = { readonly [name: string]: string | { readonly [tool: string]: string } };

/** `sha256:` and 64 hexadecimal digits, over the definition's JSON text with sorted members: all of it counts, `_meta` too. */
export function toolDigest(tool: unknown): string {
  return `sha256:${toHex(sha256(utf8Encode(canonicalText(tool))))}`;
}

/** The lock of tools as a `tools/list` result has them, in their order; print it with `JSON.stringify`. What has no name is left out. */
export function toolLock(tools: readonly unknown[]): Record<string, string> {
  const lock: JsonObject = {};
  for (const tool of tools) {
    const name = isObject(tool) ? ownMember(tool, "name") : undefined;
    if (typeof name === "string") setMember(lock, name, toolDigest(tool));
  }
  // Each member has just been set to a text.
  return lock as Record<string, string>;
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const digestSchema: JsonObject = { type: "string", pattern: DIGEST.source };

/** The member `lock` of a config. */
export const lockSchema: JsonObject = {
  anyOf: [{ type: "object", additionalProperties: { anyOf: [digestSchema, { type: "object", additionalProperties: digestSchema }] } }, { type: "string" }],
};

/** The digest that a lock has for a tool of a server; undefined where it has none. */
export type LockedDigest = (tool: string, server: string | undefined) => string | undefined;

/** Reads the member `lock` of a config: an object, or its JSON text. */
export function readLock(value: unknown, owner: string): LockedDigest | undefined {
  if (value === undefined) return undefined;
  const lock = typeof value === "string" ? parseLock(value, owner) : value;
  if (!isObject(lock)) throw invalid(owner, "lock", "must be an object of digests, or its JSON text");
  for (const [name, entry] of Object.entries(lock)) {
    const entries = isObject(entry) ? Object.entries(entry) : [[name, entry] as const];
    const wrong = entries.find(([, digest]) => typeof digest !== "string" || !DIGEST.test(digest));
    if (wrong !== undefined) throw invalid(owner, `lock, ${JSON.stringify(wrong[0])}`, 'must be "sha256:" and 64 hexadecimal digits, as toolLock gives them');
  }
  return (tool, server) => {
    const byServer = server === undefined ? undefined : ownMember(lock, server);
    const digest = isObject(byServer) ? ownMember(byServer, tool) : ownMember(lock, tool);
    return typeof digest === "string" ? digest : undefined;
  };
}

function parseLock(text: string, owner: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(owner, "lock", "is a text that is no JSON");
  }
}
