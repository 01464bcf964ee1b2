import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { McpServer } from "../../../../src/core/mcp/server.ts";
import { PROTOCOL_VERSIONS } from "../../../../src/core/wire/versions.ts";
import { fakeHost, settle } from "../../../support/fake-host.ts";
import { rawClient, type RawClient } from "../../../support/raw-client.ts";

const INFO = { name: "s", version: "1" };
const TOOL = { inputSchema: { type: "object" } } as const;
const ICONS = [{ src: "https://example.com/i.png", sizes: ["any"] }];
const listed = async (client: RawClient, method: string, member: string) => {
  const found: { name: string }[] = [];
  const sizes: number[] = [];
  let cursor: unknown;
  do {
    const page = await client.send(method, cursor === undefined ? {} : { cursor });
    const items = page[member] as { name: string }[];
    found.push(...items);
    sizes.push(items.length);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { names: found.map(({ name }) => name), sizes };
};

function everything(options = {}) {
  const server = new McpServer(INFO, { host: fakeHost(), pageSize: 2, ...options });
  for (const name of ["t1", "t2", "t3", "t4"]) server.tool({ name, ...TOOL }, () => "");
  for (const name of ["p1", "p2", "p3"]) server.prompt({ name }, () => "");
  server.resource({ uri: "r:1", name: "r1" }, () => "");
  server.resourceTemplate({ uriTemplate: "d:{n}", name: "d" }, () => "", { list: () => ["d1", "d2", "d3"].map((name) => ({ uri: `d:${name}`, name })) });
  server.resource({ uri: "r:2", name: "r2" }, () => "");
  server.resource({ uri: "d:d2", name: "own" }, () => "");
  server.resourceTemplate({ uriTemplate: "e:{n}", name: "e" }, () => "");
  return server;
}

for (const version of ["2024-11-05", "2026-07-28"]) {
  describe(`lists in ${version}`, () => {
    test("come in pages, in the order of registration, what a template lists in its place and once", async () => {
      const client = await rawClient(everything(), { version });
      assert.deepEqual(await listed(client, "tools/list", "tools"), { names: ["t1", "t2", "t3", "t4"], sizes: [2, 2] });
      assert.deepEqual(await listed(client, "prompts/list", "prompts"), { names: ["p1", "p2", "p3"], sizes: [2, 1] });
      assert.deepEqual(await listed(client, "resources/list", "resources"), { names: ["r1", "d1", "d3", "r2", "own"], sizes: [2, 2, 1] });
      assert.deepEqual(await listed(client, "resources/templates/list", "resourceTemplates"), { names: ["d", "e"], sizes: [2] });
    });

    test("are on one page where no size is given", async () => {
      const client = await rawClient(everything({ pageSize: undefined }), { version });
      assert.deepEqual(await listed(client, "resources/list", "resources"), { names: ["r1", "d1", "d3", "r2", "own"], sizes: [5] });
    });

    test("refuse a cursor that is none, or another list's", async () => {
      const client = await rawClient(everything(), { version });
      const { nextCursor: ofTools } = await client.send("tools/list");
      for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) {
        for (const cursor of [...(method === "tools/list" ? [] : [ofTools]), "", "x", "AAAA", 5, null, {}, `${String(ofTools)}A`, "A".repeat(1_000)]) {
          assert.equal((await client.failure(method, { cursor })).code, -32602, `${method} ${JSON.stringify(cursor)}`);
        }
      }
    });

    test("go on where they were, whatever is added and removed in between", async () => {
      const server = new McpServer(INFO, { host: fakeHost(), pageSize: 2 });
      const handles = ["a", "b", "c", "d"].map((name) => server.prompt({ name }, () => ""));
      const client = await rawClient(server, { version });
      const { nextCursor } = await client.send("prompts/list");
      handles[0]?.remove();
      handles[1]?.remove();
      handles[2]?.update({ title: "C" });
      server.prompt({ name: "e" }, () => "");
      const next = await client.send("prompts/list", { cursor: nextCursor });
      assert.deepEqual(next.prompts, [{ name: "c", title: "C" }, { name: "d" }]);
      const last = await client.send("prompts/list", { cursor: next.nextCursor });
      assert.deepEqual([last.prompts, last.nextCursor], [[{ name: "e" }], undefined]);
    });

    test("keep icons, titles, annotations and _meta", async () => {
      const server = new McpServer(INFO, { host: fakeHost() });
      const more = { title: "T", icons: ICONS, _meta: { "a.b/c": 1 } };
      server.tool({ name: "t", ...TOOL, ...more, annotations: { readOnlyHint: true } }, () => "");
      server.prompt({ name: "p", ...more, arguments: [{ name: "a", required: true }] }, () => "");
      server.resource({ uri: "r:", name: "r", ...more, annotations: { priority: 1 } }, () => "");
      const client = await rawClient(server, { version });
      assert.deepEqual((await client.send("tools/list")).tools, [{ name: "t", ...TOOL, ...more, annotations: { readOnlyHint: true } }]);
      assert.deepEqual((await client.send("prompts/list")).prompts, [{ name: "p", ...more, arguments: [{ name: "a", required: true }] }]);
      assert.deepEqual((await client.send("resources/list")).resources, [{ uri: "r:", name: "r", ...more, annotations: { priority: 1 } }]);
    });

    test("are not there for what nothing was registered for, and stay, empty, for what was removed (case 52)", async () => {
      const server = new McpServer(INFO, { host: fakeHost() });
      server.prompt({ name: "p" }, () => "").remove();
      const client = await rawClient(server, { version });
      assert.deepEqual(client.described.capabilities, { prompts: { listChanged: true } });
      assert.deepEqual((await client.send("prompts/list")).prompts, []);
      for (const method of ["tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "completion/complete", "logging/setLevel"]) {
        assert.equal((await client.failure(method)).code, -32601, method);
      }
    });
  });
}

test("a feature that is announced by hand is served before anything is registered", async () => {
  const server = new McpServer(INFO, { host: fakeHost(), capabilities: { resources: {}, tools: { listChanged: false } } });
  for (const version of PROTOCOL_VERSIONS) {
    const client = await rawClient(server, { version });
    assert.deepEqual(client.described.capabilities, { resources: { subscribe: true, listChanged: true }, tools: { listChanged: false } });
    assert.deepEqual((await client.send("resources/list")).resources, []);
    assert.deepEqual((await client.send("tools/list")).tools, []);
  }
});

test("methods that the owner answers himself are his, and what he announces of them is left as it is", async () => {
  const server = new McpServer(INFO, { host: fakeHost(), capabilities: { tools: {} } }).method("tools/list", () => ({ tools: [] }));
  const client = await rawClient(server, { version: "2025-06-18" });
  assert.deepEqual(client.described.capabilities, { tools: {} });
  assert.equal((await client.failure("tools/call", { name: "x" })).code, -32601);
  assert.throws(() => server.tool({ name: "t", ...TOOL }, () => ""), { code: "conflict" });
});

describe("a registered thing", () => {
  test("that is updated to what it was is no change of a list, nor is a new handler", async () => {
    const server = new McpServer(INFO, { host: fakeHost() });
    const handles = [
      server.tool({ name: "t", title: "T", ...TOOL }, () => "one"),
      server.prompt({ name: "p", title: "T" }, () => ""),
      server.resource({ uri: "r:", name: "r", title: "T" }, () => ""),
      server.resourceTemplate({ uriTemplate: "t:{a}", name: "t", title: "T" }, () => ""),
    ];
    const client = await rawClient(server, { version: "2025-11-25" });
    for (const handle of handles) for (const same of [{}, { title: "T" }, { description: undefined }]) handle.update(same as object);
    (handles[0] as ReturnType<McpServer["tool"]>).update({}, () => "two");
    await settle();
    assert.deepEqual(client.notifications, []);
    assert.deepEqual((await client.send("tools/call", { name: "t" })).content, [{ type: "text", text: "two" }]);
    for (const handle of handles) handle.update({ title: "U" });
    await settle();
    assert.deepEqual([...new Set(client.notifications.map(({ method }) => method))].sort(), ["prompts", "resources", "tools"].map((kind) => `notifications/${kind}/list_changed`));
  });

  test("can be changed and removed, in its definition and its handler", async () => {
    const server = new McpServer(INFO, { host: fakeHost() });
    const tool = server.tool({ name: "t", ...TOOL }, () => "one");
    const prompt = server.prompt({ name: "p" }, () => "one");
    const resource = server.resource({ uri: "r:", name: "r" }, () => "one");
    const template = server.resourceTemplate({ uriTemplate: "t:{a}", name: "t" }, () => "one");
    const client = await rawClient(server, { version: "2025-11-25" });
    tool.update({ description: "D", inputSchema: { type: "object", required: ["x"] } }, () => "two");
    prompt.update({ description: "D" }, () => "two");
    resource.update({ mimeType: "text/x" }, () => "two");
    template.update({ name: "u" }, (_uri, { a }) => `two ${a}`);
    assert.equal(tool.definition.description, "D");
    assert.equal((await client.send("tools/call", { name: "t" })).isError, true);
    assert.deepEqual((await client.send("tools/call", { name: "t", arguments: { x: 1 } })).content, [{ type: "text", text: "two" }]);
    assert.deepEqual((await client.send("prompts/get", { name: "p" })).messages, [{ role: "user", content: { type: "text", text: "two" } }]);
    assert.deepEqual((await client.send("resources/read", { uri: "r:" })).contents, [{ uri: "r:", mimeType: "text/x", text: "two" }]);
    assert.deepEqual((await client.send("resources/read", { uri: "t:x" })).contents, [{ uri: "t:x", text: "two x" }]);
    prompt.update({ title: "T" });
    assert.deepEqual((await client.send("prompts/get", { name: "p" })).messages, [{ role: "user", content: { type: "text", text: "two" } }]);
    for (const handle of [tool, prompt, resource, template]) {
      handle.remove();
      handle.remove();
      assert.throws(() => handle.update({ name: "z" } as never), { code: "not_found" });
    }
    assert.deepEqual((await client.send("tools/list")).tools, []);
    assert.equal((await client.failure("resources/read", { uri: "t:x" })).code, -32002);
  });

  test("keeps its name, and gives it free once it is removed: to another, whom the old handle cannot touch", () => {
    const server = new McpServer(INFO, { host: fakeHost() });
    const first = server.prompt({ name: "p" }, () => "");
    assert.throws(() => first.update({ name: "q" }), { code: "invalid_argument" });
    assert.throws(() => server.prompt({ name: "p" }, () => ""), { code: "conflict" });
    first.remove();
    const second = server.prompt({ name: "p" }, () => "");
    first.remove();
    assert.throws(() => server.prompt({ name: "p" }, () => ""), { code: "conflict" });
    assert.equal(second.definition.name, "p");
  });

  test("is refused where it is malformed, and then is not there", () => {
    const server = new McpServer(INFO, { host: fakeHost() });
    for (const wrong of [
      () => server.tool({ name: "", ...TOOL }, () => ""),
      () => server.tool({ name: "t", ...TOOL, title: 5 } as never, () => ""),
      () => server.prompt({ name: 5 } as never, () => ""),
      () => server.prompt({ name: "p", arguments: 5 } as never, () => "", { complete: { a: () => [] } }),
      () => server.resourceTemplate({ uriTemplate: 5, name: "t" } as never, () => "", { complete: { a: () => [] } }),
      () => server.prompt({ name: "p" }, () => "", { complete: { a: () => [] } }),
      () => server.resource({ name: "r" } as never, () => ""),
      () => server.resourceTemplate({ uriTemplate: "t:{", name: "t" }, () => ""),
      () => server.resourceTemplate({ uriTemplate: "t:{a}", name: "t" }, () => "", { complete: { b: () => [] } }),
      () => new McpServer(INFO, { pageSize: 0 }),
      () => new McpServer(INFO, { pageSize: 1.5 }),
    ]) assert.throws(wrong, { code: "invalid_argument" });
    server.tool({ name: "t", ...TOOL }, () => "");
  });
});

describe("cache hints", () => {
  test("are said for each list, only in the stateless era", async () => {
    const server = everything({ cache: { "tools/list": { ttlMs: 7, cacheScope: "public" }, "resources/read": { ttlMs: 3, cacheScope: "private" } } });
    const client = await rawClient(server, { version: "2026-07-28" });
    const hints = async (method: string, params = {}) => {
      const { ttlMs, cacheScope } = await client.send(method, params);
      return [ttlMs, cacheScope];
    };
    assert.deepEqual(await hints("tools/list"), [7, "public"]);
    assert.deepEqual(await hints("prompts/list"), [0, "private"]);
    assert.deepEqual(await hints("resources/read", { uri: "r:1" }), [3, "private"]);
    assert.deepEqual(await hints("resources/read", { uri: "r:1", inputResponses: {} }), [0, "private"]);
    assert.deepEqual(await hints("prompts/get", { name: "p1" }), [undefined, undefined]);
    const older = await rawClient(server, { version: "2025-11-25" });
    assert.equal(Object.hasOwn(await older.send("tools/list"), "ttlMs"), false);
  });

  test("are refused where they are none", () => {
    for (const cache of [
      { ttlMs: -1, cacheScope: "public" },
      { ttlMs: 0.5, cacheScope: "public" },
      { ttlMs: 1, cacheScope: "shared" },
      { "tools/list": { ttlMs: 1 } },
      { "tools/call": { ttlMs: 1, cacheScope: "public" } },
    ]) assert.throws(() => new McpServer(INFO, { cache: cache as never }), { code: "invalid_argument" });
  });
});

test("a change of a list that a client is reading tells nobody who has not been told that lists change", async () => {
  const server = everything({ capabilities: { tools: { listChanged: false } } });
  const client = await rawClient(server, { version: "2025-11-25" });
  server.tool({ name: "t5", ...TOOL }, () => "");
  server.prompt({ name: "p4" }, () => "").remove();
  await settle();
  assert.deepEqual([...new Set(client.notifications.map(({ method }) => method))], ["notifications/prompts/list_changed"]);
});

test("a tool whose schema holds the same objects in too many places is refused", () => {
  let schema: object = { description: "x".repeat(100_000) };
  for (let doubled = 0; doubled < 30; doubled++) schema = { oneOf: [schema, schema] };
  const server = new McpServer({ name: "s", version: "1" });
  assert.throws(() => server.tool({ name: "t", inputSchema: { type: "object", ...schema } }, () => "x"), { code: "limit_exceeded", message: /bytes as JSON text/ });
});
