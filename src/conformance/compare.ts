import { isObject, type JsonObject } from "../core/base/json.ts";
import { canonicalJson } from "./canonical.ts";

/** What a vector expects in a place that differs from run to run: `{ "$volatile": KIND }`, with one of these kinds. */
const VOLATILE = "$volatile";
const KINDS: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map<unknown, (value: unknown) => boolean>([
  ["integer", (value) => Number.isInteger(value) && Number(value) >= 0],
  ["timestamp", (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value)],
  ["trace-id", (value) => typeof value === "string" && /^(?!0{32})[0-9a-f]{32}$/.test(value)],
  ["span-id", (value) => typeof value === "string" && /^(?!0{16})[0-9a-f]{16}$/.test(value)],
  ["text", (value) => typeof value === "string" && value !== ""],
]);

/** The two canonical texts: equal exactly where the vector is met. Volatile places are checked for their kind and blotted out. */
export function canonicalPair(expected: unknown, actual: unknown): { readonly expected: string; readonly actual: string } {
  return { expected: canonicalJson(expected), actual: canonicalJson(blot(actual, expected)) };
}

function blot(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(expected) && Array.isArray(actual)) return actual.map((item, at) => blot(item, expected[at]));
  if (!isObject(expected)) return actual;
  if (Object.hasOwn(expected, VOLATILE)) return KINDS.get(expected[VOLATILE])?.(actual) === true ? expected : actual;
  if (!isObject(actual)) return actual;
  return Object.fromEntries(Object.entries(actual).map(([name, value]) => [name, blot(value, Object.hasOwn(expected, name) ? expected[name] : undefined)]));
}

// What the protocol's revisions add to each result; it says nothing of interceptors.
const OF_THE_PROTOCOL: ReadonlySet<string> = new Set(["_meta", "resultType", "ttlMs", "cacheScope"]);

/** A result without what a revision of the protocol adds at its top. */
export function withoutProtocolMembers(result: unknown): unknown {
  if (!isObject(result)) return result;
  return Object.fromEntries(Object.entries(result).filter(([name]) => !OF_THE_PROTOCOL.has(name)));
}

/** An error as a vector looks at it: its code, and of message and data what the vector expects to see. */
export function visibleError(thrown: unknown, expected: unknown): JsonObject | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown) || typeof thrown.code !== "number") return undefined;
  const wanted = isObject(expected) && isObject(expected["error"]) ? expected["error"] : {};
  // An error object can be read by any name.
  const seen = thrown as unknown as JsonObject;
  const members = ["message", "data"].filter((name) => Object.hasOwn(wanted, name));
  return { code: thrown.code, ...Object.fromEntries(members.map((name) => [name, seen[name]])) };
}
