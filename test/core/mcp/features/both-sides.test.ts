import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../../../../src/core/base/json.ts";
import { McpClient, type McpClientOptions } from "../../../../src/core/mcp/client.ts";
import { elicit, roots, sample } from "../../../../src/core/mcp/features/server-ask.ts";
import { McpServer, type McpServerOptions } from "../../../../src/core/mcp/server.ts";
import { memoryPair } from "../../../../src/core/transport/memory.ts";
import { PROTOCOL_VERSIONS } from "../../../../src/core/wire/versions.ts";
import { fakeHost, settle } from "../../../support/fake-host.ts";

const SCHEMA = { type: "object", properties: { name: { type: "string", minLength: 2 } }, required: ["name"] } as const;

async function connected(version: string, prepare: (server: McpServer, client: McpClient) => void, options: { client?: McpClientOptions; server?: McpServerOptions } = {}) {
  const host = fakeHost();
  const server = new McpServer({ name: "s", version: "1" }, { host, capabilities: { logging: {} }, ...options.server });
  const client = new McpClient({ name: "c", version: "1" }, { host, versions: [version], ...options.client });
  prepare(server, client);
  const [left, right] = memoryPair();
  const connection = server.connect(right);
  await client.connect(left);
  await settle();
  return { host, server, client, connection };
}

for (const version of PROTOCOL_VERSIONS) {
  const eliciting = version >= "2025-06-18";
  describe(`one server and one client, written once, in ${version}:`, () => {
    test("a tool asks for everything that the client answers", async () => {
      const { client, host } = await connected(version, (server, own) => {
        own
          .onRoots([{ uri: "file:///w" }])
          .onSampling(({ messages }) => ({ role: "assistant", content: { type: "text", text: `${messages.length} said` }, model: "m" }))
          .onElicitation(({ message }) => ({ action: "accept", content: { name: `${message}!` } }));
        server.tool({ name: "t", inputSchema: { type: "object" } }, async (_args, { ask }) => {
          const { roots: found } = await ask(roots());
          const said = await ask(sample({ messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 5 }));
          const who = eliciting ? await ask(elicit({ message: "Who", requestedSchema: { ...SCHEMA, required: [...SCHEMA.required] } })) : { content: {} };
          return JSON.stringify([found[0]?.uri, said.content, who.content]);
        });
      });
      const { content } = await client.callTool({ name: "t" });
      assert.deepEqual(JSON.parse((content[0] as { text: string }).text), ["file:///w", { type: "text", text: "1 said" }, eliciting ? { name: "Who!" } : {}]);
      assert.equal(host.liveTimers, 0);
    });

    test("prompts, resources, templates and completion", async () => {
      const { client } = await connected(version, (server) => {
        server.prompt({ name: "p", arguments: [{ name: "a" }] }, ({ a }) => `say ${String(a)}`, { complete: { a: (value) => [`${value}1`, `${value}2`] } });
        server.resource({ uri: "x:a", name: "a" }, () => "A");
        server.resourceTemplate({ uriTemplate: "x:t/{id}", name: "t" }, (_uri, { id }) => `T ${String(id)}`, { complete: { id: () => ["7"] } });
      });
      assert.deepEqual((await client.listPrompts()).map(({ name }) => name), ["p"]);
      assert.deepEqual((await client.getPrompt({ name: "p", arguments: { a: "hi" } })).messages[0]?.content, { type: "text", text: "say hi" });
      assert.deepEqual((await client.listResources()).map(({ uri }) => uri), ["x:a"]);
      assert.deepEqual((await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate), ["x:t/{id}"]);
      assert.equal((await client.readResource({ uri: "x:t/7" })).contents[0]?.text, "T 7");
      await assert.rejects(client.readResource({ uri: "x:none" }), { code: version === "2026-07-28" ? -32602 : -32002 });
      assert.deepEqual((await client.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "v" } })).completion.values, ["v1", "v2"]);
      assert.deepEqual((await client.complete({ ref: { type: "ref/resource", uri: "x:t/{id}" }, argument: { name: "id", value: "" } })).completion.values, ["7"]);
    });

    test("changes of lists and updates of resources", async () => {
      const seen: string[] = [];
      const { client, server } = await connected(version, (own, listener) => {
        own.tool({ name: "t", inputSchema: { type: "object" } }, () => "");
        own.prompt({ name: "p" }, () => "");
        own.resource({ uri: "x:a", name: "a" }, () => "A");
        own.resource({ uri: "x:b", name: "b" }, () => "B");
        for (const kind of ["tools", "prompts", "resources"] as const) listener.onListChanged(kind, () => seen.push(kind));
        listener.onResourceUpdated((uri) => seen.push(uri));
      });
      await client.subscribeResource("x:a");
      server.resourceUpdated("x:b");
      server.resourceUpdated("x:a");
      server.tool({ name: "u", inputSchema: { type: "object" } }, () => "");
      server.prompt({ name: "q" }, () => "");
      server.resource({ uri: "x:c", name: "c" }, () => "");
      await settle();
      assert.deepEqual(seen.sort(), ["prompts", "resources", "tools", "x:a"]);
      await client.unsubscribeResource("x:a");
      await settle();
      server.resourceUpdated("x:a");
      await settle();
      assert.equal(seen.length, 4);
    });

    test("log messages, from the level that the client asks for", async () => {
      const seen: unknown[] = [];
      const { client } = await connected(version, (server, own) => {
        own.onLog(({ level, data }) => seen.push([level, data]));
        server.tool({ name: "t", inputSchema: { type: "object" } }, (_args, { log }) => {
          log("debug", "d");
          log("error", { e: 1 });
          return "";
        });
      }, { client: { logLevel: "warning" } });
      await client.callTool({ name: "t" });
      await client.setLogLevel("debug");
      await client.callTool({ name: "t" });
      await settle();
      assert.deepEqual(seen, [["error", { e: 1 }], ["debug", "d"], ["error", { e: 1 }]]);
    });
  });
}

test("kept results are asked for again once the server has changed them", async () => {
  let reads = 0;
  const { client, server } = await connected(
    "2026-07-28",
    (own, listener) => {
      own.resource({ uri: "x:a", name: "a" }, () => String(++reads));
      listener.onListChanged("resources", () => {});
    },
    { server: { cache: { ttlMs: 60_000, cacheScope: "private" } } },
  );
  await client.subscribeResource("x:a");
  const read = async () => ((await client.readResource({ uri: "x:a" })).contents[0] as JsonObject).text;
  assert.deepEqual([await read(), await read()], ["1", "1"]);
  server.resourceUpdated("x:a");
  await settle();
  assert.deepEqual([await read(), await read()], ["2", "2"]);
});
