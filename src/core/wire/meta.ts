import { equalJson, isObject, ownMember, setMember, type JsonObject } from "../base/json.ts";

/** Our additions to the SEP, in `_meta` of descriptors (the first three), of `interceptor/invoke` (the next two), and of a payload that is a part of a stream. */
export const OWN_META = {
  handlesErrors: "org.mcp-interceptors/handlesErrors",
  withRequest: "org.mcp-interceptors/withRequest",
  timeoutMs: "org.mcp-interceptors/timeoutMs",
  request: "org.mcp-interceptors/request",
  revalidation: "org.mcp-interceptors/revalidation",
  window: "org.mcp-interceptors/window",
} as const;

// Keys without a prefix that MCP has taken (basic/index, `_meta`): progress, and W3C trace context.
const RESERVED_KEYS: ReadonlySet<string> = new Set(["progressToken", "traceparent", "tracestate", "baggage"]);

/**
 * Whether a `_meta` key belongs to the protocol: one of the short ones, or any key whose prefix has `modelcontextprotocol` or `mcp` as
 * its second label (`io.modelcontextprotocol/…`, `dev.mcp/…`, `com.mcp.tools/…`; not `com.example.mcp/…`).
 */
export function isReservedMetaKey(key: string): boolean {
  if (RESERVED_KEYS.has(key)) return true;
  // Without a copy of any part: a judged message has this asked of each of its keys, several times.
  const slash = key.indexOf("/");
  const second = key.indexOf(".") + 1;
  if (second === 0 || second > slash) return false;
  const end = key.indexOf(".", second);
  const length = (end < 0 || end > slash ? slash : end) - second;
  return (length === 3 && key.startsWith("mcp", second)) || (length === 20 && key.startsWith("modelcontextprotocol", second));
}

/**
 * What goes on after a mutation: the mutated payload, but each reserved key of `_meta` exactly as it was before, which means restored,
 * reset or taken out. Returns `after` itself where nothing has to be put right, and never changes either payload. A `_meta` that
 * was not there before and would be left empty is left out.
 */
export function restoreReservedMeta(before: JsonObject, after: JsonObject): JsonObject {
  const had = ownMember(before, "_meta");
  const has = ownMember(after, "_meta");
  const original = isObject(had) ? had : {};
  const reserved = Object.keys(original).filter((key) => isReservedMetaKey(key) && original[key] !== undefined);
  if (!isObject(has)) {
    // A `_meta` of a wrong type stays where there is nothing to restore: whoever checks the final payload refuses it.
    if (reserved.length === 0) return after;
    return { ...after, _meta: pick(original, reserved) };
  }
  const kept = Object.keys(has).filter((key) => has[key] !== undefined);
  const changed =
    reserved.some((key) => !Object.hasOwn(has, key) || !equalJson(original[key], has[key])) ||
    kept.some((key) => isReservedMetaKey(key) && !reserved.includes(key));
  if (!changed) return after;

  const meta: JsonObject = {};
  for (const key of kept) {
    if (!isReservedMetaKey(key)) setMember(meta, key, has[key]);
    else if (reserved.includes(key)) setMember(meta, key, original[key]);
  }
  for (const key of reserved) if (!Object.hasOwn(meta, key)) setMember(meta, key, original[key]);
  const { _meta: _dropped, ...rest } = after;
  return had === undefined && Object.keys(meta).length === 0 ? rest : { ...after, _meta: meta };
}

function pick(source: JsonObject, keys: readonly string[]): JsonObject {
  const picked: JsonObject = {};
  for (const key of keys) setMember(picked, key, source[key]);
  return picked;
}
