import { equalJson } from "./json.ts";

/** Whether a text is JSON of a value, in whatever spelling. */
export function isJsonOf(text: unknown, value: unknown): boolean {
  if (typeof text !== "string") return false;
  // Most text is prose, which need not be parsed to its end.
  if (typeof value === "object" && value !== null && !/^\s*[[{]/.test(text)) return false;
  try {
    return equalJson(JSON.parse(text), value);
  } catch {
    return false;
  }
}
