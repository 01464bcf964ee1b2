import assert from "node:assert/strict";
import { test } from "node:test";
import { createKnownSchemas } from "../../src/library/known-schemas.ts";

const schema = { type: "object" };

test("knows the schemas of a tool as it was listed last, by server", () => {
  const known = createKnownSchemas({ maxTools: 10, maxChars: 10_000 });
  known.learn({ name: "a", inputSchema: schema }, "one");
  assert.equal(known.of("a", "two"), undefined);
  assert.equal(known.of("a", "one")?.output, undefined);
  const before = known.of("a", "one")?.input;
  known.learn({ name: "a", inputSchema: schema }, "one");
  assert.equal(known.of("a", "one")?.input, before);
  known.learn({ name: "a", inputSchema: { type: "object", required: ["x"] } }, "one");
  assert.notEqual(known.of("a", "one")?.input?.check({}), undefined);
  known.learn({ name: "a", outputSchema: { type: 5 } }, "one");
  assert.deepEqual([known.of("a", "one")?.input, known.of("a", "one")?.output], [undefined, null]);
  for (const tool of [null, "a", {}, { name: 5 }]) known.learn(tool, "one");
});

test("forgets the tools that were listed longest ago, by number and by size", () => {
  const few = createKnownSchemas({ maxTools: 2, maxChars: 10_000 });
  for (const name of ["a", "b", "a", "c"]) few.learn({ name, inputSchema: schema }, "");
  assert.deepEqual(["a", "b", "c"].map((name) => few.of(name, "") !== undefined), [true, false, true]);
  const small = createKnownSchemas({ maxTools: 10, maxChars: 1_000 });
  small.learn({ name: "a", inputSchema: schema }, "");
  small.learn({ name: "b", inputSchema: { ...schema, description: "x".repeat(990) } }, "");
  assert.equal(small.of("a", ""), undefined);
  small.learn({ name: "c", inputSchema: schema }, "");
  assert.deepEqual([small.of("b", "") !== undefined, small.of("c", "") !== undefined], [false, true]);
});
