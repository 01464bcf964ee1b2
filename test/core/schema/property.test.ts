import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError } from "../../../src/core/base/errors.ts";
import { compileSchema, type CompiledSchema } from "../../../src/core/schema/schema.ts";
import { seededRandom, type Random } from "../../support/random.ts";

const SEED = 2_624;
const NAMES = ["a", "b", "__proto__", "constructor", "a/b", ""];
const PATTERNS = ["^a", "(a+)+$", "[^b]", "\\d{2,}", "^.*b.*$"];

function randomValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 8 : 5);
  if (kind === 0) return random.pick([0, -0, 1, 1.5, -3, 1e300, 0.1]);
  if (kind === 1) return random.pick(["", "a", "ab", "💩", "aaaaaaaaab", "12"]);
  if (kind === 2) return random.pick([true, false, null]);
  if (kind <= 4) return random.below(4);
  if (kind <= 5) return Array.from({ length: random.below(4) }, () => randomValue(random, depth - 1));
  return Object.fromEntries(Array.from({ length: random.below(4) }, () => [random.pick(NAMES), randomValue(random, depth - 1)]));
}

/** Mostly sound schemas, with a wrong keyword or a bad reference now and then. */
function randomSchema(random: Random, depth: number): unknown {
  if (depth === 0 || random.next() < 0.1) return random.pick<unknown>([true, false, {}, { type: "string" }, { type: ["integer", "null"] }, { minimum: 1 }]);
  const sub = () => randomSchema(random, depth - 1);
  const list = () => Array.from({ length: 1 + random.below(3) }, sub);
  const map = (names: readonly string[]) => Object.fromEntries(Array.from({ length: random.below(3) }, () => [random.pick(names), sub()]));
  const keywords: Record<string, () => unknown> = {
    type: () => random.pick<unknown>(["object", "array", "string", "number", ["boolean", "null"], "wrong"].slice(0, random.next() < 0.02 ? 6 : 5)),
    const: () => randomValue(random, 1), enum: () => [randomValue(random, 1), randomValue(random, 2)], minimum: () => random.below(3), multipleOf: () => random.pick([0.1, 1, 2]),
    minLength: () => random.below(3), maxLength: () => random.below(9), pattern: () => random.pick(PATTERNS), required: () => [random.pick(NAMES)],
    properties: () => map(NAMES), patternProperties: () => map(PATTERNS), additionalProperties: sub, propertyNames: sub, minProperties: () => random.below(2),
    dependentRequired: () => ({ [random.pick(NAMES)]: [random.pick(NAMES)] }), dependentSchemas: () => map(NAMES), items: sub, prefixItems: list, contains: sub,
    minContains: () => random.below(3), maxContains: () => random.below(3), uniqueItems: () => random.pick([true, false]), allOf: list, anyOf: list, oneOf: list, not: sub, if: sub,
    then: sub, else: sub, unevaluatedProperties: sub, unevaluatedItems: sub, $dynamicRef: () => random.pick(["#node", "#leaf"]),
    $ref: () => random.pick(["#", "#/$defs/x", "#leaf", "#/$defs/y", "#leaf", random.next() < 0.05 ? "#/none" : "#leaf"]), format: () => "email",
  };
  const names = Object.keys(keywords);
  return Object.fromEntries(
    Array.from({ length: 1 + random.below(3) }, () => {
      const keyword = random.pick(names);
      return [keyword, keywords[keyword]?.()];
    }),
  );
}

test("compiles or refuses any schema, and any value fits or not, the same for check and checkAll", () => {
  const random = seededRandom(SEED);
  const counts = { refused: 0, fits: 0, fails: 0 };
  for (let round = 0; round < 3_000; round++) {
    const schema = {
      ...(randomSchema(random, 3) as object),
      $defs: { x: randomSchema(random, 2), y: randomSchema(random, 2), leaf: { $dynamicAnchor: "leaf" }, ...(random.next() < 0.3 ? { node: { $dynamicAnchor: "node", type: "object" } } : {}) },
    };
    const told = `seed ${SEED}, round ${round}: ${JSON.stringify(schema)}`;
    let compiled: CompiledSchema;
    try {
      compiled = compileSchema(schema, { limits: { maxCheckSteps: 20_000 } });
    } catch (error) {
      assert.ok(error instanceof LocalError && error.code === "invalid_argument" && typeof error.details?.["pointer"] === "string", `${told} ${String(error)}`);
      counts.refused++;
      continue;
    }
    for (let turn = 0; turn < 6; turn++) {
      const value = randomValue(random, 3);
      const first = compiled.check(value);
      const all = compiled.checkAll(value);
      assert.deepEqual(all[0], first, `${told} on ${JSON.stringify(value)}`);
      assert.deepEqual(compiled.check(structuredClone(value)), first, told);
      counts[first === undefined ? "fits" : "fails"]++;
    }
  }
  assert.ok(counts.refused > 200 && counts.fits > 2_000 && counts.fails > 2_000, `the generator is too tame: ${JSON.stringify(counts)}`);
});

test("a schema and its negation never agree, unless the value cannot be judged", () => {
  const random = seededRandom(SEED + 1);
  let compared = 0;
  for (let round = 0; round < 3_000; round++) {
    const schema = randomSchema(random, 3);
    // The root is not the same schema in the two.
    if (JSON.stringify(schema).includes('"#"')) continue;
    const $defs = { x: {}, y: { type: "object" }, leaf: { $dynamicAnchor: "leaf" } };
    let plain: CompiledSchema;
    let negated: CompiledSchema;
    try {
      plain = compileSchema({ allOf: [schema], $defs });
      negated = compileSchema({ not: { allOf: [schema] }, $defs });
    } catch {
      continue;
    }
    const value = randomValue(random, 3);
    const problem = plain.check(value);
    const opposite = negated.check(value);
    if (/too|nested/.test(`${problem?.reason} ${opposite?.reason}`) && problem !== undefined && opposite !== undefined) continue;
    assert.notEqual(problem === undefined, opposite === undefined, `seed ${SEED + 1}: ${JSON.stringify(schema)} on ${JSON.stringify(value)}`);
    compared++;
  }
  assert.ok(compared > 1_000, `the generator is too tame: ${compared}`);
});
