import type { JsonObject } from "../core/base/json.ts";

/** A list of names and `prefix*` in a config. */
export const patternsSchema: JsonObject = { type: "array", items: { type: "string", pattern: "^[^*]*\\*?$", minLength: 1 } };

/** A name, or a prefix with one `*` after it. */
export function isNamePattern(text: string): boolean {
  return text !== "" && !text.slice(0, -1).includes("*");
}

/** What is wrong with a text that is none, for errors. */
export const NO_NAME_PATTERN = "must be a name, or a prefix with one * after it";

/**
 * Whether a name is one of the patterns: an exact name, or `prefix*`, which stands for every name that starts with the prefix. Code points
 * are compared as they are: no case folding, no normalisation.
 */
export function compilePatterns(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith("*")));
  const prefixes = patterns.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));
  return (name) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
