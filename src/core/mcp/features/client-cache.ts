import { ownMember, type JsonObject } from "../../base/json.ts";
import type { Host } from "../../base/host.ts";
import type { Limits } from "../../base/limits.ts";

/**
 * The results of one connection that its server lets us reuse (2026-07-28, server/utilities/caching). Kept as JSON text: whoever gets one has
 * a copy of their own, and its size is known. Bounded by `maxCachedResults` and `maxCachedChars`; what was used longest ago goes first.
 */
export interface ResultCache {
  /** A result that is still fresh. */
  find(method: string, params: JsonObject): JsonObject | undefined;
  /** To be called when a request goes out; what it returns keeps the answer, unless the like of it was evicted in the meantime. */
  expect(method: string, params: JsonObject): (result: JsonObject) => void;
  /** Forgets the results of a method: all of them, or those for one resource. */
  evict(method: string, uri?: string): void;
}

interface Entry {
  readonly method: string;
  readonly uri: unknown;
  readonly text: string;
  readonly freshUntil: number;
}

export function createResultCache(host: Host, limits: Limits, principal: () => string): ResultCache {
  // In the order of use, as a Map keeps that of insertion.
  const entries = new Map<string, Entry>();
  let chars = 0;
  let evictions = 0;

  const drop = (key: string) => {
    chars -= entries.get(key)?.text.length ?? 0;
    entries.delete(key);
  };
  const keep = (key: string, entry: Entry) => {
    drop(key);
    if (entry.text.length > limits.maxCachedChars) return;
    entries.set(key, entry);
    chars += entry.text.length;
    for (const oldest of entries.keys()) {
      if (entries.size <= limits.maxCachedResults && chars <= limits.maxCachedChars) break;
      drop(oldest);
    }
  };

  return {
    find(method, params) {
      for (const caller of [PUBLIC, principal()]) {
        const key = keyOf(caller, method, params);
        const entry = key === undefined ? undefined : entries.get(key);
        if (key === undefined || entry === undefined) continue;
        drop(key);
        if (host.now() >= entry.freshUntil) continue;
        keep(key, entry);
        // It was an object when it was written.
        return JSON.parse(entry.text) as JsonObject;
      }
      return undefined;
    },
    expect(method, params) {
      const caller = principal();
      const before = evictions;
      return (result) => {
        const ttlMs = ownMember(result, "ttlMs");
        if (typeof ttlMs !== "number" || !(ttlMs > 0) || evictions !== before) return;
        const key = keyOf(ownMember(result, "cacheScope") === "public" ? PUBLIC : caller, method, params);
        if (key !== undefined) keep(key, { method, uri: params["uri"], text: JSON.stringify(result), freshUntil: host.now() + ttlMs });
      };
    },
    evict(method, uri) {
      evictions++;
      for (const [key, entry] of entries) if (entry.method === method && (uri === undefined || entry.uri === uri)) drop(key);
    },
  };
}

// No principal is `null`, so that no name a principal has can stand for everybody.
const PUBLIC = null;

function keyOf(caller: string | null, method: string, params: JsonObject): string | undefined {
  try {
    return JSON.stringify([caller, method, params]);
  } catch {
    // Whoever sends such params hears of it from the transport.
    return undefined;
  }
}
