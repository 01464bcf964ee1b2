import { LocalError } from "../base/errors.ts";
import { isObject, ownMember, type JsonObject } from "../base/json.ts";
import type { Implementation } from "../wire/gen/mcp.ts";
import { META } from "../wire/versions.ts";

/** How long, and by whom, a result may be reused (2026-07-28, server/utilities/caching). */
export interface CacheHints {
  /** Milliseconds; 0 is never. */
  readonly ttlMs: number;
  /** `public`: the same for all callers, whatever they are allowed. */
  readonly cacheScope: "public" | "private";
}

/** Reused by nobody: right for every server. */
export const NO_CACHE: CacheHints = Object.freeze({ ttlMs: 0, cacheScope: "private" });

const CACHEABLE: ReadonlySet<string> = new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

/** Adds what every result of a stateless revision carries; what the handler has set itself stays. */
export function completeResult(method: string, result: JsonObject, serverInfo: Implementation, hints: CacheHints): JsonObject {
  const resultType = ownMember(result, "resultType") ?? "complete";
  const meta = ownMember(result, "_meta");
  const cache = resultType === "complete" && CACHEABLE.has(method) ? hints : undefined;
  return { ...cache, ...result, resultType, _meta: { [META.serverInfo]: serverInfo, ...(isObject(meta) ? meta : {}) } };
}

/**
 * Gives back a result that is final; an older server's has no `resultType`. Throws `unsupported` where the server asks for input first,
 * and `invalid_message` for a type that nobody has announced (2026-07-28, basic/index, ResultType).
 */
export function finalResult(method: string, result: JsonObject, knownTypes: ReadonlySet<string>): JsonObject {
  const resultType = ownMember(result, "resultType");
  if (resultType === undefined || resultType === "complete") return result;
  if (typeof resultType === "string" && knownTypes.has(resultType)) return result;
  if (resultType === "input_required") {
    const requests = ownMember(result, "inputRequests");
    throw new LocalError("unsupported", `the server wants input before it completes ${method}, and this client gives none`, {
      details: { resultType, inputRequests: isObject(requests) ? Object.keys(requests) : [] },
    });
  }
  throw new LocalError("invalid_message", `the result of ${method} has an unknown resultType`, {
    details: { resultType: typeof resultType === "string" ? resultType : null },
  });
}
