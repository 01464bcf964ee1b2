import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RpcError } from "../../../../src/core/base/errors.ts";
import type { JsonObject } from "../../../../src/core/base/json.ts";
import type { McpClient } from "../../../../src/core/mcp/client.ts";
import { scriptedServer } from "../../../support/scripted-server.ts";

const PROMPT = { name: "p", arguments: [{ name: "a", required: true }], icons: [{ src: "https://example.com/i.png" }], _meta: { x: 1 } };
const RESOURCE = { uri: "file:///a", name: "a" };
const TEMPLATE = { uriTemplate: "file:///{x}", name: "t" };
const CONTENTS = [{ uri: "file:///a", text: "A" }, { uri: "file:///b", blob: "QUE=" }];
const MESSAGES = [{ role: "user", content: { type: "text", text: "hi" } }];
const COMPLETE = { ref: { type: "ref/prompt", name: "p" } as const, argument: { name: "a", value: "x" } };

interface Call {
  readonly method: string;
  readonly run: (client: McpClient) => Promise<unknown>;
  readonly params: JsonObject;
  readonly result: JsonObject;
  readonly expected: unknown;
  readonly malformed: JsonObject[];
}

const CALLS: Call[] = [
  {
    method: "prompts/list",
    run: (c) => c.listPrompts(),
    params: {},
    result: { prompts: [PROMPT] },
    expected: [PROMPT],
    malformed: [{}, { prompts: [{}] }, { prompts: [], nextCursor: 5 }],
  },
  {
    method: "prompts/get",
    run: (c) => c.getPrompt({ name: "p", arguments: { a: "1" } }),
    params: { name: "p", arguments: { a: "1" } },
    result: { messages: MESSAGES },
    expected: { messages: MESSAGES },
    malformed: [{}, { messages: {} }, { messages: [{ role: "system", content: MESSAGES[0]!.content }] }, { messages: [{ role: "user", content: { type: "text" } }] }],
  },
  {
    method: "resources/list",
    run: (c) => c.listResources(),
    params: {},
    result: { resources: [RESOURCE] },
    expected: [RESOURCE],
    malformed: [{ resources: [{ name: "a" }] }, { resources: null }],
  },
  {
    method: "resources/templates/list",
    run: (c) => c.listResourceTemplates(),
    params: {},
    result: { resourceTemplates: [TEMPLATE] },
    expected: [TEMPLATE],
    malformed: [{ resourceTemplates: [{ name: "t" }] }],
  },
  {
    method: "resources/read",
    run: (c) => c.readResource({ uri: "file:///a" }),
    params: { uri: "file:///a" },
    result: { contents: CONTENTS },
    expected: { contents: CONTENTS },
    malformed: [{}, { contents: [{ text: "no uri" }] }],
  },
  {
    method: "completion/complete",
    run: (c) => c.complete(COMPLETE),
    params: COMPLETE,
    result: { completion: { values: ["x1"], hasMore: false } },
    expected: { completion: { values: ["x1"], hasMore: false } },
    malformed: [{}, { completion: { values: "x" } }, { completion: { values: [1] } }],
  },
];

for (const era of ["handshake", "stateless"] as const) {
  for (const { method, run, params, result, expected, malformed } of CALLS) {
    describe(`${method} in the ${era} era`, () => {
      test("sends what it was given, and gives back what the server said", async () => {
        const { client, requests, host } = await scriptedServer({ era, answer: () => result });
        assert.deepEqual(await run(client), expected);
        const { _meta, ...sent } = requests(method)[0]?.params ?? {};
        assert.deepEqual(sent, params);
        assert.equal(_meta !== undefined, era === "stateless");
        assert.equal(host.liveTimers, 0);
      });
      test("rejects with invalid_message where the result is malformed, and passes the server's error on", async () => {
        for (const wrong of malformed) {
          const { client } = await scriptedServer({ era, answer: () => wrong });
          await assert.rejects(run(client), { code: "invalid_message", message: new RegExp(`result of ${method} is malformed`) }, JSON.stringify(wrong));
        }
        const { client } = await scriptedServer({ era, answer: () => new RpcError(-32602, "no such thing", { why: 1 }) });
        await assert.rejects(run(client), { code: -32602, data: { why: 1 } });
      });
      test("is not asked of a server that has not announced it, unless the client is told to", async () => {
        const { client, sent } = await scriptedServer({ era, capabilities: {}, answer: () => result });
        await assert.rejects(run(client), { code: "unsupported", message: /has not announced the capability (prompts|resources|completions)$/ });
        assert.deepEqual(sent(), []);
        const { client: bold } = await scriptedServer({ era, capabilities: {}, options: { checkCapabilities: false }, answer: () => result });
        assert.deepEqual(await run(bold), expected);
      });
    });
  }

  describe(`lists in the ${era} era`, () => {
    const lists = [
      ["prompts", (c: McpClient) => c.listPrompts(), (name: string) => ({ name })],
      ["resources", (c: McpClient) => c.listResources(), (name: string) => ({ uri: `x:${name}`, name })],
      ["resourceTemplates", (c: McpClient) => c.listResourceTemplates(), (name: string) => ({ uriTemplate: `x:{${name}}`, name })],
      ["tools", (c: McpClient) => c.listTools(), (name: string) => ({ name, inputSchema: { type: "object" } })],
    ] as const;
    for (const [member, run, item] of lists) {
      test(`of ${member} are drained, past an empty cursor, up to one that is null`, async () => {
        const pages: Record<string, JsonObject> = {
          none: { [member]: [item("a")], nextCursor: "" },
          "": { [member]: [item("b")], nextCursor: "z" },
          z: { [member]: [item("c")], nextCursor: null },
        };
        const { client, requests } = await scriptedServer({ era, answer: (_method, { cursor }) => pages[(cursor as string | undefined) ?? "none"]! });
        assert.deepEqual(await run(client), [item("a"), item("b"), item("c")]);
        assert.deepEqual(requests().map(({ params }) => params?.cursor), [undefined, "", "z"]);
      });
      test(`of ${member} end with an error where a cursor repeats or the pages have no end`, async () => {
        const { client } = await scriptedServer({ era, answer: (_method, { cursor }) => ({ [member]: [], nextCursor: cursor === "a" ? "b" : "a" }) });
        await assert.rejects(run(client), { code: "invalid_message", message: /twice/ });
        let turn = 0;
        const endless = () => ({ [member]: [], nextCursor: String(++turn) });
        const { client: bounded, requests } = await scriptedServer({ era, options: { limits: { maxPages: 3 } }, answer: endless });
        await assert.rejects(run(bounded), { code: "limit_exceeded" });
        assert.equal(requests().length, 3);
      });
    }
  });
}

test("completion is asked of a server of 2024-11-05, which has no capability to announce it by", async () => {
  const { client } = await scriptedServer({ era: "handshake", version: "2024-11-05", capabilities: {}, answer: () => ({ completion: { values: [] } }) });
  assert.deepEqual(await client.complete({ ref: { type: "ref/resource", uri: "x:{a}" }, argument: { name: "a", value: "" } }), { completion: { values: [] } });
});

test("subscribing needs resources.subscribe, and says so", async () => {
  const details = { method: "resources/subscribe", capability: "resources.subscribe", delivery: "none" };
  for (const era of ["handshake", "stateless"] as const) {
    const { client } = await scriptedServer({ era, capabilities: { resources: {} } });
    await assert.rejects(client.subscribeResource("x:a"), { code: "unsupported", details });
  }
});

test("every call of a client that is not connected rejects with closed", async () => {
  const { client } = await scriptedServer({});
  await client.close();
  for (const { run } of CALLS) await assert.rejects(run(client), { code: "closed" });
  await assert.rejects(client.subscribeResource("x:a"), { code: "closed" });
  await assert.rejects(client.setLogLevel("info"), { code: "closed" });
});
