import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { problemOfContent, withDefaults } from "../../../../src/core/mcp/features/client-form.ts";
import { checkFormSchema, type FormField, type FormSchema } from "../../../../src/core/wire/gen/mcp.ts";

const form = (field: FormField, required?: string[]): FormSchema => ({ type: "object", properties: { f: field }, ...(required === undefined ? {} : { required }) });

describe("a form's content", () => {
  const choices = [{ const: "#f00", title: "Red" }, { const: "#0f0", title: "Green" }];
  const rows: [string, FormField, unknown[], unknown[]][] = [
    ["a text", { type: "string" }, ["", "x", "😀"], [5, null, true, ["x"], {}]],
    ["a text of some length, counted in characters", { type: "string", minLength: 2, maxLength: 3 }, ["ab", "abc", "😀😀😀"], ["a", "😀", "abcd"]],
    ["an email", { type: "string", format: "email" }, ["a@b.c"], ["a", "a@", "@b", "a b@c"]],
    ["a URI", { type: "string", format: "uri" }, ["https://example.com/a?b", "mailto:a@b"], ["example.com", "/a", "https://a b"]],
    ["a date", { type: "string", format: "date" }, ["2024-02-29", "2026-12-31"], ["2023-02-29", "2026-13-01", "2026-1-1", "2026-01-32", "x"]],
    [
      "a date and time",
      { type: "string", format: "date-time" },
      ["2026-07-28T12:00:00Z", "2026-07-28t23:59:60.5+05:30"],
      ["2026-07-28", "2026-07-28T24:00:00Z", "2026-02-30T12:00:00Z", "2026-07-28T12:00:00"],
    ],
    ["a choice", { type: "string", enum: ["a", "b"] }, ["a"], ["c", ""]],
    ["a choice with names beside it", { type: "string", enum: ["a", "b"], enumNames: ["A", "B"] }, ["b"], ["B"]],
    ["a titled choice", { type: "string", oneOf: choices }, ["#f00"], ["Red"]],
    ["a number", { type: "number", minimum: -1, maximum: 2.5 }, [-1, 0, 2.5], [-1.1, 2.6, "1", Infinity, NaN]],
    ["an integer", { type: "integer", minimum: 0 }, [0, 7], [-1, 1.5, "1"]],
    ["a boolean", { type: "boolean" }, [true, false], ["true", 0, null]],
    ["a list of choices", { type: "array", items: { type: "string", enum: ["a", "b", "c"] }, minItems: 1, maxItems: 2 }, [["a"], ["a", "c"]], [[], ["a", "b", "c"], ["d"], [1], "a"]],
    ["a list of titled choices", { type: "array", items: { anyOf: choices } }, [[], ["#0f0"]], [["Green"]]],
  ];
  for (const [name, field, good, bad] of rows) {
    test(`that is ${name} is told from what is not`, () => {
      const schema = form(field);
      assert.equal(checkFormSchema(schema), undefined);
      for (const value of good) assert.equal(problemOfContent(schema, { f: value }), undefined, JSON.stringify(value));
      for (const value of bad) assert.match(problemOfContent(schema, { f: value })?.path ?? "", /^\/f/, JSON.stringify(value));
    });
  }

  test("needs what is required, and may leave out the rest", () => {
    assert.match(problemOfContent(form({ type: "string" }, ["f"]), {})?.reason ?? "", /must have the member "f"/);
    assert.equal(problemOfContent(form({ type: "string" }), {}), undefined);
    // Members that the prototype lends are not there.
    assert.ok(problemOfContent({ type: "object", properties: {}, required: ["constructor"] }, {}));
  });
  test("may have a field that nobody asked for, if its value is plain", () => {
    const schema = form({ type: "string" });
    assert.equal(problemOfContent(schema, { more: "x", constructor: 1 }), undefined);
    assert.equal(problemOfContent(schema, { more: { deep: 1 } })?.path, "/more");
  });
});

test("defaults fill what was left out, an answer of false or nothing typed is an answer", () => {
  const schema: FormSchema = {
    type: "object",
    properties: { a: { type: "string", default: "A" }, b: { type: "boolean", default: true }, c: { type: "number", default: 0 }, d: { type: "string" }, e: { type: "array", items: { enum: ["x"] }, default: ["x"] } },
  };
  assert.deepEqual(withDefaults(schema), { a: "A", b: true, c: 0, e: ["x"] });
  assert.deepEqual(withDefaults(schema, { a: "", b: false, d: "D" }), { a: "", b: false, c: 0, d: "D", e: ["x"] });
});
