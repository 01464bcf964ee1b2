import { isObject, type JsonObject } from "../core/base/json.ts";
import { canonicalJson } from "./canonical.ts";

/** What a vector expects in a place that differs from run to run: `{ "$volatile": "integer" }`, a whole number from 0. */
const VOLATILE = "$volatile";

/** The two canonical texts: equal exactly where the vector is met. Volatile places are checked for their kind and blotted out. */
export function canonicalPair(expected: unknown, actual: unknown): { readonly expected: string; readonly actual: string } {
  return { expected: canonicalJson(expected), actual: canonicalJson(blot(actual, expected)) };
}

function blot(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(expected) && Array.isArray(actual)) return actual.map((item, at) => blot(item, expected[at]));
  if (!isObject(expected)) return actual;
  if (Object.hasOwn(expected, VOLATILE)) return Number.isInteger(actual) && Number(actual) >= 0 ? expected : actual;
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
