import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DEFAULT_LIMITS } from "../../../../src/core/base/limits.ts";
import { McpServer, type McpServerOptions } from "../../../../src/core/mcp/server.ts";
import { META, PROTOCOL_VERSIONS } from "../../../../src/core/wire/versions.ts";
import { fakeHost, settle } from "../../../support/fake-host.ts";
import { rawClient, type RawClient } from "../../../support/raw-client.ts";
import { scriptedTransport } from "../../../support/scripted-transport.ts";

const INFO = { name: "s", version: "1" };
const UPDATED = "notifications/resources/updated";
const HANDSHAKE = PROTOCOL_VERSIONS.filter((version) => version !== "2026-07-28");

function setUp(options: McpServerOptions = {}) {
  const host = fakeHost();
  const server = new McpServer(INFO, { host, ...options });
  server.resource({ uri: "r:1", name: "r1" }, () => "");
  server.resourceTemplate({ uriTemplate: "t:{a}", name: "t" }, () => "");
  const tool = server.tool({ name: "t", inputSchema: { type: "object" } }, () => "");
  return { host, server, tool };
}
/** Opens a stream and waits until it is acknowledged; gives its id and its end. */
async function listen(client: RawClient, notifications: object) {
  const before = client.notifications.length;
  const ended = client.send("subscriptions/listen", { notifications });
  ended.catch(() => {});
  await settle();
  const acknowledged = client.notifications.slice(before).find(({ method }) => method === "notifications/subscriptions/acknowledged");
  const id = (acknowledged?.params._meta as Record<string, unknown> | undefined)?.[META.subscriptionId];
  return { id: id as number, ended, honoured: acknowledged?.params.notifications };
}
const told = (client: RawClient) => {
  const seen = client.notifications.splice(0).map(({ method, params }) => {
    const id = (params._meta as Record<string, unknown> | undefined)?.[META.subscriptionId];
    return [method.replace("notifications/", ""), ...(params.uri === undefined ? [] : [params.uri]), ...(id === undefined ? [] : [id])].join(" ");
  });
  return seen;
};

for (const version of HANDSHAKE) {
  describe(`subscriptions in ${version}`, () => {
    test("tell a session of the resources that it has subscribed to, until it unsubscribes", async () => {
      const { server } = setUp();
      const client = await rawClient(server, { version });
      const other = await rawClient(server, { version });
      for (const uri of ["r:1", "t:x", "r:1"]) assert.deepEqual(await client.send("resources/subscribe", { uri }), {});
      for (const uri of ["r:1", "t:x", "t:y"]) server.resourceUpdated(uri);
      await settle();
      assert.deepEqual([told(client), told(other)], [["resources/updated r:1", "resources/updated t:x"], []]);
      assert.deepEqual(await client.send("resources/unsubscribe", { uri: "r:1" }), {});
      assert.deepEqual(await client.send("resources/unsubscribe", { uri: "never" }), {});
      for (const uri of ["r:1", "t:x"]) server.resourceUpdated(uri);
      await settle();
      assert.deepEqual(told(client), ["resources/updated t:x"]);
    });

    test("are refused for what there is not, and what is malformed", async () => {
      const client = await rawClient(setUp().server, { version });
      assert.deepEqual(await client.failure("resources/subscribe", { uri: "nope" }), { code: -32002, message: "Resource not found", data: { uri: "nope" } });
      for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
        for (const params of [{}, { uri: 5 }]) assert.equal((await client.failure(method, params)).code, -32602);
      }
      assert.equal((await client.failure("subscriptions/listen", { notifications: {} })).code, -32601);
    });

    test("tell a session of each list that changes, where that was announced", async () => {
      const { server, tool } = setUp();
      const client = await rawClient(server, { version });
      tool.update({ title: "T" });
      server.resource({ uri: "r:2", name: "r2" }, () => "");
      server.prompt({ name: "not announced" }, () => "");
      await settle();
      assert.deepEqual(told(client), ["tools/list_changed", "resources/list_changed"]);
    });
  });
}

describe("subscriptions/listen", () => {
  const version = "2026-07-28";
  test("acknowledges first, with what it will honour, and then tells what was asked for alone", async () => {
    const { server, tool } = setUp();
    const client = await rawClient(server, { version });
    const { id, honoured } = await listen(client, { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: false, resourceSubscriptions: ["r:1", "later:", "r:1"], odd: 1 });
    assert.deepEqual(honoured, { toolsListChanged: true, resourceSubscriptions: ["r:1", "later:"] });
    client.notifications.length = 0;
    tool.update({ title: "T" });
    server.resource({ uri: "later:", name: "l" }, () => "");
    server.prompt({ name: "p" }, () => "");
    for (const uri of ["r:1", "t:x", "later:"]) server.resourceUpdated(uri);
    await settle();
    assert.deepEqual(told(client), [`tools/list_changed ${id}`, `resources/updated r:1 ${id}`, `resources/updated later: ${id}`]);
  });

  test("sends in the exchange of its request, the acknowledgement before anything else", async () => {
    const { server, tool } = setUp();
    server.use((next) => (request) => {
      const outcome = next(request);
      tool.update({ title: "at once" });
      return outcome;
    });
    const transport = scriptedTransport();
    server.connect(transport);
    transport.deliver({ jsonrpc: "2.0", id: "mine", method: "subscriptions/listen", params: { notifications: { toolsListChanged: true }, _meta: { [META.protocolVersion]: version, [META.clientCapabilities]: {} } } });
    await settle();
    assert.deepEqual(transport.sent, [
      { message: { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { _meta: { [META.subscriptionId]: "mine" }, notifications: { toolsListChanged: true } } }, route: { related: "mine" } },
      { message: { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta: { [META.subscriptionId]: "mine" } } }, route: { related: "mine" } },
    ]);
  });

  test("keeps streams apart, of one client and of several; sessions hear nothing of them", async () => {
    const { server, tool } = setUp();
    const client = await rawClient(server, { version });
    const other = await rawClient(server, { version });
    const session = await rawClient(server, { version: "2025-11-25" });
    const tools = await listen(client, { toolsListChanged: true });
    const both = await listen(client, { toolsListChanged: true, resourceSubscriptions: ["r:1"] });
    const nothing = await listen(other, {});
    assert.deepEqual(nothing.honoured, {});
    for (const { notifications } of [client, other, session]) notifications.length = 0;
    tool.update({ title: "T" });
    server.resourceUpdated("r:1");
    await settle();
    assert.deepEqual(told(client), [`tools/list_changed ${tools.id}`, `tools/list_changed ${both.id}`, `resources/updated r:1 ${both.id}`]);
    assert.deepEqual([told(other), told(session)], [[], ["tools/list_changed"]]);
  });

  test("stays open until the client cancels, and then says nothing more", async () => {
    const { server, tool } = setUp();
    const client = await rawClient(server, { version });
    const { id } = await listen(client, { toolsListChanged: true });
    client.notifications.length = 0;
    await client.peer.notify("notifications/cancelled", { requestId: id });
    await settle();
    tool.update({ title: "T" });
    await settle();
    assert.deepEqual([told(client), client.peer.stats().pending, client.peer.stats().lateResponses], [[], 1, 0]);
    assert.deepEqual((await client.send("tools/list")).resultType, "complete");
  });

  test("takes no place among the requests in flight once it is cancelled", async () => {
    const client = await rawClient(setUp({ limits: { maxIncomingRequests: 2 } }).server, { version });
    for (let count = 0; count < 5; count++) {
      const { id } = await listen(client, {});
      await client.peer.notify("notifications/cancelled", { requestId: id });
      await settle();
    }
    assert.equal((await client.send("tools/list")).resultType, "complete");
  });

  test("is answered when the server closes, before the connection ends", async () => {
    const byServer = (server: McpServer) => server.close();
    const byConnection = (_server: McpServer, client: RawClient) => client.connection.close();
    for (const [close, lines] of [[byServer, false], [byConnection, false], [byServer, true], [byConnection, true]] as const) {
      const { server, host } = setUp();
      const client = await rawClient(server, { version, lines });
      const { id, ended } = await listen(client, { toolsListChanged: true });
      await close(server, client);
      assert.deepEqual(await ended, { resultType: "complete", _meta: { [META.serverInfo]: INFO, [META.subscriptionId]: id } });
      assert.equal(await client.peer.closed, undefined);
      assert.equal(host.liveTimers, 0);
    }
  });

  test("says by a cancellation, where streams share a channel, that nothing follows its answer", async () => {
    const { server } = setUp();
    const transport = scriptedTransport();
    server.connect(transport);
    transport.deliver({ jsonrpc: "2.0", id: 7, method: "subscriptions/listen", params: { notifications: {}, _meta: { [META.protocolVersion]: version, [META.clientCapabilities]: {} } } });
    await settle();
    await server.close();
    const [, answer, cancellation, ...rest] = transport.sent.map(({ message }) => message as unknown as { id?: unknown; method?: string; params?: { requestId?: unknown } });
    assert.deepEqual([answer?.id, cancellation?.method, cancellation?.params?.requestId, rest], [7, "notifications/cancelled", 7, []]);
  });

  test("does not hold up the end where something holds its answer", async () => {
    const { server, host } = setUp();
    server.use((next) => async (request) => {
      const outcome = await next(request);
      if (request.method === "subscriptions/listen") await new Promise(() => {});
      return outcome;
    });
    const client = await rawClient(server, { version });
    await listen(client, { toolsListChanged: true });
    const closed = server.close();
    await host.advance(1_000);
    await closed;
    assert.equal(await client.peer.closed, undefined);
    assert.equal(host.liveTimers, 0);
  });

  test("is refused where its filter is none", async () => {
    const client = await rawClient(setUp().server, { version });
    for (const params of [{}, { notifications: [] }, { notifications: 5 }, { notifications: { toolsListChanged: "yes" } }, { notifications: { resourceSubscriptions: [1] } }]) {
      assert.equal((await client.failure("subscriptions/listen", params)).code, -32602, JSON.stringify(params));
    }
    for (const method of ["resources/subscribe", "resources/unsubscribe"]) assert.equal((await client.failure(method, { uri: "r:1" })).code, -32601);
  });
});

test("a server that takes `subscribe` back neither offers nor serves it", async () => {
  for (const version of PROTOCOL_VERSIONS) {
    const { server } = setUp({ capabilities: { resources: { subscribe: false } } });
    const client = await rawClient(server, { version });
    assert.deepEqual((client.described.capabilities as { resources: unknown }).resources, { subscribe: false, listChanged: true });
    if (version === "2026-07-28") assert.deepEqual((await listen(client, { resourceSubscriptions: ["r:1"], resourcesListChanged: true })).honoured, { resourcesListChanged: true });
    else assert.equal((await client.failure("resources/subscribe", { uri: "r:1" })).code, -32601);
  }
});

test("subscriptions are bounded on each connection, the bound included (maxSubscriptions)", async () => {
  assert.ok(DEFAULT_LIMITS.maxSubscriptions >= 1_000);
  const { server } = setUp({ limits: { maxSubscriptions: 3 } });
  const session = await rawClient(server, { version: "2025-11-25" });
  for (const uri of ["t:1", "t:2", "t:3", "t:3"]) await session.send("resources/subscribe", { uri });
  assert.equal((await session.failure("resources/subscribe", { uri: "t:4" })).code, -32602);
  await session.send("resources/unsubscribe", { uri: "t:1" });
  await session.send("resources/subscribe", { uri: "t:4" });
  const client = await rawClient(server, { version: "2026-07-28" });
  const { id } = await listen(client, { resourceSubscriptions: ["a:", "b:"] });
  assert.equal((await client.failure("subscriptions/listen", { notifications: { resourceSubscriptions: ["c:", "d:"] } })).code, -32602);
  await client.peer.notify("notifications/cancelled", { requestId: id });
  assert.deepEqual((await listen(client, { resourceSubscriptions: ["c:", "d:", "e:"] })).honoured, { resourceSubscriptions: ["c:", "d:", "e:"] });
});

test("a peer that reads slowly gets the last of many changes, and nothing piles up for it", async () => {
  const { server, tool } = setUp();
  const transport = scriptedTransport();
  server.connect(transport);
  transport.deliver({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } } });
  transport.deliver({ jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri: "r:1" } });
  await settle();
  const held: (() => void)[] = [];
  transport.onSend = () => new Promise((resolve) => held.push(resolve));
  for (let count = 0; count < 1_000; count++) {
    tool.update({ title: String(count) });
    server.resourceUpdated("r:1");
  }
  await settle();
  assert.equal(held.length, 2);
  for (const release of held.splice(0)) release();
  await settle();
  assert.equal(held.length, 2);
  for (const release of held.splice(0)) release();
  await settle();
  assert.equal(held.length, 0);
  const methods = transport.sent.slice(2).map(({ message }) => (message as { method: string }).method);
  assert.deepEqual(methods, ["notifications/tools/list_changed", UPDATED, "notifications/tools/list_changed", UPDATED]);
  transport.onSend = () => Promise.reject(new TypeError("broken"));
  server.resourceUpdated("r:1");
  await settle();
  transport.onSend = undefined;
  server.resourceUpdated("r:1");
  await settle();
  assert.equal((transport.sent.at(-1)?.message as { method: string }).method, UPDATED);
  assert.equal(transport.sent.length, 7);
});
