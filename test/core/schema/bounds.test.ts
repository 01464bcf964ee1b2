import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError } from "../../../src/core/base/errors.ts";
import { DEFAULT_LIMITS } from "../../../src/core/base/limits.ts";
import { compileSchema } from "../../../src/core/schema/schema.ts";
import { cpuMs } from "../../support/cpu-time.ts";

const TOO_EXPENSIVE = "is too expensive to check";

function pointerOf(compile: () => unknown): unknown {
  try {
    compile();
  } catch (error) {
    assert.ok(error instanceof LocalError && error.code === "invalid_argument", String(error));
    return error.details?.["pointer"];
  }
  return assert.fail("compiled");
}

test("refuses references that go round without entering a member or an item", () => {
  for (const schema of [
    { $ref: "#" },
    { allOf: [{ $ref: "#" }] },
    { anyOf: [{ type: "string" }, { $ref: "#" }] },
    { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { not: { $ref: "#/$defs/a" } } } },
    { if: true, then: { $ref: "#" } },
    { dependentSchemas: { a: { $ref: "#" } } },
    { $defs: { a: { $ref: "#/$defs/a" } } },
  ]) {
    assert.throws(() => compileSchema(schema), /refers to itself without end/, JSON.stringify(schema));
  }
  assert.equal(compileSchema({ items: { $ref: "#" }, type: "array" }).check([[[]]]), undefined);
});

test("ends a dynamic reference that goes round", () => {
  const compiled = compileSchema({ $dynamicAnchor: "x", $id: "a", $dynamicRef: "#x" });
  assert.equal(compiled.check(1)?.reason, "is nested too deeply for this schema");
});

test("checks values as deep as messages may be, and no deeper than the stack bears", () => {
  const compiled = compileSchema({ $ref: "#/$defs/n", $defs: { n: { anyOf: [{ type: "null" }, { type: "array", items: { $ref: "#/$defs/n" } }] } } });
  let value: unknown = null;
  for (let depth = 0; depth < DEFAULT_LIMITS.maxDepth; depth++) value = [value];
  assert.equal(compiled.check(value), undefined);
  for (let depth = 0; depth < 5_000; depth++) value = [value];
  assert.equal(compiled.check(value)?.reason, "is nested too deeply for this schema");
  assert.equal(compileSchema({ uniqueItems: true }).check([value, value])?.reason, "is nested too deeply for this schema");
});

test("bounds the number of subschemas", () => {
  const limits = { maxSubschemas: 3 };
  compileSchema({ allOf: [true, true] }, { limits });
  assert.equal(pointerOf(() => compileSchema({ allOf: [true, true, true] }, { limits })), "/allOf/2");
  compileSchema({ allOf: Array(DEFAULT_LIMITS.maxSubschemas - 1).fill(true) });
  assert.equal(pointerOf(() => compileSchema({ allOf: Array(DEFAULT_LIMITS.maxSubschemas).fill(true) })), `/allOf/${DEFAULT_LIMITS.maxSubschemas - 1}`);
});

test("bounds the depth of the schema", () => {
  let schema: object = {};
  for (let depth = 1; depth < DEFAULT_LIMITS.maxDepth; depth++) schema = { not: schema };
  compileSchema(schema);
  assert.equal(pointerOf(() => compileSchema({ not: schema })), "/not".repeat(DEFAULT_LIMITS.maxDepth));
});

test("fails a value that is too expensive, also below not, anyOf, if and contains", () => {
  const bomb = (depth: number): object => (depth === 0 ? { type: "string" } : { anyOf: [{ $ref: `#/$defs/${depth - 1}` }, { $ref: `#/$defs/${depth - 1}` }] });
  const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, depth) => [depth, bomb(depth)]));
  const limits = { maxCheckSteps: 100_000 };
  for (const use of [{ $ref: "#/$defs/59" }, { not: { $ref: "#/$defs/59" } }, { anyOf: [{ $ref: "#/$defs/59" }, true] }, { if: { $ref: "#/$defs/59" } , then: true }]) {
    const compiled = compileSchema({ ...use, $defs }, { limits });
    assert.equal(compiled.check(1)?.reason, TOO_EXPENSIVE);
    assert.equal(compiled.checkAll(1).at(-1)?.reason, TOO_EXPENSIVE);
  }
  assert.equal(compileSchema({ contains: { $ref: "#/$defs/59" }, $defs, minContains: 0 }, { limits }).check([1])?.path, "/0");
});

test("passes at the step limit and fails above it", () => {
  const steps = (maxCheckSteps: number) => compileSchema({ items: {} }, { limits: { maxCheckSteps } }).check([1, 2, 3]);
  assert.equal(steps(5), undefined);
  assert.deepEqual(steps(4), { path: "/2", schemaPath: "/items", reason: TOO_EXPENSIVE });
});

test("pays for long lists of names and constants, not for subschemas alone", () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `n${index}`);
  const values = Array(5_000).fill({});
  const limits = { maxCheckSteps: 1_000_000 };
  for (const items of [
    { not: { required: names } },
    { properties: Object.fromEntries(names.map((name) => [name, true])) },
    { not: { const: names } },
    { not: { enum: names.map((name) => [name]) } },
    { dependentRequired: Object.fromEntries(names.map((name) => [name, []])) },
  ]) {
    assert.equal(compileSchema({ items }, { limits }).check(values)?.reason, TOO_EXPENSIVE);
  }
});

test("pays for members listed, notes handed up and decimals divided", () => {
  const limits = { maxCheckSteps: 100_000 };
  const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, 1]));
  let nest: object = { patternProperties: { "": true } };
  for (let depth = 0; depth < 30; depth++) nest = { unevaluatedItems: true, allOf: [nest] };
  for (const [schema, value] of [
    [{ allOf: Array(50).fill({ minProperties: 1 }) }, wide],
    [{ unevaluatedProperties: false, allOf: [nest] }, wide],
    [{ items: { multipleOf: 5e-324 } }, Array(1_000).fill(1.5e308)],
  ] as const) {
    assert.equal(compileSchema(schema, { limits }).check(value)?.reason, TOO_EXPENSIVE);
    assert.equal(compileSchema(schema).check(value), undefined);
  }
});

test("checks a large sane value within the default budget", () => {
  const rows = Array.from({ length: 50_000 }, (_, id) => ({ id, name: `row ${id}`, tags: ["a", "b"] }));
  const row = {
    type: "object",
    properties: { id: { type: "integer" }, name: { type: "string", pattern: "^[a-z]+ \\d+$" }, tags: { type: "array", items: { type: "string" }, uniqueItems: true } },
    required: ["id", "name"],
    additionalProperties: false,
  };
  assert.equal(compileSchema({ type: "array", items: row, uniqueItems: true }).check(rows), undefined);
});

test("finds a repeated item among very many in linear time", () => {
  const numbers = Array.from({ length: 300_000 }, (_, index) => index);
  const compiled = compileSchema({ uniqueItems: true });
  assert.equal(compiled.check(numbers), undefined);
  assert.equal(compiled.check([...numbers, 7])?.schemaPath, "/uniqueItems");
  const objects = numbers.slice(0, 50_000).map((n) => ({ n }));
  assert.equal(compiled.check(objects), undefined);
  assert.equal(compiled.check([...objects, { n: 7 }])?.schemaPath, "/uniqueItems");
});

const TOO_LONG = "is too long for this pattern";

test("judges what a hostile pattern makes of a text, without trying all ways", () => {
  for (const pattern of ["^(a+)+$", "^(a|aa)+$", "^(?=(?:a*)*$)(?:a|a)*$", "^(?:a?){40}a{40}$"]) {
    const compiled = compileSchema({ pattern });
    assert.equal(compiled.check("a".repeat(60)), undefined, pattern);
    assert.equal(compiled.check(`${"a".repeat(60)}!`)?.schemaPath, "/pattern", pattern);
    assert.notEqual(compiled.check(`${"a".repeat(60)}!`)?.reason, TOO_LONG, pattern);
  }
  const spaces = compileSchema({ pattern: "\\s+$" });
  assert.equal(spaces.check(" ".repeat(100_000)), undefined);
  assert.notEqual(spaces.check(`${" ".repeat(100_000)}!`)?.reason, TOO_LONG);
  assert.equal(compileSchema({ pattern: ".*z$" }).check(`${"a".repeat(10_000)}z`), undefined);
});

test("does not try a pattern that could take too long, and does not let it pass", () => {
  // What refers back is left to the engine, which tries all ways.
  const evil = "^(a+)+\\1$";
  const text = `${"a".repeat(60)}!`;
  for (const [schema, schemaPath] of [
    [{ pattern: evil }, "/pattern"],
    [{ not: { pattern: evil } }, "/not/pattern"],
    [{ anyOf: [{ pattern: evil }, true] }, "/anyOf/0/pattern"],
    [{ pattern: "^(?:(?:(?:ab?){99}){99}){99}$" }, "/pattern"],
  ] as const) {
    assert.deepEqual(compileSchema(schema).check(text), { path: "", reason: TOO_LONG, schemaPath });
  }
  assert.equal(compileSchema({ patternProperties: { [evil]: true } }).check({ [text]: 1 })?.reason, TOO_LONG);
  assert.equal(compileSchema({ pattern: evil }).check("aaaa"), undefined);
  assert.equal(compileSchema({ pattern: evil }).check("aaab")?.schemaPath, "/pattern");
  assert.equal(compileSchema({ pattern: "\\s$" }).check(`${"a".repeat(1_000_000)} `), undefined);
});

test("ends a text that is long for the size of its pattern, whatever both are", () => {
  for (const pattern of ["((a{0,30}){0,30}){0,30}b", "(?:a?.?){4000}q", "(?:\\p{L}\\p{N}?|\\P{Lu}\\p{Ll}?|[\\p{L}x]\\p{P}?)*q", "(?=.*b)".repeat(200)]) {
    const compiled = compileSchema({ pattern });
    const spent = cpuMs(() => assert.equal(compiled.check("a\u4e16".repeat(500_000))?.reason, TOO_LONG, pattern));
    assert.ok(spent < 10_000, `${pattern} took ${spent} ms`);
  }
});

test("tries a pattern at the limit of its steps and not above it", () => {
  const limited = (pattern: string, maxPatternSteps: number) => compileSchema({ pattern }, { limits: { maxPatternSteps } }).check("aaa")?.reason;
  assert.equal(limited("^(a*)*\\1$", 64), undefined);
  assert.equal(limited("^(a*)*\\1$", 63), TOO_LONG);
  assert.equal(limited("^(a+)+$", 200), undefined);
  assert.equal(limited("^(a+)+$", 80), TOO_LONG);
});

test("adds up what many patterns cost", () => {
  for (const [pattern, text] of [["^(a+)+\\1$", `${"a".repeat(10)}!`], ["^(a+)+$", `${"a".repeat(140)}!`]] as const) {
    const schema = compileSchema({ not: { items: { not: { pattern } } } });
    assert.ok(cpuMs(() => assert.equal(schema.check(Array(100_000).fill(text))?.reason, TOO_EXPENSIVE)) < 10_000);
  }
});

test("counts what patterns take once they are needed among the sizes of a schema's patterns", () => {
  const ambiguous = (index: number) => ({ pattern: `^(?:a?|${index}){9000}a$` });
  compileSchema({ allOf: Array.from({ length: 10 }, (_, index) => ambiguous(index)) });
  assert.match(String(pointerOf(() => compileSchema({ allOf: Array.from({ length: 100 }, (_, index) => ambiguous(index)) }))), /^\/allOf\/\d+\/pattern$/);
});

test("bounds the size of a schema that holds the same objects in many places", () => {
  let schema: object = { type: "string" };
  for (let doubled = 0; doubled < 30; doubled++) schema = { oneOf: [schema, schema] };
  const compile = () => compileSchema(schema, { limits: { maxMessageBytes: 100_000 } });
  assert.throws(compile, { code: "invalid_argument", message: /its root the value has more than 100000 bytes as JSON text/ });
});

test("compiles a chain of thousands of references", () => {
  const $defs = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [index, index === 0 ? {} : { $ref: `#/$defs/${index - 1}` }]));
  assert.equal(compileSchema({ $ref: "#/$defs/2999", $defs }).check(1)?.reason, "is nested too deeply for this schema");
  assert.equal(compileSchema({ $ref: "#/$defs/200", $defs }).check(1), undefined);
});

test("refuses patterns that take an engine too much to read, each alone and all together", () => {
  const long = "a".repeat(65_536);
  compileSchema({ pattern: long });
  assert.equal(pointerOf(() => compileSchema({ pattern: `${long}a` })), "/pattern");
  assert.equal(pointerOf(() => compileSchema({ patternProperties: { [`${long}a`]: true } })), `/patternProperties/${long}a`);
  assert.match(String(pointerOf(() => compileSchema({ allOf: Array(20).fill({ pattern: long }) }))), /^\/allOf\/\d+\/pattern$/);
  // A class of hundreds of ranges in two characters.
  assert.equal(pointerOf(() => compileSchema({ pattern: "\\p{L}".repeat(2_000) })), "/pattern");
});

test("fails a value whose pattern its engine finds too large once it runs, and never throws", () => {
  const compiled = compileSchema({ not: { pattern: `()\\1${"(?:a|b)".repeat(9_000)}` } });
  assert.deepEqual(compiled.check(""), { path: "", schemaPath: "/not/pattern", reason: "has a pattern that is too large for this engine" });
});

test("runs a row of Unicode properties without looking ahead through all pairs of surrogates", () => {
  const compiled = compileSchema({ allOf: Array.from({ length: 20 }, (_none, index) => ({ pattern: `${"(?:a|\\p{L})".repeat(10)}|${index}|\u4e16` })) });
  const text = "\u4e16abc";
  assert.equal(compiled.check(text), undefined);
  // 0.8 s each would be 16 s.
  assert.ok(cpuMs(() => compiled.check(text)) < 4_000);
  const found = (pattern: string, value: string) => compileSchema({ pattern }).check(value) === undefined;
  assert.deepEqual([found("^\\p{L}|\\d$", "x!"), found("^\\p{L}|\\d$", "!5"), found("^\\p{L}|\\d$", "!x"), found("(\\p{L})-\\1", "!a-a"), found("(\\p{L})-\\1", "a-b")], [true, true, false, true, false]);
});

test("pays for long texts that are compared, and for a dynamic scope that is searched", () => {
  const limits = { maxCheckSteps: 100_000 };
  const text = "x".repeat(100_000);
  const often = (schema: object) => ({ allOf: Array(20).fill(schema) });
  for (const value of [[[text], 1], [text, `${text}.slice`, 1], [{ [text]: 1 }, 1]]) {
    assert.equal(compileSchema(often({ uniqueItems: true }), { limits }).check(value)?.reason, TOO_EXPENSIVE);
    assert.equal(compileSchema(often({ uniqueItems: true })).check(value), undefined);
  }
  const $defs: Record<string, object> = { end: { $id: "end", items: { $dynamicRef: "#x" }, $defs: { x: { $dynamicAnchor: "x" } } } };
  for (let index = 0; index < 400; index++) $defs[index] = { $id: `r${index}`, $ref: index === 399 ? "end" : `r${index + 1}` };
  assert.equal(compileSchema({ $ref: "r0", $defs }, { limits }).check(Array(3_000).fill(1))?.reason, TOO_EXPENSIVE);
  assert.equal(compileSchema({ $ref: "r0", $defs }).check(Array(3_000).fill(1)), undefined);
});

test("takes long names above many schemas as it takes short ones, and refuses identifiers that would grow with each", () => {
  const many = (name: string) => ({ properties: { [name]: { properties: Object.fromEntries(Array.from({ length: 3_000 }, (_none, index) => [index, { type: "string" }])) } } });
  const name = "n".repeat(20_000);
  const compiled = compileSchema({ ...many(name), allOf: [{ $ref: `#/properties/${name}/properties/7` }] });
  assert.equal(compiled.check({})?.schemaPath, `/properties/${name}/properties/7/type`);
  const base = cpuMs(() => compileSchema(many("n")));
  const spent = cpuMs(() => compileSchema(many(name)));
  assert.ok(spent < base * 10 + 500, `${spent} ms, and ${base} with a short name`);
  assert.equal(pointerOf(() => compileSchema({ $id: `https://a.example/${"i".repeat(5_000)}` })), "/$id");
});
