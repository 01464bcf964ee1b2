import { LocalError } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";

/**
 * The one text of a JSON value by RFC 8785: members in the order of UTF-16 code units, numbers as ECMAScript writes them, no blanks.
 * Members that are `undefined` are left out. Throws `not_json` for what I-JSON cannot carry: a number that is not finite, a lone surrogate,
 * `undefined` in a list, a function. The depth is the caller's to bound.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (isObject(value)) {
    const names = Object.keys(value).filter((name) => value[name] !== undefined);
    // Without an argument, `sort` compares code units, as the RFC does.
    return `{${names.sort().map((name) => `${text(name)}:${canonicalJson(value[name])}`).join(",")}}`;
  }
  if (typeof value === "string") return text(value);
  if (value === null || typeof value === "boolean") return String(value);
  // Adding 0 turns -0 into 0.
  if (typeof value === "number" && Number.isFinite(value)) return String(value + 0);
  throw new LocalError("not_json", `JSON cannot carry ${typeof value === "number" ? String(value) : `a value of type ${typeof value}`}`);
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function text(value: string): string {
  if (LONE_SURROGATE.test(value)) throw new LocalError("not_json", "a text holds half a surrogate pair");
  return JSON.stringify(value);
}
