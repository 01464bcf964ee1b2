import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RpcError } from "../../../../src/core/base/errors.ts";
import type { JsonObject } from "../../../../src/core/base/json.ts";
import { DEFAULT_LIMITS } from "../../../../src/core/base/limits.ts";
import type { McpClient, McpClientOptions } from "../../../../src/core/mcp/client.ts";
import { createResultCache } from "../../../../src/core/mcp/features/client-cache.ts";
import { fakeHost } from "../../../support/fake-host.ts";
import { scriptedServer, type Parts } from "../../../support/scripted-server.ts";

const LISTS: Record<string, (client: McpClient, options?: { fresh?: boolean }) => Promise<unknown>> = {
  "tools/list": (c, options) => c.listTools(options),
  "prompts/list": (c, options) => c.listPrompts(options),
  "resources/list": (c, options) => c.listResources(options),
  "resources/templates/list": (c, options) => c.listResourceTemplates(options),
  "resources/read": (c, options) => c.readResource({ uri: "x:a" }, options),
};
const EMPTY = { tools: [], prompts: [], resources: [], resourceTemplates: [], contents: [] };

const caching = (hints: JsonObject, parts: Partial<Parts> & { options?: McpClientOptions } = {}) => scriptedServer({ answer: () => ({ resultType: "complete", ...EMPTY, ...hints }), ...parts });

for (const [method, run] of Object.entries(LISTS)) {
  describe(`a result of ${method}`, () => {
    test("is used again while it is fresh, and not from then on", async () => {
      const { client, requests, host } = await caching({ ttlMs: 1_000, cacheScope: "private" });
      const first = await run(client);
      await host.advance(999);
      assert.deepEqual(await run(client), first);
      assert.equal(requests(method).length, 1);
      await host.advance(1);
      await run(client);
      assert.equal(requests(method).length, 2);
      await run(client);
      assert.equal(requests(method).length, 2);
      await run(client, { fresh: true });
      assert.equal(requests(method).length, 3);
      assert.equal(host.liveTimers, 0);
    });

    test("is not used again without a time, with one that is 0 or negative, in the handshake era, or where the client is told not to", async () => {
      for (const [hints, parts] of [
        [{}, {}],
        [{ ttlMs: 0, cacheScope: "public" }, {}],
        [{ ttlMs: -5, cacheScope: "public" }, {}],
        [{ ttlMs: 1_000, cacheScope: "public" }, { era: "handshake" }],
        [{ ttlMs: 1_000, cacheScope: "public" }, { options: { cache: false } }],
      ] as const) {
        const { client, requests } = await caching(hints, parts);
        await run(client);
        await run(client);
        assert.equal(requests(method).length, 2, JSON.stringify([hints, parts]));
      }
    });
  });
}

describe("kept results", () => {
  const hints = { ttlMs: 60_000, cacheScope: "public" };

  test("go when the server tells a change, those of that list or resource alone", async () => {
    const rows: [string, JsonObject, string[]][] = [
      ["notifications/tools/list_changed", {}, ["tools/list"]],
      ["notifications/prompts/list_changed", {}, ["prompts/list"]],
      ["notifications/resources/list_changed", {}, ["resources/list", "resources/templates/list"]],
      ["notifications/resources/updated", { uri: "x:a" }, ["resources/read"]],
      ["notifications/resources/updated", { uri: "x:b" }, []],
    ];
    for (const [notification, params, expected] of rows) {
      const { client, requests, notify } = await caching(hints);
      for (const run of Object.values(LISTS)) await run(client);
      const before = requests().length;
      // Whether or not it belongs to a subscription: what it says is reason enough.
      await notify(notification, params);
      for (const run of Object.values(LISTS)) await run(client);
      assert.deepEqual(requests().slice(before).map(({ method }) => method), expected, notification);
    }
  });

  test("are told apart by params, by page, and by who asks where they are private", async () => {
    let who = "ada";
    for (const [cacheScope, asked] of [["public", 1], ["private", 2]] as const) {
      who = "ada";
      const { client, requests } = await caching({ ttlMs: 60_000, cacheScope }, { options: { principal: () => who } });
      await client.readResource({ uri: "x:a" });
      who = "bob";
      await client.readResource({ uri: "x:a" });
      who = "ada";
      await client.readResource({ uri: "x:a" });
      assert.equal(requests().length, asked, cacheScope);
      await client.readResource({ uri: "x:b" });
      await client.readResource({ uri: "x:a", _meta: { "com.example/x": 1 } });
      assert.equal(requests().length, asked + 2);
    }
  });

  test("are copies: who changes one changes no other", async () => {
    const { client } = await caching({ ...hints, contents: [{ uri: "x:a", text: "A" }] });
    for (let turn = 0; turn < 3; turn++) {
      const result = await client.readResource({ uri: "x:a" });
      assert.deepEqual(result.contents, [{ uri: "x:a", text: "A" }]);
      result.contents.length = 0;
    }
  });

  test("are pages, each with its own time", async () => {
    const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
    const { client, requests, host } = await scriptedServer({
      answer: (_method, { cursor }) => (cursor === undefined ? { tools: [tool("a")], nextCursor: "2", ttlMs: 1_000, cacheScope: "public" } : { tools: [tool("b")], ttlMs: 10, cacheScope: "public" }),
    });
    await client.listTools();
    await host.advance(10);
    assert.equal((await client.listTools()).length, 2);
    assert.deepEqual(requests().map(({ params }) => params?.cursor), [undefined, "2", "2"]);
  });

  test("whose cursor the server has forgotten are all dropped, and the list is read anew, once", async () => {
    const valid = new Set([undefined, "one"]);
    const { client, requests } = await scriptedServer({
      answer(_method, { cursor }) {
        if (!valid.has(cursor as never)) return new RpcError(-32602, "no such cursor");
        return cursor === undefined ? { prompts: [], nextCursor: [...valid][1], ttlMs: 1_000, cacheScope: "public" } : { prompts: [], ttlMs: 0, cacheScope: "public" };
      },
    });
    await client.listPrompts();
    valid.delete("one");
    valid.add("two");
    await client.listPrompts();
    assert.deepEqual(requests().map(({ params }) => params?.cursor), [undefined, "one", "one", undefined, "two"]);
    valid.clear();
    await assert.rejects(client.listPrompts({ fresh: true }), { code: -32602 });
    assert.equal(requests().length, 6);
  });

  test("end with the connection, and are not what request gives", async () => {
    const { client, requests } = await caching(hints);
    await client.listTools();
    await client.request("tools/list");
    assert.equal(requests().length, 2);
  });
});

describe("the cache", () => {
  const result = (text: string) => ({ ttlMs: 1_000, cacheScope: "public", text });
  const setUp = (limits: object = {}) => {
    const host = fakeHost();
    return { host, cache: createResultCache(host, { ...DEFAULT_LIMITS, ...limits }, () => "me") };
  };

  test("drops what was used longest ago, above its number of results and above its characters", () => {
    for (const limits of [{ maxCachedResults: 2 }, { maxCachedChars: 2 * JSON.stringify(result("a")).length }]) {
      const { cache } = setUp(limits);
      const has = () => ["a", "b", "c"].filter((uri) => cache.find("resources/read", { uri }) !== undefined);
      cache.expect("resources/read", { uri: "a" })(result("a"));
      cache.expect("resources/read", { uri: "b" })(result("b"));
      assert.deepEqual(has(), ["a", "b"]);
      cache.find("resources/read", { uri: "a" });
      cache.expect("resources/read", { uri: "c" })(result("c"));
      assert.deepEqual(has(), ["a", "c"]);
    }
  });
  test("keeps nothing that is larger than all it may keep, and the rest stays", () => {
    const { cache } = setUp({ maxCachedChars: 100 });
    cache.expect("resources/read", { uri: "a" })(result("a"));
    cache.expect("resources/read", { uri: "b" })(result("b".repeat(100)));
    assert.deepEqual(cache.find("resources/read", { uri: "a" }), result("a"));
    assert.equal(cache.find("resources/read", { uri: "b" }), undefined);
  });
  test("keeps no answer that a change has overtaken", () => {
    const { cache } = setUp();
    const keep = cache.expect("tools/list", {});
    cache.evict("tools/list");
    keep(result("old"));
    assert.equal(cache.find("tools/list", {}), undefined);
  });
  test("keeps no result under params that are no JSON", () => {
    const { cache } = setUp();
    const params: JsonObject = {};
    params.self = params;
    cache.expect("resources/read", params)(result("a"));
    assert.equal(cache.find("resources/read", params), undefined);
  });
  test("takes a principal that is called like everybody for one of its own", () => {
    const host = fakeHost();
    let who = "null";
    const cache = createResultCache(host, DEFAULT_LIMITS, () => who);
    cache.expect("tools/list", {})({ ttlMs: 5, cacheScope: "private" });
    who = "other";
    assert.equal(cache.find("tools/list", {}), undefined);
  });
});
