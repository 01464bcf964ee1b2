import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RpcError } from "../../../src/core/base/errors.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";
import type { ServerContext } from "../../../src/core/mcp/context.ts";
import { createTools, type ToolHandler } from "../../../src/core/mcp/tools.ts";
import type { Tool } from "../../../src/core/wire/gen/mcp.ts";
import { PROTOCOL_VERSIONS } from "../../../src/core/wire/versions.ts";
import { tinySchema } from "../../support/tiny-schema.ts";

// Tools read the version of a context, and hand the rest on.
const at = (protocolVersion: string) => ({ protocolVersion, era: protocolVersion >= "2026" ? "stateless" : "handshake" }) as unknown as ServerContext;
const NOW = at("2026-07-28");
const text = (value: string) => [{ type: "text", text: value }];

function one(handler: ToolHandler, definition: Partial<Tool> = {}) {
  const tools = createTools(() => {}, tinySchema);
  tools.add({ name: "t", inputSchema: { type: "object" }, ...definition }, handler);
  return async (params: JsonObject = {}, context = NOW) => tools.call({ name: "t", ...params }, context);
}

const rejects = (promise: Promise<unknown>, code: number, message: RegExp) =>
  assert.rejects(promise, (error) => error instanceof RpcError && error.code === code && message.test(error.message));

describe("a tool's outcome", () => {
  const rows: [string, ToolHandler, JsonObject][] = [
    ["a text becomes one block", () => "hi", { content: text("hi") }],
    ["nothing becomes no content", () => {}, { content: [] }],
    ["a result stays as it is", () => ({ content: text("a") as never, isError: false, x: 1 }), { content: text("a"), isError: false, x: 1 }],
    ["structured content alone gets its JSON as text", async () => ({ structuredContent: { a: 1 } }), { structuredContent: { a: 1 }, content: text('{"a":1}') }],
    ["structured content may be false", () => ({ structuredContent: false }), { structuredContent: false, content: text("false") }],
    ["a request for input stays as it is", () => ({ resultType: "input_required", requestState: "s" }), { resultType: "input_required", requestState: "s" }],
    ["an ordinary error becomes a result that the model reads", () => { throw new Error("no luck"); }, { content: text("no luck"), isError: true }],
    ["a rejection does too", () => Promise.reject("no text"), { content: text("no text"), isError: true }],
  ];
  for (const [name, handler, expected] of rows) {
    test(name, async () => assert.deepEqual(await one(handler)(), expected));
  }

  test("an RpcError is the protocol's error", () => rejects(one(() => { throw new RpcError(-32000, "down"); })(), -32000, /down/));

  for (const outcome of [5, [], { content: "text" }, {}, null]) {
    test(`${JSON.stringify(outcome)} is malformed, which is the server's fault`, async () => {
      await assert.rejects(one(() => outcome as never)(), { code: "malformed_result" });
    });
  }
});

describe("arguments", () => {
  const schema = { inputSchema: { type: "object", required: ["a"], properties: { a: { type: "number" } } } } as const;

  test("reach the handler, {} where there are none", async () => {
    const seen: unknown[] = [];
    const call = one((args) => void seen.push(args));
    await call();
    await call({ arguments: { x: 1 } });
    assert.deepEqual(seen, [{}, { x: 1 }]);
  });

  for (const version of PROTOCOL_VERSIONS) {
    const asResult = version >= "2025-11-25";
    test(`that miss the schema are ${asResult ? "a result with isError" : "an error"} in ${version}`, async () => {
      const call = one(() => assert.fail("not reached"), schema);
      const wrong = call({ arguments: { a: "x" } }, at(version));
      const reason = "Invalid arguments for the tool t: arguments/a must be of type number";
      if (asResult) assert.deepEqual(await wrong, { content: text(reason), isError: true });
      else await rejects(wrong, -32602, new RegExp(reason));
    });
  }

  for (const args of [5, [], null, "x"]) {
    test(`of the wrong type (${JSON.stringify(args)}) are a malformed request (case 15)`, () => rejects(one(() => "hi")({ arguments: args }), -32602, /arguments/));
  }
});

describe("a tool's name", () => {
  for (const name of ["constructor", "toString", "__proto__", "T", ""]) {
    test(`${JSON.stringify(name)} is unknown where nothing has it (case 16)`, async () => {
      const tools = createTools(() => {}, tinySchema);
      tools.add({ name: "t", inputSchema: { type: "object" } }, () => "hi");
      await assert.rejects(async () => tools.call({ name }, NOW), { code: -32602, message: `Unknown tool: ${name}` });
    });
  }
  test("may be one that objects have", async () => {
    const tools = createTools(() => {}, tinySchema);
    tools.add({ name: "__proto__", inputSchema: { type: "object" } }, () => "hi");
    assert.deepEqual(await tools.call({ name: "__proto__" }, NOW), { content: text("hi") });
    assert.deepEqual(tools.list({}, "2026-07-28"), { tools: [{ name: "__proto__", inputSchema: { type: "object" } }] });
  });
  for (const name of [5, {}, undefined, null]) {
    test(`${JSON.stringify(name)} is a malformed request`, () => rejects(one(() => "hi")({ name }), -32602, /name/));
  }
});

describe("an output schema", () => {
  const schema = { outputSchema: { type: "object", required: ["a"] } };

  test("lets pass what fits, and errors without structured content", async () => {
    assert.deepEqual(await one(() => ({ structuredContent: { a: 1 } }), schema)(), { structuredContent: { a: 1 }, content: text('{"a":1}') });
    assert.deepEqual(await one(() => { throw new Error("no"); }, schema)(), { content: text("no"), isError: true });
    assert.deepEqual(await one(() => ({ resultType: "input_required" }), schema)(), { resultType: "input_required" });
  });

  for (const [name, handler] of [
    ["does not fit", () => ({ structuredContent: { b: 1 } })],
    ["is missing", () => "only text"],
  ] as [string, ToolHandler][]) {
    test(`makes the call fail where structured content ${name}`, () => assert.rejects(one(handler, schema)(), { code: "malformed_result" }));
  }

  test("of another type than object, and its content, are kept from older revisions, whose readers refuse them", async () => {
    const tools = createTools(() => {}, tinySchema);
    tools.add({ name: "t", inputSchema: { type: "object" }, outputSchema: { type: "array" } }, () => ({ structuredContent: [1] }));
    const listed = (version: string) => (tools.list({}, version).tools as Tool[])[0]?.outputSchema;
    assert.deepEqual([listed("2025-11-25"), listed("2026-07-28")], [undefined, { type: "array" }]);
    assert.deepEqual(await tools.call({ name: "t" }, at("2025-11-25")), { content: text("[1]") });
    assert.deepEqual(await tools.call({ name: "t" }, NOW), { content: text("[1]"), structuredContent: [1] });
  });
});

describe("adding and listing tools", () => {
  test("keeps the order of registration, in one page without cursors", () => {
    const tools = createTools(() => {}, tinySchema);
    for (const name of ["b", "a"]) tools.add({ name, inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }, () => "");
    assert.deepEqual((tools.list({}, "2026-07-28").tools as Tool[]).map(({ name }) => name), ["b", "a"]);
    assert.throws(() => tools.list({ cursor: "x" }, "2026-07-28"), { code: -32602 });
  });
  test("keeps a copy of the definition", () => {
    const tools = createTools(() => {}, tinySchema);
    const definition: Tool = { name: "t", inputSchema: { type: "object" }, description: "before" };
    tools.add(definition, () => "");
    definition.description = "after";
    assert.equal((tools.list({}, "2026-07-28").tools as Tool[])[0]?.description, "before");
    assert.throws(() => tools.add({ name: "u", inputSchema: { type: "object" }, _meta: { x: () => 1 } }, () => ""), { code: "not_json" });
  });
  test("refuses schemas that are none", () => {
    const tools = createTools(() => {}, tinySchema);
    for (const schemas of [
      { inputSchema: { type: "array" } },
      { inputSchema: undefined },
      { inputSchema: { type: "object", broken: 1 } },
      { inputSchema: { type: "object" }, outputSchema: { broken: 1 } },
    ]) {
      assert.throws(() => tools.add({ name: "t", ...schemas } as never, () => ""), { code: "invalid_argument" });
    }
    assert.equal(tools.used, false);
  });
});
