import { ErrorCode, LocalError, RpcError } from "../base/errors.ts";
import { isObject, ownMember, type JsonObject } from "../base/json.ts";
import type { Implementation } from "../wire/gen/mcp.ts";
import { META } from "../wire/versions.ts";
import type { Era } from "./lifecycle.ts";

/** How long, and by whom, a result may be reused (2026-07-28, server/utilities/caching). */
export interface CacheHints {
  /** Milliseconds; 0 is never. */
  readonly ttlMs: number;
  /** `public`: the same for all callers, whatever they are allowed. */
  readonly cacheScope: "public" | "private";
}

/** Reused by nobody: right for every server. */
export const NO_CACHE: CacheHints = Object.freeze({ ttlMs: 0, cacheScope: "private" });

const CACHEABLE = ["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"] as const;

/** Hints for all cacheable results, or one by one. */
export type CacheOption = CacheHints | { readonly [method in (typeof CACHEABLE)[number]]?: CacheHints };

/** The hints for each cacheable method. */
export type CacheTable = ReadonlyMap<string, CacheHints>;

/** Refuses hints that the protocol does not know, by name. */
export function resolveCache(option: CacheOption = NO_CACHE): CacheTable {
  const all = "ttlMs" in option ? option : undefined;
  const table = new Map<string, CacheHints>();
  for (const method of CACHEABLE) table.set(method, all ?? ("ttlMs" in option ? undefined : option[method]) ?? NO_CACHE);
  for (const [method, { ttlMs, cacheScope }] of table) {
    if (!Number.isSafeInteger(ttlMs) || ttlMs < 0 || (cacheScope !== "public" && cacheScope !== "private")) {
      throw new LocalError("invalid_argument", `cache for ${method} takes ttlMs, an integer of at least 0, and cacheScope, "public" or "private"`);
    }
  }
  const stray = all === undefined ? Object.keys(option).find((method) => !table.has(method)) : undefined;
  if (stray !== undefined) throw new LocalError("invalid_argument", `cache: results of ${stray} are not cacheable`);
  return table;
}

/** Adds what every result of a stateless revision carries; what the handler has set itself stays. */
export function completeResult(method: string, result: JsonObject, serverInfo: Implementation, cacheTable: CacheTable): JsonObject {
  const resultType = ownMember(result, "resultType") ?? "complete";
  const meta = ownMember(result, "_meta");
  const cache = resultType === "complete" ? cacheTable.get(method) : undefined;
  return { ...cache, ...result, resultType, _meta: { [META.serverInfo]: serverInfo, ...(isObject(meta) ? meta : {}) } };
}

/** Whether a handler's result is of a type of its own, and not the whole answer. Older revisions have no such results, and no client reads them. */
export function isInterim(result: JsonObject, era: Era): boolean {
  const resultType = ownMember(result, "resultType") ?? "complete";
  if (resultType === "complete") return false;
  if (era === "stateless") return true;
  throw new RpcError(ErrorCode.internalError, "The handler's result needs revision 2026-07-28: one that asks by its context serves all revisions");
}
