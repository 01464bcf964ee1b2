// Case 52: a gateway announces what its upstream really has, tells what was announced, and stands between the ids of both.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { directSend } from "../../src/core/http/direct-send.ts";
import { createHttpServer } from "../../src/core/http/http-server.ts";
import { HANDSHAKE_VERSIONS } from "../../src/core/wire/versions.ts";
import { settle } from "../support/fake-host.ts";
import { faceTransport, gatewayFor, until } from "../gateway/kit.ts";
import { HANDSHAKE, opened, rawEnd, rawUpstream, type RawEnd } from "../gateway/raw.ts";
import { ERAS, pairOf, result, type Pair, type PairClient } from "./pairs.ts";

const codeOf = (message: JsonObject) => (message["error"] as { code: number } | undefined)?.code;
const changed = (kind: string) => `notifications/${kind}/list_changed`;
const methods = (client: PairClient) => client.waiting().map(({ method }) => method);

/** Every method of MCP that a server with tools alone does not have. */
const LACKING: readonly (readonly [string, JsonObject])[] = [
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "mem:///a" }],
  ["resources/subscribe", { uri: "mem:///a" }],
  ["resources/unsubscribe", { uri: "mem:///a" }],
  ["prompts/list", {}],
  ["prompts/get", { name: "p" }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }],
  ["logging/setLevel", { level: "info" }],
  ["tasks/list", {}],
];

/** What the client is told that the server can do. */
async function announced({ clients: [one] }: Pair, face: string): Promise<JsonObject> {
  if (face === "handshake") return {};
  await one.ask("again", "server/discover");
  return ((await one.end.message())["result"] as { capabilities: JsonObject }).capabilities;
}

/** The stream of changes that a stateless upstream is asked for; it agrees to those of tools. */
async function listening(server: RawEnd): Promise<JsonObject> {
  const { id, method } = (await server.message()) as { id: number; method: string };
  assert.equal(method, "subscriptions/listen");
  const _meta = { "io.modelcontextprotocol/subscriptionId": id };
  await server.send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { _meta, notifications: { toolsListChanged: true } } });
  return _meta;
}

for (const face of ERAS) {
  for (const up of ERAS) {
    describe(`a gateway from ${face} to ${up}`, () => {
      it("in front of a server with tools alone announces tools alone, and answers -32601 to all else by itself", async () => {
        for (const way of ["memory", "http"] as const) {
          const pair = await pairOf(face, up, { way, clients: 1 });
          const [one] = pair.clients;
          if (face === "stateless") assert.deepEqual(await announced(pair, face), { tools: {} });
          for (const [index, [method, params]] of LACKING.entries()) {
            await one.ask(index, method, params);
            const answer = await one.end.message();
            assert.deepEqual([answer["id"], codeOf(answer)], [index, -32601], method);
          }
          assert.deepEqual(pair.server.waiting, []);
          await pair.close();
        }
      });

      it("announces what the server does, to the letter, extensions and what nobody here knows included", async () => {
        const capabilities = {
          tools: { listChanged: true, "com.example/more": [1] },
          resources: { listChanged: false, subscribe: true },
          prompts: {},
          completions: {},
          logging: {},
          extensions: { "io.modelcontextprotocol/interceptors": { supportedEvents: ["tools/call"] }, "com.example/x": { deep: { a: [null, 1.5] } } },
          experimental: { __proto__x: { a: 1 } },
          "com.example/unknown": { on: true },
        };
        const raw = rawUpstream();
        const gateway = await gatewayFor(raw.target, {}, { era: up });
        const end = rawEnd(faceTransport(gateway, "memory"));
        const greeted = raw.greet(up === "handshake" ? HANDSHAKE : "2026-07-28", capabilities);
        if (face === "handshake") assert.deepEqual((await opened(end))["capabilities"], capabilities);
        else {
          const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
          await end.send({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta } });
          assert.deepEqual(((await end.message())["result"] as JsonObject)["capabilities"], capabilities);
        }
        await greeted;
        await gateway.close();
      });

      it("tells changes that the server has announced, once to each who wants them, and no others", async () => {
        const pair = await pairOf(face, up, { server: { tools: { listChanged: true }, prompts: {}, resources: { listChanged: false, subscribe: true } } });
        const [one, two] = pair.clients;
        let meta: JsonObject | undefined;
        if (face === "stateless") {
          const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
          await one.ask("listen", "subscriptions/listen", { notifications });
        }
        if (up === "stateless") meta = await listening(pair.server);
        if (face === "stateless") {
          const acknowledged = (await one.end.message())["params"] as JsonObject;
          assert.deepEqual(acknowledged["notifications"], { toolsListChanged: true });
        }
        // Outside a call, and in the middle of one.
        await two.call(1);
        const { id } = await pair.server.message();
        for (const kind of ["prompts", "resources", "tools"]) {
          await pair.server.send({ jsonrpc: "2.0", method: changed(kind), ...(meta === undefined ? {} : { params: { _meta: meta } }) });
        }
        // Without the stream's name it belongs to no stream.
        if (up === "stateless") await pair.server.send({ jsonrpc: "2.0", method: changed("tools") });
        await settle();
        assert.deepEqual(methods(one), [changed("tools")]);
        assert.deepEqual(methods(two), face === "handshake" ? [changed("tools")] : []);
        await pair.server.send(result(id));
        await settle();
        await pair.close();
      });
    });
  }

  it(`a ping of a handshake server is answered by the gateway itself, in a call and out of one (${face} client)`, async () => {
    const pair = await pairOf(face, "handshake", { clients: 1 });
    const [one] = pair.clients;
    for (const id of [1, "1", 0]) {
      await pair.server.send({ jsonrpc: "2.0", id, method: "ping" });
      assert.deepEqual(await pair.server.message(), { jsonrpc: "2.0", id, result: {} });
    }
    await one.call(1);
    const { id } = await pair.server.message();
    await pair.server.send({ jsonrpc: "2.0", id: id as number, method: "ping" });
    assert.deepEqual(await pair.server.message(), { jsonrpc: "2.0", id, result: {} });
    assert.deepEqual(one.waiting(), []);
    await pair.server.send(result(id));
    assert.equal((await one.end.message())["id"], 1);
    await pair.close();
  });
}

describe("what servers ask", () => {
  const question = (id: number | string, message: string): JsonObject => ({ jsonrpc: "2.0", id, method: "elicitation/create", params: { message, requestedSchema: { type: "object", properties: {} } } });

  it("has ids of the gateway's own at each client, and the answers go back under the server's, in its type", async () => {
    for (const way of ["memory", "http"] as const) {
      const raw = rawUpstream();
      const gateway = await gatewayFor(raw.target, {}, { era: "handshake", sharing: "session" });
      const open = async () => {
        const end = rawEnd(faceTransport(gateway, way));
        const [server] = await Promise.all([raw.greet(HANDSHAKE), opened(end, { elicitation: {} })]);
        await end.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } });
        return { end, server, id: (await server.message())["id"] };
      };
      const [one, two] = [await open(), await open()];
      await one.server.send(question(1, "one's first"));
      await one.server.send(question("1", "one's second"));
      await two.server.send(question(1, "two's"));
      const asked = [await one.end.message(), await one.end.message(), await two.end.message()];
      assert.deepEqual(asked.map(({ params }) => (params as JsonObject)["message"]), ["one's first", "one's second", "two's"]);
      assert.notEqual(asked[0]?.["id"], asked[1]?.["id"]);
      // The second one first; a stray answer is nobody's.
      await one.end.send(result("nobody's", { action: "cancel" }));
      await one.end.send(result(asked[1]?.["id"], { action: "decline" }));
      await two.end.send(result(asked[2]?.["id"], { action: "cancel" }));
      await one.end.send(result(asked[0]?.["id"], { action: "accept", content: {} }));
      assert.deepEqual([await one.server.message(), await one.server.message()], [result("1", { action: "decline" }), result(1, { action: "accept", content: {} })]);
      assert.deepEqual(await two.server.message(), result(1, { action: "cancel" }));
      for (const { end, server, id } of [one, two]) {
        await server.send(result(id));
        assert.equal((await end.message())["id"], 1);
        await end.end();
      }
      await gateway.close();
    }
  });

  it("on the GET stream of an HTTP upstream is served like on any other: changes, pings and questions", async () => {
    const http = createHttpServer({ allowedHosts: ["upstream.example"], versions: HANDSHAKE_VERSIONS });
    const gateway = await gatewayFor({ url: "https://upstream.example/mcp", send: directSend(http.handle) }, {}, { era: "handshake", sharing: "session" });
    const end = rawEnd(faceTransport(gateway, "http"));
    const accepted = http.accept();
    const greeting = opened(end, { elicitation: {} });
    const transport = await accepted;
    assert.ok(transport !== undefined);
    const server = rawEnd(transport);
    const { id } = await server.message();
    await server.send({ jsonrpc: "2.0", id: id as number, result: { protocolVersion: HANDSHAKE, capabilities: { tools: { listChanged: true } }, serverInfo: { name: "raw", version: "1" } } });
    await greeting;
    assert.equal((await server.message())["method"], "notifications/initialized");
    // Nothing of these belongs to a request, so they go by GET.
    await server.send({ jsonrpc: "2.0", method: changed("tools") });
    assert.equal((await end.message())["method"], changed("tools"));
    await server.send({ jsonrpc: "2.0", method: changed("prompts") });
    await server.send({ jsonrpc: "2.0", id: 9, method: "ping" });
    assert.deepEqual(await server.message(), { jsonrpc: "2.0", id: 9, result: {} });
    await server.send(question(9, "by GET"));
    const asked = await end.message();
    assert.deepEqual((asked["params"] as JsonObject)["message"], "by GET");
    await end.send(result(asked["id"], { action: "decline" }));
    assert.deepEqual(await server.message(), result(9, { action: "decline" }));
    await until(() => end.waiting.length > 0, 20);
    assert.deepEqual(end.waiting, []);
    await end.end();
    await gateway.close();
    await http.close();
  });
});
