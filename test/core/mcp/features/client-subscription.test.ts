import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RpcError } from "../../../../src/core/base/errors.ts";
import type { JsonObject } from "../../../../src/core/base/json.ts";
import { McpClient } from "../../../../src/core/mcp/client.ts";
import { createSubscription } from "../../../../src/core/mcp/features/client-subscription.ts";
import type { RequestId } from "../../../../src/core/wire/message.ts";
import { META } from "../../../../src/core/wire/versions.ts";
import { fakeHost, settle } from "../../../support/fake-host.ts";
import { scriptedTransport } from "../../../support/scripted-transport.ts";
import { scriptedServer, SILENCE, type Parts, type ScriptedServer } from "../../../support/scripted-server.ts";

const CHANGED = "notifications/tools/list_changed";

/** A stateless server that leaves streams open; `acknowledge` agrees to all that is asked for, or to less. */
async function streaming(parts: Parts = {}) {
  const server = await scriptedServer({ answer: () => SILENCE, ...parts });
  const ids = () => server.requests("subscriptions/listen").map(({ id }) => id);
  const filters = () => server.requests("subscriptions/listen").map(({ params }) => params?.notifications);
  const tagged = (id: RequestId | undefined, params: JsonObject = {}) => ({ ...params, _meta: { [META.subscriptionId]: id } });
  const acknowledge = async (agreed?: JsonObject, id: RequestId | undefined = ids().at(-1)) =>
    await server.notify("notifications/subscriptions/acknowledged", tagged(id, { notifications: agreed ?? server.requests("subscriptions/listen").find((request) => request.id === id)?.params?.notifications }));
  const tell = async (method: string, params?: JsonObject, id: RequestId | undefined = ids().at(-1)) => await server.notify(method, tagged(id, params));
  const cancelled = () => server.sent().flatMap((message) => ("method" in message && message.method === "notifications/cancelled" ? [message.params?.requestId] : []));
  return { ...server, ids, filters, acknowledge, tell, cancelled };
}

async function listening(prepare: (client: McpClient) => void, parts: Parts = {}) {
  const server = await streaming({ ...parts, prepare });
  await settle();
  return server;
}

describe("onListChanged", () => {
  test("hears of each list by notifications in the handshake era, and asks for nothing", async () => {
    const { client, notify, sent } = await scriptedServer({ era: "handshake" });
    const seen: string[] = [];
    for (const kind of ["tools", "prompts", "resources"] as const) client.onListChanged(kind, () => seen.push(kind));
    client.notification(CHANGED, () => seen.push("raw"));
    for (const kind of ["resources", "tools", "prompts", "roots"]) await notify(`notifications/${kind}/list_changed`);
    assert.deepEqual(seen, ["resources", "tools", "raw", "prompts"]);
    assert.deepEqual(sent(), []);
  });

  test("opens one stream for all that is wanted, before or after connecting, in a stateless revision", async () => {
    const { client, ids, filters, acknowledge, tell, host } = await listening((own) => void own.onListChanged("tools", () => {}));
    assert.deepEqual(filters(), [{ toolsListChanged: true }]);
    await acknowledge();
    const seen: string[] = [];
    client.onListChanged("prompts", () => seen.push("prompts"));
    client.onListChanged("resources", () => seen.push("resources"));
    await settle();
    assert.deepEqual(filters()[1], { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
    await acknowledge();
    await tell("notifications/prompts/list_changed");
    await tell("notifications/resources/list_changed");
    assert.deepEqual(seen, ["prompts", "resources"]);
    assert.equal(ids().length, 2);
    assert.equal(host.liveTimers, 0);
  });

  test("keeps the old stream until the new one is acknowledged, and hears nothing twice", async () => {
    let changes = 0;
    const { client, ids, acknowledge, tell, cancelled } = await listening((own) => void own.onListChanged("tools", () => changes++));
    await acknowledge();
    client.onListChanged("prompts", () => {});
    await settle();
    const [first, second] = ids();
    await tell(CHANGED, {}, first);
    assert.deepEqual([changes, cancelled()], [1, []]);
    await acknowledge({ toolsListChanged: true }, second);
    assert.deepEqual(cancelled(), [first]);
    await tell(CHANGED, {}, first);
    await tell(CHANGED, {}, second);
    assert.equal(changes, 2);
  });

  test("goes by the subscription's id, its type included, and by nothing else", async () => {
    let changes = 0;
    const { ids, acknowledge, tell, notify } = await listening((own) => void own.onListChanged("tools", () => changes++));
    await acknowledge();
    await notify(CHANGED);
    await notify(CHANGED, { _meta: "x" });
    for (const id of [String(ids()[0]), 99, null as never]) await tell(CHANGED, {}, id);
    assert.equal(changes, 0);
    await tell(CHANGED);
    assert.equal(changes, 1);
  });

  test("ends the stream when nobody listens any more", async () => {
    const { client, ids, acknowledge, cancelled, host } = await streaming();
    const stop = client.onListChanged("tools", () => {});
    const stopOther = client.onListChanged("tools", () => {});
    await settle();
    await acknowledge();
    stop();
    await settle();
    assert.deepEqual(cancelled(), []);
    stopOther();
    stopOther();
    await settle();
    assert.deepEqual(cancelled(), ids());
    await host.advance(100_000);
    assert.deepEqual([ids().length, host.liveTimers], [1, 0]);
  });

  test("opens again when the server ends the stream, with waits that double up to thirty seconds", async () => {
    const { ids, reply, notify, host } = await listening((own) => void own.onListChanged("tools", () => {}));
    const waits = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
    for (const [round, wait] of waits.entries()) {
      const id = ids()[round]!;
      if (round % 3 === 0) await reply(id, { resultType: "complete", _meta: { [META.subscriptionId]: id } });
      else if (round % 3 === 1) await notify("notifications/cancelled", { requestId: id });
      else await reply(id, new RpcError(-32603, "overloaded"));
      await host.advance(wait - 1);
      assert.equal(ids().length, round + 1);
      await host.advance(1);
      assert.equal(ids().length, round + 2, `after ${wait} ms`);
    }
  });

  test("starts with short waits again after a stream that lived for long", async () => {
    const { ids, reply, acknowledge, host } = await listening((own) => void own.onListChanged("tools", () => {}));
    for (const wait of [1_000, 2_000]) {
      await reply(ids().at(-1)!, {});
      await host.advance(wait);
    }
    await acknowledge();
    await host.advance(30_000);
    await reply(ids().at(-1)!, {});
    await host.advance(1_000);
    assert.equal(ids().length, 4);
  });

  test("asks no more of a server that takes no subscriptions, and says so", async () => {
    const logged: string[] = [];
    for (const code of [-32601, -32602]) {
      const { client, ids, host } = await scriptedServer({
        options: { log: ({ level, message }) => level === "warning" && logged.push(message) },
        prepare: (own) => void own.onListChanged("tools", () => {}),
        answer: () => new RpcError(code, "no"),
      }).then((server) => ({ ...server, ids: () => server.requests("subscriptions/listen") }));
      await settle();
      client.onListChanged("prompts", () => {});
      await host.advance(100_000);
      assert.deepEqual([ids().length, host.liveTimers], [1, 0]);
    }
    assert.equal(logged.length, 2);
  });

  test("goes on with what was agreed before, where the server refuses more or is out of sorts for a while", async () => {
    let changes = 0;
    const { client, ids, filters, acknowledge, tell, reply, cancelled, host } = await listening((own) => void own.onListChanged("tools", () => changes++));
    await acknowledge();
    const [first] = ids();
    const refused = assert.rejects(client.subscribeResource("x:a"), { code: -32602 });
    await settle();
    await reply(ids()[1]!, new RpcError(-32602, "too much"));
    await refused;
    const stop = client.onListChanged("prompts", () => {});
    await settle();
    await reply(ids()[2]!, new RpcError(-32603, "overloaded"));
    await tell(CHANGED, {}, first);
    await host.advance(1_000);
    assert.deepEqual([changes, ids().length, cancelled()], [1, 4, []]);
    stop();
    await settle();
    assert.deepEqual(filters().at(-1), { toolsListChanged: true });
    await acknowledge();
    assert.deepEqual(cancelled().includes(first), true);
    await tell(CHANGED);
    assert.equal(changes, 2);
  });

  test("means that kept results go when the stream ends, as nobody hears of changes until the next", async () => {
    let lists = 0;
    const server = await listening((own) => void own.onListChanged("tools", () => {}), {
      answer: (method) => (method === "tools/list" ? (lists++, { tools: [], ttlMs: 60_000, cacheScope: "public" }) : SILENCE),
    });
    await server.acknowledge();
    await server.client.listTools();
    await server.client.listTools();
    assert.equal(lists, 1);
    await server.reply(server.ids()[0]!, {});
    await server.client.listTools();
    assert.equal(lists, 2);
  });

  test("ends with the client, in a wait too, and begins anew on the next connection", async () => {
    const first = await listening((own) => void own.onListChanged("tools", () => {}));
    await first.reply(first.ids()[0]!, {});
    assert.equal(first.host.liveTimers, 1);
    await first.client.close();
    assert.equal(first.host.liveTimers, 0);
    const again = scriptedTransport();
    const methods: string[] = [];
    again.onSend = async (message) => {
      if (!("method" in message) || !("id" in message)) return;
      methods.push(message.method);
      if (message.method === "server/discover") again.deliver({ jsonrpc: "2.0", id: message.id, result: { supportedVersions: ["2026-07-28"], capabilities: {} } });
    };
    await first.client.connect(again);
    await settle();
    assert.deepEqual(methods, ["server/discover", "subscriptions/listen"]);
  });

  test("does not try again while the connection takes its time to close", async () => {
    const { client, transport, host, ids } = await listening((own) => void own.onListChanged("tools", () => {}));
    transport.close = () => new Promise(() => {});
    void client.close();
    await host.advance(100_000);
    assert.deepEqual([ids().length, host.liveTimers], [1, 0]);
  });

  test("stops no listener when another throws", async () => {
    const logged: string[] = [];
    const { client, notify } = await scriptedServer({ era: "handshake", options: { log: ({ message }) => void logged.push(message) } });
    let heard = 0;
    client.onListChanged("tools", () => assert.fail("broken"));
    client.onListChanged("tools", () => Promise.reject(new RpcError(1, "broken")));
    client.onListChanged("tools", () => heard++);
    await notify(CHANGED);
    assert.deepEqual([heard, logged], [1, ["a listener for changes of tools failed", "a listener for changes of tools failed"]]);
  });
});

describe("subscribeResource", () => {
  const updated = "notifications/resources/updated";

  test("is a request of its own in the handshake era", async () => {
    const { client, requests, notify } = await scriptedServer({ era: "handshake", answer: () => ({}) });
    const seen: string[] = [];
    const stop = client.onResourceUpdated((uri) => seen.push(uri));
    await client.subscribeResource("x:a");
    await notify(updated, { uri: "x:a" });
    await notify(updated, { uri: 5 });
    await client.unsubscribeResource("x:a");
    stop();
    await notify(updated, { uri: "x:a" });
    assert.deepEqual(seen, ["x:a"]);
    assert.deepEqual(requests().map(({ method, params }) => [method, params]), [["resources/subscribe", { uri: "x:a" }], ["resources/unsubscribe", { uri: "x:a" }]]);
  });

  test("joins the stream of a stateless revision, and settles once the server has agreed", async () => {
    const { client, filters, acknowledge, tell, cancelled, ids } = await streaming();
    const seen: string[] = [];
    client.onResourceUpdated((uri) => seen.push(uri));
    let settled = 0;
    const both = Promise.all(["x:a", "x:b"].map(async (uri) => (await client.subscribeResource(uri), settled++)));
    await settle();
    assert.deepEqual([filters(), settled], [[{ resourceSubscriptions: ["x:a", "x:b"] }], 0]);
    await acknowledge();
    await both;
    await tell(updated, { uri: "x:b" });
    assert.deepEqual(seen, ["x:b"]);
    await client.unsubscribeResource("x:a");
    await settle();
    assert.deepEqual(filters()[1], { resourceSubscriptions: ["x:b"] });
    await acknowledge();
    assert.deepEqual(cancelled(), ids().slice(0, 1));
  });

  test("rejects with unsupported where the server leaves the resource out, and asks for it no more", async () => {
    const { client, filters, acknowledge } = await listening((own) => void own.onListChanged("tools", () => {}));
    await acknowledge();
    for (const agreed of [{ toolsListChanged: true }, { resourceSubscriptions: ["x:other"] }, { resourceSubscriptions: "x:a" }, {}]) {
      const refused = assert.rejects(client.subscribeResource("x:a"), { code: "unsupported", details: { uri: "x:a" } });
      await settle();
      await acknowledge(agreed);
      await refused;
      await settle();
      assert.deepEqual(filters().at(-1), { toolsListChanged: true });
      await acknowledge();
    }
  });

  test("rejects where no stream comes about: in time, at all, or before the end", async () => {
    const rows: [object, (server: Awaited<ReturnType<typeof streaming>>) => Promise<unknown>][] = [
      [{ code: "timeout" }, ({ host }) => host.advance(60_000)],
      [{ code: -32603 }, ({ reply, ids }) => reply(ids()[0]!, new RpcError(-32603, "no"))],
      [{ code: -32601 }, ({ reply, ids }) => reply(ids()[0]!, new RpcError(-32601, "no"))],
      [{ code: "closed" }, ({ reply, ids }) => reply(ids()[0]!, {})],
      [{ code: "closed" }, ({ client }) => client.close()],
    ];
    for (const [error, act] of rows) {
      const server = await streaming();
      const refused = assert.rejects(server.client.subscribeResource("x:a"), error);
      await settle();
      await act(server);
      await refused;
      await server.host.advance(100_000);
      assert.deepEqual([server.ids().length, server.host.liveTimers], [1, 0]);
    }
  });

  test("rejects at once where the resource is given up before the server has agreed", async () => {
    const { client, host, cancelled, ids } = await streaming();
    const refused = assert.rejects(client.subscribeResource("x:a"), { code: "unsupported" });
    await settle();
    await client.unsubscribeResource("x:a");
    await refused;
    assert.deepEqual([cancelled(), host.liveTimers], [ids(), 0]);
  });

  test("takes no acknowledgement for its own that was for less", async () => {
    const host = fakeHost();
    let wanted: { resourceSubscriptions: string[] } = { resourceSubscriptions: ["x:a"] };
    let id = 0;
    const subscription = createSubscription({ host, log: () => {}, wanted: () => wanted, listen: (_filter, { onId }) => (onId(++id), new Promise(() => {})), interrupted: () => {} });
    const acknowledge = (of: number) => subscription.acknowledged({ notifications: wanted, _meta: { [META.subscriptionId]: of } });
    subscription.refresh();
    await settle();
    wanted = { resourceSubscriptions: ["x:a", "x:b"] };
    subscription.refresh();
    let settled = false;
    const ready = subscription.ready().finally(() => (settled = true));
    acknowledge(1);
    await settle();
    assert.equal(settled, false);
    acknowledge(2);
    assert.deepEqual(await ready, wanted);
  });

  test("is bounded by maxSubscribedResources", async () => {
    const { client, acknowledge } = await streaming({ options: { limits: { maxSubscribedResources: 2 } } });
    const both = Promise.all(["x:a", "x:b"].map((uri) => client.subscribeResource(uri)));
    await settle();
    await acknowledge();
    await both;
    await client.subscribeResource("x:a");
    await assert.rejects(client.subscribeResource("x:c"), { code: "limit_exceeded" });
  });
});

describe("onLog", () => {
  const LOG = { level: "warning", logger: "db", data: { a: 1 } };
  async function heard(server: ScriptedServer): Promise<unknown[]> {
    const seen: unknown[] = [];
    const stop = server.client.onLog((message) => seen.push(message));
    for (const params of [LOG, { level: "loud", data: 1 }, { level: "info" }, {}]) await server.notify("notifications/message", params);
    stop();
    await server.notify("notifications/message", LOG);
    return seen;
  }

  test("hears the server's messages, and no malformed ones", async () => {
    for (const era of ["handshake", "stateless"] as const) assert.deepEqual(await heard(await scriptedServer({ era })), [LOG], era);
  });

  test("is fed at the level of the connection in the handshake era, from the start where an option says so", async () => {
    const { client, requests } = await scriptedServer({ era: "handshake", options: { logLevel: "error" }, answer: () => ({}) });
    await client.setLogLevel("debug");
    await client.request("x/y", {}, { logLevel: "info" });
    assert.deepEqual(requests().map(({ method, params }) => [method, params]), [
      ["logging/setLevel", { level: "error" }],
      ["logging/setLevel", { level: "debug" }],
      ["x/y", {}],
    ]);
  });

  test("is fed by the level that each request of a stateless revision carries", async () => {
    const { client, requests } = await scriptedServer({ options: { logLevel: "error" }, answer: () => ({}) });
    await client.request("x/y");
    await client.request("x/y", {}, { logLevel: "info" });
    await client.setLogLevel("debug");
    await client.request("x/y", { _meta: { [META.logLevel]: "alert", own: 1 } });
    const metas = requests().map(({ params }) => params?._meta as JsonObject);
    assert.deepEqual(metas.map((meta) => meta[META.logLevel]), ["error", "info", "debug"]);
    assert.equal(metas[2]?.own, 1);
    const { client: quiet, requests: silent } = await scriptedServer({ answer: () => ({}) });
    await quiet.request("x/y");
    assert.equal(META.logLevel in (silent()[0]?.params?._meta as JsonObject), false);
  });

  test("needs a server that logs for a level to be set", async () => {
    for (const era of ["handshake", "stateless"] as const) {
      const { client } = await scriptedServer({ era, capabilities: {}, options: { logLevel: "info" } });
      await assert.rejects(client.setLogLevel("info"), { code: "unsupported", message: /logging$/ });
    }
  });

  test("takes the eight levels and no other", async () => {
    const { client } = await scriptedServer({});
    await assert.rejects(client.setLogLevel("loud" as never), { code: "invalid_argument" });
    assert.throws(() => new McpClient({ name: "c", version: "1" }, { logLevel: "loud" as never }), { code: "invalid_argument" });
  });
});
