import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { McpClient, memoryPair, RpcError, type CallToolResult, type JsonObject, type McpClientOptions } from "mcp-interceptors";
import { answerEverything, explore } from "../../examples/everything/explore.ts";
import { sampleObject } from "../../examples/everything/sample-value.ts";
import { everythingServer } from "../../examples/everything/server.ts";
import { settle } from "../support/fake-host.ts";
import { rawClient } from "../support/raw-client.ts";

const ERAS = ["stateless", "handshake"] as const;
const everything = () => everythingServer(() => Promise.resolve());

async function connected(options: McpClientOptions) {
  const [near, far] = memoryPair();
  const server = everything();
  server.connect(far);
  const client = new McpClient({ name: "c", version: "1" }, options);
  answerEverything(client);
  await client.connect(near);
  return { client, server };
}

describe("the everything server and the everything client", () => {
  for (const era of ERAS) {
    test(`${era}: what is there works, and the tool that is to fail does`, async () => {
      const { client } = await connected({ era });
      const outcomes = await explore(client);
      for (const [what, outcome] of outcomes) {
        assert.ok(!(outcome instanceof Error), `${what}: ${String(outcome)}`);
        // A tool that takes a schema with conditions cannot be called by its type alone.
        const fails = what === "test_error_handling" || what === "json_schema_2020_12_tool";
        assert.equal((outcome as Partial<CallToolResult> | undefined)?.isError === true, fails, what);
      }
      assert.ok(outcomes.size > 30, `${outcomes.size} things are there`);
      await client.close();
    });

    test(`${era}: progress and log messages come while a tool works`, async () => {
      const { client } = await connected({ era, logLevel: "debug" });
      const seen: unknown[] = [];
      client.onLog(({ data }) => seen.push(data));
      await client.callTool({ name: "test_tool_with_progress", arguments: {} }, { onProgress: ({ progress, total }) => seen.push([progress, total]) });
      await client.callTool({ name: "test_tool_with_logging", arguments: {} });
      await settle();
      assert.deepEqual(seen, [[0, 100], [50, 100], [100, 100], "Tool execution started", "Tool processing data", "Tool execution completed"]);
      await client.close();
    });

    test(`${era}: an accepted form has its defaults, and a schema arrives as it was written`, async () => {
      const { client } = await connected({ era });
      const { content } = await client.callTool({ name: "test_elicitation_sep1034_defaults", arguments: {} });
      const filled = { name: "John Doe", age: 30, score: 95.5, status: "active", verified: true };
      assert.deepEqual(content, [{ type: "text", text: `Elicitation completed: action=accept, content=${JSON.stringify(filled)}` }]);
      const tool = (await client.listTools()).find(({ name }) => name === "json_schema_2020_12_tool");
      assert.deepEqual(Object.keys(tool?.inputSchema ?? {}), ["$schema", "type", "$defs", "properties", "allOf", "if", "then", "else", "additionalProperties"]);
      await client.close();
    });

    test(`${era}: lists that change are told`, async () => {
      const { client } = await connected({ era });
      const heard: string[] = [];
      for (const kind of ["tools", "prompts"] as const) client.onListChanged(kind, () => heard.push(kind));
      await settle();
      await client.callTool({ name: "test_trigger_tool_change", arguments: {} });
      await client.callTool({ name: "test_trigger_prompt_change", arguments: {} });
      await settle();
      assert.deepEqual(heard, ["tools", "prompts"]);
      await client.close();
    });
  }
});

describe("the everything server, asked in 2026-07-28 by a client that does no more than the wire,", () => {
  const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };
  const open = (capabilities: JsonObject = CAPABILITIES) => rawClient(everything(), { version: "2026-07-28", capabilities });
  const accept = (content: JsonObject) => ({ action: "accept", content });

  test("asks under keys that say what for, and needs no state for a question that stands by itself", async () => {
    const client = await open();
    const call = { name: "test_input_required_result_elicitation", arguments: {} };
    const first = await client.send("tools/call", call);
    assert.deepEqual([Object.keys(first.inputRequests as JsonObject), first.requestState], [["user_name"], undefined]);
    const done = await client.send("tools/call", { ...call, inputResponses: { user_name: accept({ name: "Alice" }), stray: 1 } });
    assert.deepEqual(done.content, [{ type: "text", text: "Hello, Alice!" }]);
    const again = await client.send("tools/call", { ...call, inputResponses: { wrong_key: accept({ data: "wrong" }) } });
    assert.equal(again.resultType, "input_required");
    assert.equal((await client.failure("tools/call", { ...call, inputResponses: { user_name: 12345 } })).code, -32602);
  });

  test("keeps a state under a seal where there is something to keep", async () => {
    const client = await open();
    const call = { name: "test_input_required_result_multi_round", arguments: {} };
    const first = await client.send("tools/call", call);
    const second = await client.send("tools/call", { ...call, inputResponses: { step1: accept({ name: "Alice" }) }, requestState: first.requestState });
    assert.deepEqual(Object.keys(second.inputRequests as JsonObject), ["step2"]);
    assert.notEqual(second.requestState, first.requestState);
    const done = await client.send("tools/call", { ...call, inputResponses: { step2: accept({ color: "blue" }) }, requestState: second.requestState });
    assert.deepEqual(done.content, [{ type: "text", text: "Alice likes blue" }]);
    const tampered = { ...call, inputResponses: {}, requestState: `${String(second.requestState)}-TAMPERED` };
    assert.equal((await client.failure("tools/call", tampered)).code, -32602);
  });

  test("asks no more than a client can answer, and names the capability that it cannot do without", async () => {
    const modest = await open({ sampling: {} });
    const asked = await modest.send("tools/call", { name: "test_input_required_result_capabilities", arguments: {} });
    assert.deepEqual(Object.values(asked.inputRequests as Record<string, JsonObject>).map(({ method }) => method), ["sampling/createMessage"]);
    const mute = await open({});
    const { code, data } = await mute.failure("tools/call", { name: "test_missing_capability", arguments: {} });
    assert.deepEqual([code, data], [-32021, { requiredCapabilities: { sampling: {} } }]);
  });

  test("says for how long its lists are good, and names a resource that there is none of", async () => {
    const client = await open();
    const { ttlMs, cacheScope } = await client.send("tools/list");
    assert.deepEqual([ttlMs, cacheScope], [5_000, "public"]);
    const { code, data } = await client.failure("resources/read", { uri: "test://nowhere" });
    assert.deepEqual([code, data], [-32602, { uri: "test://nowhere" }]);
  });
});

test("a sample of a schema has what is required, by default, choice or type", () => {
  const properties = {
    a: { type: "integer" },
    b: { type: "string", default: "given" },
    c: { oneOf: [{ const: "first", title: "First" }] },
    d: { type: "object", properties: { e: { enum: ["x", "y"] } }, required: ["e"] },
    f: { type: "array" },
    g: { type: "boolean" },
    h: { $ref: "#/$defs/h" },
    left: { type: "null" },
  };
  const sample = sampleObject({ type: "object", properties, required: ["a", "b", "c", "d", "f", "g", "h"] });
  assert.deepEqual(sample, { a: 1, b: "given", c: "first", d: { e: "x" }, f: [], g: true, h: "text" });
});

test("what cannot be done is an outcome like any other", async () => {
  const { client } = await connected({});
  const outcomes = await explore(client, [{ name: "nowhere", arguments: {} }]);
  assert.ok(outcomes.get("nowhere") instanceof RpcError);
  await client.close();
});
