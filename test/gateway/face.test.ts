import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { directSend } from "../../src/core/http/direct-send.ts";
import type { HttpHandler } from "../../src/core/http/exchange.ts";
import { httpTransport } from "../../src/core/http/http-client.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import type { Gateway, UpstreamPlan } from "../../src/gateway/plan.ts";
import { countSignals } from "../support/count-signals.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { scriptedTransport } from "../support/scripted-transport.ts";
import { gatewayFor, until } from "./kit.ts";
import { HANDSHAKE, metaOf, opened, rawEnd, rawUpstream, STATELESS, type RawEnd, type RawUpstream } from "./raw.ts";

// src/gateway/face.ts and its eras, message by message.

const EVERYTHING = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {}, tasks: { list: {} } };

function session(gateway: Gateway): RawEnd {
  const [near, far] = memoryPair();
  gateway.serve("up", far);
  return rawEnd(near);
}

async function open(era: "handshake" | "stateless", client: JsonObject = {}, upstream: Partial<UpstreamPlan> = {}) {
  const up = rawUpstream();
  const gateway = await gatewayFor(up.target, {}, { era, ...upstream });
  const end = session(gateway);
  const [server, greeting] = await Promise.all([up.greet(era === "handshake" ? HANDSHAKE : STATELESS, EVERYTHING), opened(end, client)]);
  return { up, gateway, end, server, greeting };
}
const call = (id: number | string, more: JsonObject = {}) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "t", ...more } });
const result = (id: unknown, value: JsonObject = { content: [] }) => ({ jsonrpc: "2.0", id, result: value });
const codeOf = (message: JsonObject) => (message["error"] as { code: number }).code;
const question = (id: string) => ({ jsonrpc: "2.0", id, method: "elicitation/create", params: { message: "?", requestedSchema: { type: "object", properties: {} } } });
/** The stream of changes that a stateless upstream is asked for first. */
const listening = async (server: RawEnd) => {
  const { id, method, params } = (await server.message()) as { id: number; method: string; params: { notifications: JsonObject } };
  assert.equal(method, "subscriptions/listen");
  const _meta = { "io.modelcontextprotocol/subscriptionId": id };
  await server.send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { _meta, notifications: params.notifications } });
  return { _meta, wanted: params.notifications };
};

describe("a session with a client", () => {
  it("hears of a stateless upstream's stream what it has asked for, and nothing that names no caller", async () => {
    const { gateway, end, server } = await open("stateless");
    const { _meta } = await listening(server);
    for (const method of ["notifications/message", "notifications/elicitation/complete", "notifications/tasks/status", "notifications/weird", "notifications/resources/updated"]) {
      await server.send({ jsonrpc: "2.0", method, params: { _meta, level: "emergency", data: "x", elicitationId: "e", taskId: "t", status: "working", uri: "mem:///a" } });
    }
    await server.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta } });
    assert.equal((await end.message())["method"], "notifications/tools/list_changed");
    await gateway.close();
  });

  it("ends what would never end by itself at once, when the client has ended its side", async () => {
    const up = rawUpstream();
    const host = fakeHost();
    const gateway = await gatewayFor(up.target, { host }, { era: "handshake" });
    const client = scriptedTransport();
    gateway.serve("up", client);
    client.deliver({ jsonrpc: "2.0", id: "s", method: "subscriptions/listen", params: { _meta: JSON.parse(metaOf()) as JsonObject, notifications: {} } });
    await up.greet(HANDSHAKE);
    await until(() => client.sent.length === 1);
    client.end();
    await until(() => client.closes > 0);
    const { id, result: last } = client.sent[1]?.message as { id?: unknown; result?: JsonObject };
    assert.deepEqual([id, last?.["resultType"], client.closes], ["s", "complete", 1]);
    await gateway.close();
  });

  it("answers what is in flight when the client has ended its side", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, {}, { era: "handshake" });
    const client = scriptedTransport();
    gateway.serve("up", client);
    client.deliver({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: HANDSHAKE, capabilities: {}, clientInfo: { name: "c", version: "1" } } });
    const server = await up.greet(HANDSHAKE);
    await until(() => client.sent.length === 1);
    client.deliver(call(1));
    client.end();
    const { id } = await server.message();
    await settle();
    assert.equal(client.closes, 0);
    await server.send(result(id));
    await until(() => client.closes > 0);
    assert.deepEqual(client.sent.at(-1)?.message, result(1));
    await gateway.close();
  });

  it("that breaks off cancels its calls, and its connection ends", async () => {
    const { gateway, server, end } = await open("handshake");
    await end.send(call(1));
    const { id } = await server.message();
    await end.end();
    // Ending a connection says it all; the cancellation may come before.
    const rest: unknown[] = [];
    for (let text = await server.next(); text !== undefined; text = await server.next()) rest.push(text);
    assert.ok(rest.length <= 1 && (rest.length === 0 || String(rest[0]).includes(String(id))), JSON.stringify(rest));
    await until(() => gateway.stats().calls === 0);
    assert.deepEqual([gateway.stats().faces, gateway.stats().upstreams["up"]?.connections], [0, 0]);
    await gateway.close();
  });

  it("is opened once, and asks for nothing before", async () => {
    const { gateway, end } = await open("handshake");
    await end.send({ jsonrpc: "2.0", id: 9, method: "initialize", params: { protocolVersion: HANDSHAKE, capabilities: {}, clientInfo: { name: "c", version: "1" } } });
    assert.equal(codeOf(await end.message()), -32600);
    const early = session(gateway);
    await early.send(call(1));
    assert.equal(codeOf(await early.message()), -32600);
    await early.send({ jsonrpc: "2.0", id: 2, method: "ping" });
    assert.deepEqual(await early.message(), result(2, {}));
    await gateway.close();
  });

  it("does not have what either revision lacks", async () => {
    for (const era of ["handshake", "stateless"] as const) {
      const { gateway, end, server, greeting } = await open(era);
      if (era === "stateless") await listening(server);
      assert.equal(Object.hasOwn(greeting["capabilities"] as object, "tasks"), era === "handshake");
      await end.send({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications: {} } });
      assert.equal(codeOf(await end.message()), -32601);
      await end.send({ jsonrpc: "2.0", id: 2, method: "tasks/list" });
      if (era === "stateless") assert.equal(codeOf(await end.message()), -32601);
      else {
        await server.send(result((await server.message())["id"], { tasks: [] }));
        assert.deepEqual(await end.message(), result(2, { tasks: [] }));
      }
      await end.send(`{"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"info","_meta":${metaOf()}}}`);
      assert.equal(codeOf(await end.message()), -32601);
      // Nobody here knows this one: it is the server's to answer.
      await end.send({ jsonrpc: "2.0", id: 4, method: "com.example/own", params: { a: 1 } });
      const { id, method } = await server.message();
      assert.equal(method, "com.example/own");
      await server.send(result(id, { b: 2 }));
      assert.deepEqual(await end.message(), result(4, { b: 2 }));
      await gateway.close();
    }
  });

  it("has no tasks on a connection that others have too", async () => {
    const { gateway, end, greeting } = await open("handshake", {}, { sharing: "shared" });
    assert.equal(Object.hasOwn(greeting["capabilities"] as object, "tasks"), false);
    await end.send({ jsonrpc: "2.0", id: 1, method: "tasks/list" });
    assert.equal(codeOf(await end.message()), -32601);
    await gateway.close();
  });

  it("tells a handshake server what the client notifies, and a stateless one nothing", async () => {
    const { gateway, end, server } = await open("handshake", { roots: { listChanged: true } });
    await end.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
    assert.equal(await server.next(), '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}');
    await gateway.close();
    const other = await open("stateless", { roots: { listChanged: true } });
    await listening(other.server);
    await other.end.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
    await settle();
    assert.deepEqual(other.server.waiting, []);
    await other.gateway.close();
  });

  it("is told that a question was withdrawn, and its late answer goes nowhere", async () => {
    const { gateway, end, server } = await open("handshake", { elicitation: {} });
    await end.send(call(1));
    const { id } = await server.message();
    await server.send(question("q"));
    const asked = await end.message();
    await server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "q", reason: "never mind" } });
    assert.deepEqual(((await end.message())["params"] as JsonObject)["requestId"], asked["id"]);
    await end.send(result(asked["id"], { action: "cancel" }));
    await server.send(result(id));
    assert.deepEqual(await end.message(), result(1));
    assert.deepEqual(server.waiting, []);
    await gateway.close();
  });

  it("tells how a question gets on, under the token that the server chose, and before the answer", async () => {
    const { gateway, end, server } = await open("handshake", { elicitation: {} });
    await server.send({ ...question("q"), params: { ...question("q").params, _meta: { progressToken: 1, "com.example/kept": true } } });
    const asked = await end.message();
    const { _meta } = asked["params"] as { _meta: JsonObject };
    assert.deepEqual([_meta["com.example/kept"], typeof _meta["progressToken"]], [true, "number"]);
    await end.send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: _meta["progressToken"], progress: 3, message: "thinking" } });
    await end.send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "none", progress: 4 } });
    await end.send(result(asked["id"], { action: "cancel" }));
    assert.deepEqual((await server.message())["params"], { progressToken: 1, progress: 3, message: "thinking" });
    assert.deepEqual(await server.message(), result("q", { action: "cancel" }));
    await gateway.close();
  });

  it("may be asked outside any call, where the connection is its own", async () => {
    const { gateway, end, server } = await open("handshake", { elicitation: {} });
    await server.send(question("q"));
    const asked = await end.message();
    await end.send(result(asked["id"], { action: "decline" }));
    assert.deepEqual(await server.message(), result("q", { action: "decline" }));
    await server.send({ jsonrpc: "2.0", id: "r", method: "roots/list" });
    assert.equal(codeOf(await server.message()), -32601);
    await gateway.close();
  });

  it("goes on being asked when an unrelated call ends, whose exchange the question came in", async () => {
    const { gateway, end, server } = await open("handshake", { elicitation: {} });
    await end.send(call(1));
    const { id } = await server.message();
    await server.send(question("q"));
    await server.send(result(id));
    const asked = await end.message();
    assert.equal(asked["method"], "elicitation/create");
    assert.deepEqual(await end.message(), result(1));
    await settle();
    assert.deepEqual([end.waiting, server.waiting], [[], []]);
    await end.send(result(asked["id"], { action: "decline" }));
    assert.deepEqual(await server.message(), result("q", { action: "decline" }));
    await gateway.close();
  });

  it("is asked in the exchange of one of several calls, where it opens no stream of its own, and in another's once that one is given up", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, {}, { era: "handshake" });
    const deaf: HttpHandler = (request) => (request.method === "GET" ? Promise.resolve({ status: 405, headers: [] }) : gateway.handle(request));
    const end = rawEnd(httpTransport({ url: "http://localhost/up/mcp", send: directSend(deaf) }));
    const [server] = await Promise.all([up.greet(HANDSHAKE, EVERYTHING), opened(end, { elicitation: {} })]);
    await end.send(call(1));
    const first = await server.message();
    await end.send(call(2));
    const second = await server.message();
    await server.send(question("q"));
    const asked = await end.message();
    assert.equal(asked["method"], "elicitation/create");
    // The latest call has lent its exchange.
    await end.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
    assert.deepEqual((await server.message())["params"], { requestId: second["id"], reason: "cancelled" });
    const again = await end.message();
    assert.equal(again["method"], "elicitation/create");
    await end.send(result(again["id"], { action: "decline" }));
    assert.deepEqual(await server.message(), result("q", { action: "decline" }));
    await server.send(result(first["id"]));
    assert.deepEqual(await end.message(), result(1));
    await end.end();
    await gateway.close();
  });

  it("has calls end with an error where it cannot answer what a stateless server wants, or is asked for ever", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, { limits: { maxAsks: 2 } }, { era: "stateless" });
    const end = session(gateway);
    const [server] = await Promise.all([up.greet(STATELESS), opened(end, { elicitation: {} })]);
    const { id: _id, jsonrpc: _version, ...asks } = question("");
    const wanting = async () => server.send(result((await server.message())["id"], { resultType: "input_required", inputRequests: { k: asks } }));
    await end.send(call(1));
    await wanting();
    await end.send({ jsonrpc: "2.0", id: (await end.message())["id"], error: { code: -1, message: "no" } });
    assert.deepEqual(((await end.message())["error"] as JsonObject)["data"], { reason: "not_asked" });
    await end.send(call(2));
    for (let round = 0; round < 3; round++) {
      await wanting();
      // Of the third question nobody could use the answer.
      if (round < 2) await end.send(result((await end.message())["id"], { action: "decline" }));
    }
    assert.deepEqual(((await end.message())["error"] as JsonObject)["data"], { reason: "unsupported" });
    await gateway.close();
  });

  it("is never asked for what no result may ask for: to callers of either era such a result is malformed", async () => {
    const { gateway, end, server } = await open("stateless", { elicitation: {} });
    await listening(server);
    const stateless = session(gateway);
    const _meta = JSON.parse(metaOf({ elicitation: {} })) as JsonObject;
    for (const [id, method] of ["acme/ask", "tools/call"].entries()) {
      for (const [caller, more] of [[end, {}], [stateless, { _meta }]] as const) {
        await caller.send(call(id, more));
        await server.send(result((await server.message())["id"], { resultType: "input_required", inputRequests: { k: { method, params: {} } } }));
        const { error } = (await caller.message()) as { error?: { data?: JsonObject } };
        assert.equal(error?.data?.["reason"], "malformed", method);
      }
    }
    await gateway.close();
  });
});

describe("log messages", () => {
  const logged = (level: string) => ({ jsonrpc: "2.0", method: "notifications/message", params: { level, data: level } });

  it("reach a session at its level, over a server of either era", async () => {
    const { gateway, end, server } = await open("stateless");
    await listening(server);
    await end.send({ jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "warning" } });
    assert.deepEqual(await end.message(), result(1, {}));
    await end.send(call(2));
    const sent = await server.message();
    assert.equal(((sent["params"] as JsonObject)["_meta"] as JsonObject)["io.modelcontextprotocol/logLevel"], "warning");
    await server.send(logged("info"));
    await server.send(logged("error"));
    assert.deepEqual(await end.message(), logged("error"));
    await server.send(result(sent["id"], { resultType: "complete" }));
    assert.deepEqual(await end.message(), result(2, {}));
    await gateway.close();
    const other = await open("handshake");
    const answering = other.end.send({ jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "warning" } });
    const command = await other.server.message();
    assert.deepEqual([command["method"], command["params"]], ["logging/setLevel", { level: "warning" }]);
    await other.server.send(result(command["id"], {}));
    await answering;
    assert.deepEqual(await other.end.message(), result(1, {}));
    await other.server.send(logged("info"));
    await other.server.send(logged("error"));
    assert.deepEqual(await other.end.message(), logged("error"));
    await other.gateway.close();
  });

  it("reach a stateless request that asks for them, and no other", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, {}, { era: "handshake" });
    const end = session(gateway);
    const post = (id: number, meta: JsonObject) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t","_meta":${metaOf({}, meta)}}}`;
    await end.send(post(1, {}));
    const server = await up.greet(HANDSHAKE, EVERYTHING);
    const first = await server.message();
    await server.send(logged("error"));
    await server.send(result(first["id"]));
    assert.equal((await end.message())["id"], 1);
    await end.send(post(2, { "io.modelcontextprotocol/logLevel": "warning" }));
    const level = await server.message();
    assert.deepEqual(level["params"], { level: "warning" });
    await server.send(result(level["id"], {}));
    const second = await server.message();
    await server.send(logged("notice"));
    await server.send(logged("error"));
    await server.send(result(second["id"]));
    assert.deepEqual(await end.message(), logged("error"));
    assert.equal((await end.message())["id"], 2);
    await gateway.close();
  });
});

describe("subscriptions", () => {
  const updated = (uri: string, more: JsonObject = {}) => ({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri, ...more } });
  const subscribed = async (server: RawEnd, uri: string) => {
    const { id, method, params } = await server.message();
    assert.deepEqual([method, params], ["resources/subscribe", { uri }]);
    await server.send(result(id, {}));
  };

  it("are made again after a loss, without a call, and what may have been missed is told", async () => {
    const host = fakeHost();
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, { host }, { era: "handshake" });
    const end = session(gateway);
    const [server] = await Promise.all([up.greet(HANDSHAKE, EVERYTHING), opened(end)]);
    await end.send({ jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: { uri: "mem:///a" } });
    await subscribed(server, "mem:///a");
    assert.deepEqual(await end.message(), result(1, {}));
    await server.end();
    await settle();
    await host.advance(0);
    await subscribed(await up.greet(HANDSHAKE, EVERYTHING), "mem:///a");
    assert.deepEqual(await end.message(), { jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    assert.deepEqual(await end.message(), updated("mem:///a"));
    await up.connections[1]!.send(updated("mem:///a/below"));
    assert.deepEqual(await end.message(), updated("mem:///a/below"));
    await gateway.close();
    await host.advance(20_000);
    assert.equal(host.liveTimers, 0);
  });

  it("of a session that are refused get the server's own answer", async () => {
    const { gateway, end, server } = await open("handshake");
    await end.send({ jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: { uri: "mem:///none" } });
    const { id } = await server.message();
    await server.send({ jsonrpc: "2.0", id, error: { code: -32002, message: "Resource not found", data: { uri: "mem:///none" } } });
    assert.deepEqual(await end.message(), { jsonrpc: "2.0", id: 1, error: { code: -32002, message: "Resource not found", data: { uri: "mem:///none" } } });
    await gateway.close();
  });

  it("leave nothing on a connection that goes on after them", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, {}, { era: "handshake" });
    const end = session(gateway);
    const signals = countSignals();
    const greeted = up.greet(HANDSHAKE, EVERYTHING);
    let before = 0;
    for (let turn = 0; turn < 20; turn++) {
      const id = `s${turn}`;
      await end.send(`{"jsonrpc":"2.0","id":"${id}","method":"subscriptions/listen","params":{"_meta":${metaOf()},"notifications":{"toolsListChanged":true}}}`);
      await greeted;
      assert.equal((await end.message())["method"], "notifications/subscriptions/acknowledged");
      await end.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
      await settle();
      if (turn === 0) before = signals.live;
    }
    assert.equal(signals.live, before);
    signals.restore();
    await gateway.close();
  });

  it("of several stateless callers are one at the server, and each hears what it has asked for", async () => {
    const up: RawUpstream = rawUpstream();
    const gateway = await gatewayFor(up.target, {}, { era: "handshake" });
    const end = session(gateway);
    const listen = (id: string, uris: readonly string[]) =>
      `{"jsonrpc":"2.0","id":"${id}","method":"subscriptions/listen","params":{"_meta":${metaOf()},"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":${JSON.stringify(uris)}}}}`;
    await end.send(listen("x", ["mem:///a"]));
    const server = await up.greet(HANDSHAKE, EVERYTHING);
    await subscribed(server, "mem:///a");
    const meta = (id: string) => ({ _meta: { "io.modelcontextprotocol/subscriptionId": id } });
    // Prompts are not announced, so nothing is agreed about them.
    assert.deepEqual((await end.message())["params"], { ...meta("x"), notifications: { toolsListChanged: true, resourceSubscriptions: ["mem:///a"] } });
    await end.send(listen("y", ["mem:///a", "mem:///b"]));
    await subscribed(server, "mem:///b");
    assert.equal((await end.message())["method"], "notifications/subscriptions/acknowledged");
    await server.send(updated("mem:///b"));
    assert.deepEqual(await end.message(), updated("mem:///b", meta("y")));
    await end.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "y" } });
    const { id, method, params } = await server.message();
    assert.deepEqual([method, params], ["resources/unsubscribe", { uri: "mem:///b" }]);
    await server.send(result(id, {}));
    await server.send(updated("mem:///a"));
    assert.deepEqual(await end.message(), updated("mem:///a", meta("x")));
    await gateway.close();
  });
});
