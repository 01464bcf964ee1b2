import { compareCodePoints } from "./compare-code-points.ts";
import { isObject } from "./json.ts";

/** Text that is the same for equal JSON values: members sorted by name. Lone surrogates stay apart, as JSON.stringify escapes them. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return `{${names.sort(compareCodePoints).map((name) => `${JSON.stringify(name)}:${canonicalText(value[name])}`).join(",")}}`;
}
