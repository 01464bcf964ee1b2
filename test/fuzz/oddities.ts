// What is valid and odd: members that naive code trips over, and texts that two parsers may read in two ways.
import { setMember, type JsonObject } from "../../src/core/base/json.ts";
import type { Random } from "../support/random.ts";

const ODD_MEMBERS: readonly (readonly [kind: string, name: string, value: unknown])[] = [
  ["prototype-name", "__proto__", { polluted: true }],
  ["prototype-name", "constructor", { prototype: { polluted: true } }],
  ["prototype-name", "toString", "x"],
  ["line-separator", "text", "before\u2028after\u2029end"],
  ["lone-surrogate", "half", "\ud800 and \udfff"],
  ["odd-name", "", 0],
  ["odd-name", "a/b~c", "\u0000"],
  ["deep", "deep", nested(40)],
  ["wide", "wide", Array.from({ length: 200 }, (_none, at) => at)],
];

/** Adds up to three odd members, anywhere below the message's params or result. */
export function plantOddities(random: Random, value: unknown, kinds: string[]): void {
  for (let left = 1 + random.below(3); left > 0; left--) {
    const [kind, name, odd] = random.pick(ODD_MEMBERS);
    const place = somewhere(random, value);
    if (place === undefined) return;
    setMember(place, name, structuredClone(odd));
    kinds.push(kind);
  }
}

/** Adds one of the marks, anywhere below params, result or error. */
export function markSomewhere(random: Random, value: unknown, marks: readonly string[], kinds: string[]): void {
  const place = somewhere(random, value);
  if (place === undefined) return;
  place["mark"] = random.pick(marks);
  kinds.push("marked");
}

/** The same message in a text that a second parser may read differently: numbers past 2^53, many digits, escapes for what needs none. */
export function oddText(random: Random, text: string, kinds: string[]): string {
  switch (random.below(3)) {
    case 0:
      kinds.push("big-number");
      return text.replace(/"com\.example\/canary"/, () => `"n":${random.pick(["1915883588174806058", "1.10", "1E+2", "-0", "0.1e-6"])},"com.example/canary"`);
    case 1:
      kinds.push("escaped-name");
      return text.replace(/"method"|"result"/, (name) => `"\\u00${name.charCodeAt(1).toString(16)}${name.slice(2)}`);
    default:
      kinds.push("blanks");
      return ` \t${text.replace(/,"/, ' ,\t"')} `;
  }
}

function somewhere(random: Random, value: unknown): JsonObject | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  // A message is an object of ours, whose parts are JSON.
  const { params, result, error } = value as JsonObject;
  const places: JsonObject[] = [];
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null || places.length > 50) return;
    if (!Array.isArray(part)) places.push(part as JsonObject);
    for (const item of Object.values(part)) visit(item);
  };
  visit(params ?? result ?? error);
  return places.length === 0 ? undefined : random.pick(places);
}

export function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { x: value };
  return value;
}
