// src/gateway: what nobody here knows goes through from every face to every upstream, and what does not is said.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import type { Era } from "../../src/core/mcp/lifecycle.ts";
import { META } from "../../src/core/wire/versions.ts";
import { settle } from "../support/fake-host.ts";
import { faceTransport, gatewayFor, type Way } from "./kit.ts";
import { HANDSHAKE, metaOf, opened, rawEnd, rawUpstream, STATELESS, type RawEnd } from "./raw.ts";

const CAPABILITIES = {
  tools: { listChanged: true, "com.example/paging": 3 },
  resources: { subscribe: true },
  completions: {},
  logging: {},
  "com.example/whole": { deep: [1] },
  extensions: { "com.example/ext": { version: 2 } },
};

async function rig(way: Way, era: Era, upstream: Era) {
  const up = rawUpstream();
  const gateway = await gatewayFor(up.target, { policy: { errorResponses: "pass" } }, { sharing: "session" });
  const end = rawEnd(faceTransport(gateway, way));
  const version = upstream === "handshake" ? HANDSHAKE : STATELESS;
  const hop = JSON.parse(metaOf()) as JsonObject;
  const send = (id: unknown, method: string, params: JsonObject = {}) => {
    const meta = { ...(era === "stateless" ? hop : {}), ...(params["_meta"] as JsonObject | undefined) };
    return end.send({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } });
  };
  const greeted = up.greet(version, CAPABILITIES);
  let capabilities: JsonObject;
  if (era === "handshake") capabilities = (await opened(end))["capabilities"] as JsonObject;
  else {
    await send("d", "server/discover");
    capabilities = ((await end.message())["result"] as JsonObject)["capabilities"] as JsonObject;
  }
  return { gateway, end, send, server: await greeted, capabilities, version };
}

/** The next request that is a call, and not one of the gateway's own. */
async function call(server: RawEnd): Promise<{ id: unknown; method: string; params: JsonObject }> {
  for (;;) {
    const { id, method, params = {} } = (await server.message()) as { id?: unknown; method?: string; params?: JsonObject };
    if (method === "subscriptions/listen") {
      const _meta = { [META.subscriptionId]: id };
      await server.send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { _meta, notifications: params["notifications"] } });
    } else if (id !== undefined && method !== undefined) return { id, method, params };
  }
}

const without = (meta: unknown) => Object.fromEntries(Object.entries(meta as JsonObject).filter(([key]) => !key.startsWith("io.modelcontextprotocol/")));

for (const way of ["memory", "http"] as const) {
  for (const era of ["handshake", "stateless"] as const) {
    for (const upstream of ["handshake", "stateless"] as const) {
      describe(`from ${way}, ${era}, to ${upstream}`, () => {
        it("methods, members, cursors and errors that nobody here knows go through", async () => {
          const { gateway, end, send, server, capabilities, version } = await rig(way, era, upstream);
          assert.deepEqual(capabilities, CAPABILITIES);
          const complete = upstream === "stateless" ? { resultType: "complete" } : {};
          const meta = { "com.example/trace": { a: 1 }, traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
          for (const [method, params, result] of [
            ["com.example/do", { x: [1, { y: null }] }, { z: 1.5, unknown: { a: "b" } }],
            ["tools/list", { cursor: "c\u0000ursor+/=", extra: 1 }, { tools: [{ name: "t", inputSchema: { type: "object" }, "com.example/more": 1 }], nextCursor: " next " }],
            ["completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "v" }, context: { arguments: { b: "c" } } }, { completion: { values: ["x"], total: 1, hasMore: false } }],
          ] as const) {
            await send(method, method, { ...params, _meta: meta });
            const asked = await call(server);
            assert.deepEqual([asked.method, { ...asked.params, _meta: without(asked.params["_meta"]) }], [method, { ...params, _meta: meta }]);
            if (upstream === "stateless") assert.equal((asked.params["_meta"] as JsonObject)[META.protocolVersion], version);
            await server.send({ jsonrpc: "2.0", id: asked.id, result: { ...complete, ...result, _meta: { "com.example/r": [1] } } });
            const answer = (await end.message()) as { id: unknown; result: JsonObject };
            assert.equal(answer.id, method);
            const { _meta, ...members } = answer.result;
            for (const [member, value] of Object.entries(result)) assert.deepEqual(members[member], value, member);
            assert.deepEqual(without(_meta), { "com.example/r": [1] });
            assert.equal(members["resultType"], era === "stateless" ? "complete" : undefined);
          }
          await send(3, "tools/call", { name: "t" });
          let asked = await call(server);
          // Over HTTP a list is asked for first, so that the call is held to it.
          if (asked.method === "tools/list") {
            await server.send({ jsonrpc: "2.0", id: asked.id, result: { ...complete, tools: [] } });
            asked = await call(server);
          }
          const error = { code: 4_711, message: "no", data: { why: ["so"], "com.example/x": null } };
          // Neither of these is the answer.
          await server.send({ jsonrpc: "2.0", id: String(asked.id), result: { ...complete, content: [] } });
          await server.send({ jsonrpc: "2.0", id: Number(asked.id) + 1_000, error });
          await server.send({ jsonrpc: "2.0", id: asked.id, error });
          await server.send({ jsonrpc: "2.0", id: asked.id, result: { ...complete, content: [] } });
          assert.deepEqual(await end.message(), { jsonrpc: "2.0", id: 3, error });
          await settle();
          assert.deepEqual(end.waiting, []);
          await end.end();
          await gateway.close();
        });

        it("ping, methods of another revision and those of no capability are not the upstream's", async () => {
          const { gateway, end, send, server } = await rig(way, era, upstream);
          const codeOf = (message: JsonObject) => (message["error"] as { code?: number } | undefined)?.code;
          const foreign = era === "handshake" ? ["prompts/list"] : ["prompts/list", "ping", "resources/subscribe", "logging/setLevel"];
          for (const method of foreign) {
            await send(method, method, { uri: "mem:///a", level: "error" });
            assert.equal(codeOf(await end.message()), -32601, method);
          }
          if (era === "handshake") {
            await send("ping", "ping");
            assert.deepEqual(await end.message(), { jsonrpc: "2.0", id: "ping", result: {} });
          }
          await settle();
          const methods = server.waiting.map((text) => (JSON.parse(text) as { method?: string }).method);
          assert.deepEqual(methods.filter((method) => method !== "subscriptions/listen"), []);
          await end.end();
          await gateway.close();
        });
      });
    }
  }
}

describe("notifications that nobody here knows", () => {
  it("go both ways where both sides have sessions", async () => {
    const { gateway, end, server } = await rig("memory", "handshake", "handshake");
    await end.send({ jsonrpc: "2.0", method: "notifications/com.example/said", params: { a: 1 } });
    assert.deepEqual(JSON.parse(String(await server.next())), { jsonrpc: "2.0", method: "notifications/com.example/said", params: { a: 1 } });
    await server.send({ jsonrpc: "2.0", method: "notifications/com.example/heard", params: { b: 2 } });
    assert.deepEqual(JSON.parse(String(await end.next())), { jsonrpc: "2.0", method: "notifications/com.example/heard", params: { b: 2 } });
    await server.send({ jsonrpc: "2.0", method: "notifications/prompts/list_changed" });
    await server.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    assert.equal((JSON.parse(String(await end.next())) as JsonObject)["method"], "notifications/tools/list_changed", "prompts were never announced to change");
    await end.end();
    await gateway.close();
  });

  it("of a stateless upstream go to nobody, as all share its stream and nothing says whose they are; changes go to who wants them", async () => {
    for (const know of [true, false]) {
      const up = rawUpstream();
      // Where its era is not known beforehand, the first session has a connection made for it.
      const gateway = await gatewayFor(up.target, {}, { sharing: "session", ...(know ? { era: "stateless" as const } : {}) });
      const greeted = up.greet(STATELESS, { tools: { listChanged: true }, logging: {} });
      const ends = [];
      for (let number = 0; number < 2; number++) {
        const end = rawEnd(faceTransport(gateway, "memory"));
        await opened(end);
        ends.push(end);
      }
      const server = await greeted;
      let listen = JSON.parse(String(await server.next())) as { id: number; method: string };
      while (server.waiting.length > 0) listen = JSON.parse(String(await server.next())) as { id: number; method: string };
      assert.equal(listen.method, "subscriptions/listen");
      const _meta = { [META.subscriptionId]: listen.id };
      await server.send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { _meta, notifications: { toolsListChanged: true } } });
      for (const method of ["notifications/message", "notifications/tasks/status", "notifications/weird", "notifications/progress"]) {
        await server.send({ jsonrpc: "2.0", method, params: { _meta, level: "info", data: "for one of them", progressToken: 1, progress: 1 } });
      }
      await server.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta } });
      for (const end of ends) assert.equal((await end.message())["method"], "notifications/tools/list_changed");
      await settle();
      assert.deepEqual(ends.map(({ waiting }) => waiting), [[], []]);
      for (const end of ends) await end.end();
      await gateway.close();
    }
  });
});
