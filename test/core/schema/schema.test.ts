import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError } from "../../../src/core/base/errors.ts";
import { compileSchema } from "../../../src/core/schema/schema.ts";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

test("names the place in the value, the place in the schema and the reason", () => {
  const schema = {
    type: "object",
    required: ["id"],
    properties: {
      id: { type: "string", minLength: 1, maxLength: 3, pattern: "^[a-z]*$" },
      size: { type: ["integer", "null"], minimum: 0, exclusiveMaximum: 10, multipleOf: 2 },
      tags: { type: "array", items: { $ref: "#/$defs/tag" }, minItems: 1, maxItems: 2, uniqueItems: true },
      "a/b~c": { const: { x: 1 } },
      kind: { enum: ["a", 1, null] },
      any: { anyOf: [{ type: "string" }, { type: "number" }] },
      one: { oneOf: [{ minimum: 1 }, { minimum: 2 }] },
      not: { not: {} },
      pair: { prefixItems: [true, { type: "boolean" }], items: false, contains: { const: 1 }, maxContains: 1 },
      deps: { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { maxProperties: 1 } }, propertyNames: { maxLength: 2 } },
      when: { if: { type: "string" }, then: { minLength: 2 }, else: { type: "number" } },
    },
    additionalProperties: false,
    $defs: { tag: { type: "string" } },
  };
  const cases: [unknown, string, string, string][] = [
    [[], "", "/type", "must be an object"],
    [{}, "", "/required", 'must have the member "id"'],
    [{ id: "" }, "/id", "/properties/id/minLength", "must have at least 1 character"],
    [{ id: "abcd" }, "/id", "/properties/id/maxLength", "must have at most 3 characters"],
    [{ id: "A" }, "/id", "/properties/id/pattern", 'must match the pattern "^[a-z]*$"'],
    [{ id: "a", x: 1 }, "/x", "/additionalProperties", "is not allowed"],
    [{ id: "a", size: "1" }, "/size", "/properties/size/type", "must be an integer or null"],
    [{ id: "a", size: -2 }, "/size", "/properties/size/minimum", "must be at least 0"],
    [{ id: "a", size: 10 }, "/size", "/properties/size/exclusiveMaximum", "must be less than 10"],
    [{ id: "a", size: 3 }, "/size", "/properties/size/multipleOf", "must be a multiple of 2"],
    [{ id: "a", tags: ["a", 2] }, "/tags/1", "/$defs/tag/type", "must be a string"],
    [{ id: "a", tags: [] }, "/tags", "/properties/tags/minItems", "must have at least 1 item"],
    [{ id: "a", tags: ["a", "b", "c"] }, "/tags", "/properties/tags/maxItems", "must have at most 2 items"],
    [{ id: "a", tags: ["a", "a"] }, "/tags", "/properties/tags/uniqueItems", "must not have an item twice"],
    [{ id: "a", "a/b~c": {} }, "/a~1b~0c", "/properties/a~1b~0c/const", 'must be {"x":1}'],
    [{ id: "a", kind: "1" }, "/kind", "/properties/kind/enum", 'must be one of "a",1,null'],
    [{ id: "a", any: null }, "/any", "/properties/any/anyOf", "must fit at least one of 2 schemas"],
    [{ id: "a", one: 0 }, "/one", "/properties/one/oneOf", "must fit exactly one of 2 schemas, and fits none"],
    [{ id: "a", one: 2 }, "/one", "/properties/one/oneOf", "must fit exactly one of 2 schemas, and fits several"],
    [{ id: "a", not: 1 }, "/not", "/properties/not/not", "must not fit the schema"],
    [{ id: "a", pair: [1, 1] }, "/pair/1", "/properties/pair/prefixItems/1/type", "must be a boolean"],
    [{ id: "a", pair: [1, true, 2] }, "/pair/2", "/properties/pair/items", "is not allowed"],
    [{ id: "a", pair: [2] }, "/pair", "/properties/pair/contains", "must have at least 1 item that fits the schema"],
    [{ id: "a", deps: { a: 1 } }, "/deps", "/properties/deps/dependentRequired", 'must have the member "b" beside "a"'],
    [{ id: "a", deps: { b: 1, c: 1 } }, "/deps", "/properties/deps/dependentSchemas/c/maxProperties", "must have at most 1 member"],
    [{ id: "a", deps: { abc: 1 } }, "/deps/abc", "/properties/deps/propertyNames/maxLength", "must have at most 2 characters"],
    [{ id: "a", when: "x" }, "/when", "/properties/when/then/minLength", "must have at least 2 characters"],
    [{ id: "a", when: null }, "/when", "/properties/when/else/type", "must be a number"],
  ];
  const compiled = compileSchema(schema);
  for (const [value, path, schemaPath, reason] of cases) assert.deepEqual(compiled.check(value), { path, schemaPath, reason });
  assert.equal(compiled.check({ id: "a", size: null, tags: ["x"], "a/b~c": { x: 1 }, kind: null, pair: [1, true], when: 3 }), undefined);
});

test("lists every problem up to the wanted number, in the order of the schema", () => {
  const compiled = compileSchema({ items: { type: "integer", minimum: 0 }, uniqueItems: true });
  assert.deepEqual(compiled.checkAll([-1, "x", -1]).map(({ path, reason }) => `${path} ${reason}`), [
    " must not have an item twice", "/0 must be at least 0", "/1 must be an integer", "/2 must be at least 0",
  ]);
  assert.equal(compiled.checkAll([-1, "x", -1], 2).length, 2);
  assert.equal(compiled.checkAll(Array(100).fill(-1)).length, 20);
  assert.deepEqual(compiled.checkAll([1, 2]), []);
  assert.throws(() => compiled.checkAll([], 0), { code: "invalid_argument" });
});

test("refuses a malformed schema with the pointer to the fault", () => {
  const cases: [unknown, string][] = [
    [1, ""], [null, ""], [[], ""], [{ type: "strin" }, "/type"], [{ type: [] }, "/type"], [{ type: ["string", "x"] }, "/type/1"],
    [{ type: ["null", "null"] }, "/type"], [{ properties: [] }, "/properties"], [{ properties: { a: 1 } }, "/properties/a"],
    [{ items: [{}] }, "/items"], [{ prefixItems: [] }, "/prefixItems"], [{ prefixItems: {} }, "/prefixItems"], [{ allOf: [1] }, "/allOf/0"],
    [{ anyOf: {} }, "/anyOf"], [{ oneOf: [] }, "/oneOf"], [{ not: [] }, "/not"], [{ then: 1 }, "/then"], [{ $defs: { a: { enum: 1 } } }, "/$defs/a/enum"],
    [{ $defs: 1 }, "/$defs"], [{ required: "a" }, "/required"], [{ required: ["a", 1] }, "/required/1"], [{ minLength: -1 }, "/minLength"],
    [{ maxItems: 1.5 }, "/maxItems"], [{ minContains: "1" }, "/minContains"], [{ minimum: "1" }, "/minimum"], [{ multipleOf: 0 }, "/multipleOf"],
    [{ pattern: "(" }, "/pattern"], [{ pattern: 1 }, "/pattern"], [{ patternProperties: { "[": {} } }, "/patternProperties/["],
    [{ uniqueItems: 1 }, "/uniqueItems"], [{ dependentRequired: { a: [1] } }, "/dependentRequired/a/0"], [{ dependentRequired: { a: "b" } }, "/dependentRequired/a"],
    [{ $ref: "#/$defs/none" }, "/$ref"], [{ $ref: "#none" }, "/$ref"], [{ $ref: "https://example.com/x" }, "/$ref"], [{ $ref: 1 }, "/$ref"],
    [{ $ref: "#/%zz" }, "/$ref"], [{ items: { $ref: "other.json" } }, "/items/$ref"], [{ $dynamicRef: "#none" }, "/$dynamicRef"],
    [{ $id: "#x" }, "/$id"], [{ $id: 1 }, "/$id"], [{ $anchor: "1" }, "/$anchor"], [{ $schema: 1 }, "/$schema"],
    [{ $schema: "http://json-schema.org/draft-04/schema#" }, "/$schema"], [{ $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } }, "/$defs/b/$anchor"],
    [{ $defs: { a: { $id: "x" }, b: { $id: "x" } } }, "/$defs/b/$id"], [{ minimum: NaN }, "/minimum"], [{ default: () => 1 }, "/default"],
    [{ $schema: DRAFT_07, items: [1] }, "/items/0"], [{ $schema: DRAFT_07, dependencies: { a: [1] } }, "/dependencies/a/0"],
  ];
  for (const [schema, pointer] of cases) {
    assert.throws(
      () => compileSchema(schema),
      (error) => {
        assert.ok(error instanceof LocalError, String(error));
        assert.equal(error.code, "invalid_argument");
        assert.equal(error.details?.["pointer"], pointer, error.message);
        return true;
      },
    );
  }
});

test("looks nothing up on prototypes", () => {
  const compiled = compileSchema(JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["toString"]}'));
  assert.equal(compiled.check({})?.reason, 'must have the member "toString"');
  assert.equal(compiled.check({ toString: 1 }), undefined);
  assert.equal(compiled.check({ toString: 1, constructor: "x" })?.path, "/constructor");
  assert.equal(compiled.check(JSON.parse('{"toString":1,"__proto__":1}'))?.path, "/__proto__");
  assert.equal(compileSchema({ additionalProperties: false }).check(JSON.parse('{"__proto__":1}'))?.path, "/__proto__");
  assert.equal(compileSchema({ enum: ["constructor"] }).check("__proto__") === undefined, false);
  assert.throws(() => compileSchema({ $ref: "#/constructor" }), { code: "invalid_argument" });
});

test("takes an undefined member for absent", () => {
  const compiled = compileSchema({ required: ["a"], properties: { b: { type: "string" } }, additionalProperties: false, minProperties: 1 });
  assert.equal(compiled.check({ a: undefined })?.schemaPath, "/required");
  assert.equal(compileSchema({ additionalProperties: false, maxProperties: 0 }).check({ a: undefined }), undefined);
  assert.equal(compileSchema({ required: undefined, type: undefined }).check(1), undefined);
});

test("compares numbers by value", () => {
  for (const schema of [{ const: 0 }, { enum: [0] }]) assert.equal(compileSchema(schema).check(-0), undefined);
  assert.notEqual(compileSchema({ uniqueItems: true }).check([0, -0]), undefined);
  assert.notEqual(compileSchema({ uniqueItems: true }).check([{ a: 1, b: [0] }, { b: [-0], a: 1.0 }]), undefined);
  assert.equal(compileSchema({ uniqueItems: true }).check([1, true, "1", [1], { 0: 1 }, "[1]", null, "null"]), undefined);
});

test("reads draft-07 as servers send it", () => {
  const tuple = compileSchema({ $schema: DRAFT_07, type: "array", items: [{ type: "string" }], additionalItems: { type: "number" } });
  assert.equal(tuple.check(["a", 1, 2]), undefined);
  assert.equal(tuple.check(["a", "b"])?.schemaPath, "/additionalItems/type");
  const root = compileSchema({ $schema: DRAFT_07, $ref: "#/definitions/Input", definitions: { Input: { type: "object", required: ["q"] } } });
  assert.equal(root.check({})?.schemaPath, "/definitions/Input/required");
  const alone = compileSchema({ $schema: DRAFT_07, properties: { a: { $ref: "#/definitions/x", type: "string" } }, definitions: { x: { type: "number" } } });
  assert.equal(alone.check({ a: 1 }), undefined);
  const dependent = compileSchema({ $schema: DRAFT_07, dependencies: { a: ["b"], c: { required: ["d"] } } });
  assert.equal(dependent.check({ a: 1 })?.reason, 'must have the member "b" beside "a"');
  assert.equal(dependent.check({ c: 1 })?.schemaPath, "/dependencies/c/required");
  assert.equal(compileSchema({ $schema: "http://json-schema.org/draft-07/schema", unevaluatedProperties: false }).check({ a: 1 }), undefined);
  const anchored = compileSchema({ $schema: DRAFT_07, $ref: "#named", definitions: { x: { $id: "#named", type: "null" } } });
  assert.equal(anchored.check(1)?.schemaPath, "/definitions/x/type");
});

test("names a place in an extra document by its URI, and reads only given ones", () => {
  const resources = new Map<string, unknown>([["https://example.com/int", { type: "integer" }]]);
  const compiled = compileSchema({ items: { $ref: "https://example.com/int#" } }, { resources });
  assert.deepEqual(compiled.check([1, "a"]), { path: "/1", schemaPath: "https://example.com/int#/type", reason: "must be an integer" });
});

test("does not follow later changes of the schema, and copies only plain JSON", () => {
  const schema = { const: { a: 1 } };
  const compiled = compileSchema(schema);
  schema.const.a = 2;
  assert.equal(compiled.check({ a: 1 }), undefined);
  assert.throws(() => compileSchema({ const: new Date(0) }), { code: "invalid_argument" });
});

test("takes format and content for annotations", () => {
  const compiled = compileSchema({ format: "email", contentEncoding: "base64", contentMediaType: "application/json", contentSchema: { type: "null" } });
  assert.equal(compiled.check("%"), undefined);
});

test("reads a pattern as Unicode, and in the older syntax where it is only valid so", () => {
  assert.equal(compileSchema({ pattern: "^.$" }).check("💩"), undefined);
  assert.equal(compileSchema({ pattern: "^\\p{Lu}$" }).check("É"), undefined);
  assert.equal(compileSchema({ pattern: "^[\\w\\-]+\\_$" }).check("a-b_"), undefined);
});
