import assert from "node:assert/strict";
import { test } from "node:test";
import { createMirroredParams } from "../../src/gateway/mirrored-params.ts";

const tool = (name: string, description = "") => ({ name, inputSchema: { type: "object", properties: { region: { type: "string", description, "x-mcp-header": "Region" } } } });
const LIMITS = { maxToolSchemas: 2, maxToolSchemaChars: 1_000 };

test("knows the tools that want headers as they were last told, copies of them, and nothing else", () => {
  const params = createMirroredParams(LIMITS);
  const told = tool("search");
  params.learn({ tools: [told, { name: "plain", inputSchema: { type: "object" } }, { inputSchema: told.inputSchema }, null] as never });
  told.inputSchema.properties.region.type = "changed";
  assert.deepEqual(params.schemaOf("search"), tool("search").inputSchema);
  assert.equal(params.schemaOf("plain"), undefined);
  params.learn({ tools: [{ name: "search", inputSchema: { type: "object" } }] });
  assert.equal(params.schemaOf("search"), undefined);
  for (const odd of [{}, { tools: 5 }, { tools: [5] }]) params.learn(odd);
  assert.equal(params.schemaOf("constructor"), undefined);
});

test("forgets what was told longest ago, by number and by size", () => {
  const params = createMirroredParams(LIMITS);
  params.learn({ tools: [tool("a"), tool("b")] });
  params.learn({ tools: [tool("a"), tool("c")] });
  assert.deepEqual(["a", "b", "c"].map((name) => params.schemaOf(name) !== undefined), [true, false, true]);
  params.learn({ tools: [tool("d", "x".repeat(850))] });
  assert.deepEqual(["a", "c", "d"].map((name) => params.schemaOf(name) !== undefined), [false, false, true]);
  params.learn({ tools: [tool("e", "x".repeat(2_000))] });
  assert.deepEqual(["d", "e"].map((name) => params.schemaOf(name) !== undefined), [false, false]);
});
