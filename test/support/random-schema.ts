import type { Random } from "./random.ts";

const NAMES = ["a", "b", "__proto__", "constructor", "a/b", ""];
const PATTERNS = ["^a", "(a+)+$", "[^b]", "\\d{2,}", "^.*b.*$"];

/** A JSON value that random schemas have a chance to fit. */
export function randomValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 8 : 5);
  if (kind === 0) return random.pick([0, -0, 1, 1.5, -3, 1e300, 0.1]);
  if (kind === 1) return random.pick(["", "a", "ab", "💩", "aaaaaaaaab", "12"]);
  if (kind === 2) return random.pick([true, false, null]);
  if (kind <= 4) return random.below(4);
  if (kind <= 5) return Array.from({ length: random.below(4) }, () => randomValue(random, depth - 1));
  return Object.fromEntries(Array.from({ length: random.below(4) }, () => [random.pick(NAMES), randomValue(random, depth - 1)]));
}

const LEAVES: readonly unknown[] = [true, false, {}, { type: "string" }, { type: ["integer", "null"] }, { minimum: 1 }];

/** Mostly sound schemas, with a wrong keyword or a bad reference now and then. */
export function randomSchema(random: Random, depth: number): unknown {
  if (depth === 0 || random.next() < 0.1) return random.pick(LEAVES);
  const sub = () => randomSchema(random, depth - 1);
  const list = () => Array.from({ length: 1 + random.below(3) }, sub);
  const map = (names: readonly string[]) => Object.fromEntries(Array.from({ length: random.below(3) }, () => [random.pick(names), sub()]));
  const keywords: Record<string, () => unknown> = {
    type: () => (random.next() < 0.01 ? "wrong" : random.pick<unknown>(["object", "array", "string", "number", ["boolean", "null"]])),
    const: () => randomValue(random, 1),
    enum: () => [randomValue(random, 1), randomValue(random, 2)],
    minimum: () => random.below(3),
    multipleOf: () => random.pick([0.1, 1, 2]),
    minLength: () => random.below(3),
    maxLength: () => random.below(9),
    pattern: () => random.pick(PATTERNS),
    format: () => "email",
    required: () => [random.pick(NAMES)],
    minProperties: () => random.below(2),
    properties: () => map(NAMES),
    patternProperties: () => map(PATTERNS),
    additionalProperties: sub,
    propertyNames: sub,
    dependentRequired: () => ({ [random.pick(NAMES)]: [random.pick(NAMES)] }),
    dependentSchemas: () => map(NAMES),
    items: sub,
    prefixItems: list,
    contains: sub,
    minContains: () => random.below(3),
    maxContains: () => random.below(3),
    uniqueItems: () => random.pick([true, false]),
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: sub,
    if: sub,
    then: sub,
    else: sub,
    unevaluatedProperties: sub,
    unevaluatedItems: sub,
    $ref: () => (random.next() < 0.02 ? "#/none" : random.pick(["#", "#/$defs/x", "#/$defs/y", "#leaf", "#leaf"])),
    $dynamicRef: () => random.pick(["#node", "#leaf"]),
  };
  const names = Object.keys(keywords);
  return Object.fromEntries(
    Array.from({ length: 1 + random.below(3) }, () => {
      const keyword = random.pick(names);
      return [keyword, keywords[keyword]?.()];
    }),
  );
}
