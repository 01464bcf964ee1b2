import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RpcError } from "../../../../src/core/base/errors.ts";
import { McpServer } from "../../../../src/core/mcp/server.ts";
import { PROTOCOL_VERSIONS } from "../../../../src/core/wire/versions.ts";
import { fakeHost } from "../../../support/fake-host.ts";
import { rawClient } from "../../../support/raw-client.ts";

const INFO = { name: "s", version: "1" };
const text = (words: string) => ({ type: "text", text: words });

function library() {
  const server = new McpServer(INFO, { host: fakeHost() });
  server.prompt(
    { name: "greet", arguments: [{ name: "who", required: true }, { name: "how" }] },
    ({ who, how = "hello" }) => `${how}, ${who}`,
    { complete: { how: (value, filled) => ["hello", "hi", `dear ${filled.who ?? "you"}`].filter((word) => word.startsWith(value)) } },
  );
  server.prompt({ name: "list" }, () => [{ role: "assistant", content: { type: "text", text: "a" } }]);
  server.prompt({ name: "whole" }, () => ({ description: "D", messages: [], _meta: { "a.b/c": 1 } }));
  server.prompt({ name: "wrong" }, () => [{ role: "nobody", content: text("x") }] as never);
  server.prompt({ name: "throws" }, () => {
    throw new TypeError("a secret");
  });
  server.prompt({ name: "says" }, () => {
    throw new RpcError(-31000, "no", { why: 1 });
  });
  server.resource({ uri: "mem:text", name: "text", mimeType: "text/plain" }, (uri) => `about ${uri}`);
  server.resource({ uri: "mem:bytes", name: "bytes" }, () => Uint8Array.of(0, 255, 62));
  server.resource({ uri: "mem:whole", name: "whole" }, () => ({ contents: [{ uri: "mem:a", text: "a" }, { uri: "mem:b", blob: "AA==" }] }));
  server.resource({ uri: "mem:wrong", name: "wrong" }, () => ({ contents: [{ uri: 5 }] }) as never);
  server.resource({ uri: "mem:gone", name: "gone" }, () => undefined);
  server.resourceTemplate({ uriTemplate: "note:{id}", name: "note", mimeType: "text/x" }, (_uri, { id }) => (id === "0" ? undefined : `note ${id}`), {
    complete: { id: async () => Array.from({ length: 250 }, (_, index) => String(index)) },
  });
  server.resourceTemplate({ uriTemplate: "{+any}:bytes", name: "any" }, () => "any");
  return server;
}

for (const version of PROTOCOL_VERSIONS) {
  const notFound = version === "2026-07-28" ? -32602 : -32002;
  describe(`a prompt in ${version}`, () => {
    test("is got as a text, as messages, and whole", async () => {
      const client = await rawClient(library(), { version });
      assert.deepEqual((await client.send("prompts/get", { name: "greet", arguments: { who: "Ann", how: "hi" } })).messages, [{ role: "user", content: text("hi, Ann") }]);
      assert.deepEqual((await client.send("prompts/get", { name: "list" })).messages, [{ role: "assistant", content: text("a") }]);
      const { description, messages, _meta } = await client.send("prompts/get", { name: "whole" });
      assert.deepEqual([description, messages, (_meta as Record<string, unknown>)["a.b/c"]], ["D", [], 1]);
    });

    test("is refused with -32602 where it is unknown, lacks arguments, or is asked for wrongly (cases 15, 16)", async () => {
      const client = await rawClient(library(), { version });
      for (const params of [
        {},
        { name: 5 },
        { name: "nope" },
        { name: "constructor" },
        { name: "__proto__" },
        { name: "greet" },
        { name: "greet", arguments: { how: "x" } },
        { name: "greet", arguments: { who: 5 } },
        { name: "greet", arguments: [] },
      ]) assert.equal((await client.failure("prompts/get", params)).code, -32602, JSON.stringify(params));
      assert.match((await client.failure("prompts/get", { name: "greet" })).message, /needs who/);
    });

    test("that fails is an error response, which quotes nothing of an unexpected one", async () => {
      const client = await rawClient(library(), { version });
      assert.deepEqual(await client.failure("prompts/get", { name: "throws" }), { code: -32603, message: "Internal error", data: undefined });
      assert.deepEqual(await client.failure("prompts/get", { name: "says" }), { code: -31000, message: "no", data: { why: 1 } });
      assert.equal((await client.failure("prompts/get", { name: "wrong" })).code, -32603);
    });
  });

  describe(`a resource in ${version}`, () => {
    test("is read as text, bytes and whole, by its URI or a template", async () => {
      const client = await rawClient(library(), { version });
      const read = async (uri: string) => (await client.send("resources/read", { uri })).contents;
      assert.deepEqual(await read("mem:text"), [{ uri: "mem:text", mimeType: "text/plain", text: "about mem:text" }]);
      assert.deepEqual(await read("mem:bytes"), [{ uri: "mem:bytes", blob: "AP8+" }]);
      assert.deepEqual(await read("mem:whole"), [{ uri: "mem:a", text: "a" }, { uri: "mem:b", blob: "AA==" }]);
      assert.deepEqual(await read("note:a%20b"), [{ uri: "note:a%20b", mimeType: "text/x", text: "note a b" }]);
      assert.deepEqual(await read("x/y:bytes"), [{ uri: "x/y:bytes", text: "any" }]);
    });

    test(`is refused with ${notFound} and its URI where there is none`, async () => {
      const client = await rawClient(library(), { version });
      for (const uri of ["mem:nope", "mem:gone", "note:0", "", "constructor"]) {
        assert.deepEqual(await client.failure("resources/read", { uri }), { code: notFound, message: "Resource not found", data: { uri } });
      }
      for (const params of [{}, { uri: 5 }, { uri: null }]) assert.equal((await client.failure("resources/read", params)).code, -32602);
      assert.equal((await client.failure("resources/read", { uri: "mem:wrong" })).code, -32603);
    });
  });

  describe(`completion in ${version}`, () => {
    const ref = { type: "ref/prompt", name: "greet" };
    test("gives what fits, with the other arguments known, and at most 100 with the number of all", async () => {
      const client = await rawClient(library(), { version });
      assert.deepEqual(client.described.capabilities, { prompts: { listChanged: true }, resources: { subscribe: true, listChanged: true }, completions: {} });
      const complete = async (params: object) => (await client.send("completion/complete", { ...params })).completion;
      assert.deepEqual(await complete({ ref, argument: { name: "how", value: "h" } }), { values: ["hello", "hi"], total: 2, hasMore: false });
      assert.deepEqual(await complete({ ref, argument: { name: "how", value: "d" }, context: { arguments: { who: "Ann" } } }), { values: ["dear Ann"], total: 1, hasMore: false });
      assert.deepEqual(await complete({ ref, argument: { name: "who", value: "" } }), { values: [], total: 0, hasMore: false });
      for (const uri of ["note:{id}", "note:1"]) {
        const { values, total, hasMore } = (await complete({ ref: { type: "ref/resource", uri }, argument: { name: "id", value: "" } })) as { values: string[]; total: number; hasMore: boolean };
        assert.deepEqual([values.length, values[99], total, hasMore], [100, "99", 250, true]);
      }
      assert.deepEqual(await complete({ ref: { type: "ref/resource", uri: "mem:bytes" }, argument: { name: "x", value: "" } }), { values: [], total: 0, hasMore: false });
    });

    test("is refused with -32602 for what there is not, and what is malformed", async () => {
      const client = await rawClient(library(), { version });
      const argument = { name: "how", value: "" };
      for (const params of [
        {},
        { ref },
        { ref, argument: { name: "how" } },
        { ref, argument: { name: "nope", value: "" } },
        { ref, argument: { name: "constructor", value: "" } },
        { ref: { type: "ref/prompt", name: "nope" }, argument },
        { ref: { type: "ref/resource", uri: "nope" }, argument },
        { ref: { type: "ref/resource", uri: "note:{id}" }, argument },
        { ref: { type: "ref/tool", name: "greet" }, argument },
        { ref, argument, context: { arguments: { who: 1 } } },
      ]) assert.equal((await client.failure("completion/complete", params)).code, -32602, JSON.stringify(params));
    });
  });
}

test("a completer's own numbers are kept, and more values than it may give are said to be there", async () => {
  const server = new McpServer(INFO, { host: fakeHost() });
  const outcomes: unknown[] = [{ values: ["a"], total: 5 }, { values: ["a"], hasMore: true }, { values: Array(101).fill("x") }, { values: ["a"] }, { values: [1] }, "x", {}];
  server.prompt({ name: "p", arguments: [{ name: "a" }] }, () => "", { complete: { a: (value) => outcomes[Number(value)] as never } });
  const client = await rawClient(server, { version: "2025-11-25" });
  const ask = (value: string) => client.send("completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value } });
  assert.deepEqual((await ask("0")).completion, { values: ["a"], total: 5, hasMore: true });
  assert.deepEqual((await ask("1")).completion, { values: ["a"], hasMore: true });
  assert.deepEqual((await ask("2")).completion, { values: Array(100).fill("x"), total: 101, hasMore: true });
  assert.deepEqual((await ask("3")).completion, { values: ["a"], total: 1, hasMore: false });
  for (const value of ["4", "5", "6"]) await assert.rejects(ask(value), { code: -32603 });
});

test("a tool's result that is none is the server's fault, whatever its content claims", async () => {
  const server = new McpServer(INFO, { host: fakeHost() });
  server.tool({ name: "t", inputSchema: { type: "object" } }, () => ({ content: [{ type: "text" }] }) as never);
  const client = await rawClient(server, { version: "2025-11-25" });
  assert.equal((await client.failure("tools/call", { name: "t" })).code, -32603);
});

test("a tool's arguments and structured content are checked without further ado", async () => {
  const server = new McpServer(INFO, { host: fakeHost() });
  const outputSchema = { type: "object", required: ["n"] };
  server.tool({ name: "t", inputSchema: { type: "object", properties: { n: { type: "integer" } } }, outputSchema }, ({ n }) => ({ structuredContent: n === 0 ? {} : { n } }));
  const client = await rawClient(server, { version: "2025-11-25" });
  assert.equal((await client.send("tools/call", { name: "t", arguments: { n: "x" } })).isError, true);
  assert.deepEqual((await client.send("tools/call", { name: "t", arguments: { n: 1 } })).structuredContent, { n: 1 });
  assert.equal((await client.failure("tools/call", { name: "t", arguments: { n: 0 } })).code, -32603);
});

test("tasks of 2025-11-25 pass through methods of the owner's own, unharmed", async () => {
  const task = { taskId: "1", status: "working", createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ttl: null };
  const capabilities = { tasks: { requests: { tools: { call: {} } } } };
  const server = new McpServer(INFO, { host: fakeHost(), capabilities })
    .method("tools/call", (params) => ({ task: { ...task, asked: params.task } }))
    .method("tasks/get", () => task);
  const client = await rawClient(server, { version: "2025-11-25" });
  assert.deepEqual(client.described.capabilities, { tools: {}, ...capabilities });
  assert.deepEqual(await client.send("tools/call", { name: "x", task: { ttl: 5 } }), { task: { ...task, asked: { ttl: 5 } } });
  assert.deepEqual(await client.send("tasks/get", { taskId: "1" }), task);
});
