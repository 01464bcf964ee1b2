import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LocalError } from "../../src/core/base/errors.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { VERSION } from "../../src/core/base/version.ts";
import { directSend } from "../../src/core/http/direct-send.ts";
import { createHttpServer } from "../../src/core/http/http-server.ts";
import { httpTransport } from "../../src/core/http/http-client.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import { META } from "../../src/core/wire/versions.ts";
import type { Gateway } from "../../src/gateway/plan.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { behind, clientOf, gatewayFor, until } from "./kit.ts";
import { HANDSHAKE, metaOf, opened, rawEnd, rawUpstream, type RawEnd } from "./raw.ts";

// src/gateway/upstream.ts and upstream-slot.ts: who gets which connection, and what becomes of one that is lost.

function session(gateway: Gateway): RawEnd {
  const [near, far] = memoryPair();
  gateway.serve("up", far);
  return rawEnd(near);
}

function poster(gateway: Gateway, token: string): RawEnd {
  return rawEnd(httpTransport({ url: "http://localhost/up/mcp", send: directSend(gateway.handle), headers: { authorization: `Bearer ${token}` } }));
}

// Of no tool: calls of these may have a list asked for first.
const post = (id: number, capabilities: JsonObject = {}, name = "t"): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"example/call","params":{"name":${JSON.stringify(name)},"_meta":${metaOf(capabilities)}}}`;
const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "t" } });
const answer = async (end: RawEnd, text: string) => {
  const { id } = await end.message();
  await end.send({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });
};
const errorOf = (message: JsonObject) => message["error"] as { code: number; message: string; data?: JsonObject };
const authenticate = ({ token }: { token: string | undefined }) => ({ principal: { type: "user" as const, id: String(token) } });

describe("connections of principals", () => {
  it("are one for each, of either era, whom a server of this process sees as its peer, and end unused", async () => {
    for (const era of ["handshake", "stateless"] as const) {
      const host = fakeHost();
      const up = behind("memory", era, { host });
      up.server.tool({ name: "who", inputSchema: { type: "object" } }, (_args, { from }) => JSON.stringify(from.principal ?? null));
      const gateway = await gatewayFor(up.target, { host, http: { authenticate } }, { sharing: "principal", idleMs: 1_000 });
      const connections = () => gateway.stats().upstreams["up"]?.connections;
      const who = async (token: string, id: number) => {
        const end = poster(gateway, token);
        await end.send(post(id, {}, "who").replace("example/call", "tools/call"));
        const { result } = (await end.message()) as { result: { content: [{ text: string }] } };
        return JSON.parse(result.content[0].text) as unknown;
      };
      assert.deepEqual([await who("ann", 1), await who("bob", 2), await who("ann", 3)], ["ann", "bob", "ann"].map((id) => ({ type: "user", id })));
      assert.equal(connections(), 2);
      await host.advance(1_000);
      assert.equal(connections(), 0);
      assert.deepEqual(await who("bob", 4), { type: "user", id: "bob" });
      await gateway.close();
      await up.close();
    }
  });
});

describe("a start that gets no greeting", () => {
  it("ends for all who wait for it within startTimeoutMs, probe and closing included", async () => {
    const host = fakeHost();
    let made = 0;
    // It neither answers nor ends.
    const connect = () => (made++, { ...memoryPair()[0], close: () => new Promise<void>(() => {}) });
    const gateway = await gatewayFor({ connect }, { host }, { startTimeoutMs: 1_000, probeTimeoutMs: 400 });
    const ended: string[] = [];
    const ends = [post(1), post(2)].map(async (text, index) => {
      const end = poster(gateway, String(index));
      await end.send(text);
      ended.push(String(errorOf(await end.message()).data?.["reason"]));
    });
    await host.advance(999);
    assert.deepEqual(ended, []);
    await host.advance(1);
    await Promise.all(ends);
    assert.deepEqual([ended, made], [["timeout", "timeout"], 1]);
    void gateway.close();
    await host.advance(60_000);
  });
});

describe("a greeting that is malformed", () => {
  const capabilities = { tools: {}, resources: 5 };
  const names = { name: "raw", version: "1", title: 5 };

  it("is told as such to callers of either era, in a back-off too", async () => {
    for (const [version, told] of [[HANDSHAKE, capabilities], ["2026-07-28", capabilities], [HANDSHAKE, undefined]] as const) {
      const host = fakeHost();
      const up = rawUpstream();
      const gateway = await gatewayFor(up.target, { host }, { era: version === HANDSHAKE ? "handshake" : "stateless" });
      const greeted = async () => {
        await until(() => up.connections.length > 0);
        const server = up.connections.shift()!;
        const { id } = await server.message();
        const offered = { capabilities: told ?? {}, serverInfo: told === undefined ? names : { name: "raw", version: "1" } };
        await server.send({ jsonrpc: "2.0", id, result: version === HANDSHAKE ? { protocolVersion: version, ...offered } : { resultType: "complete", supportedVersions: [version], ...offered } });
      };
      const reasons: unknown[] = [];
      const older = session(gateway);
      const newer = poster(gateway, "x");
      for (const end of [older, newer, older, newer]) {
        const starts = reasons.length < 2;
        if (end === older) await end.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: HANDSHAKE, capabilities: {}, clientInfo: { name: "c", version: "1" } } });
        else await end.send(post(2));
        if (starts) await greeted();
        reasons.push(errorOf(await end.message()).data?.["reason"]);
      }
      assert.deepEqual(reasons, ["malformed", "malformed", "malformed", "malformed"]);
      const closing = gateway.close();
      await host.advance(20_000);
      await closing;
    }
  });
});

describe("connections to a handshake upstream", () => {
  it("are one a session, with the session's own capabilities and revision, and end with it", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, {}, { era: "handshake" });
    const one = session(gateway);
    await one.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: { roots: {}, experimental: { x: {} } }, clientInfo: { name: "one", version: "1" } } });
    await until(() => up.connections.length === 1);
    const greeting = (await up.connections[0]!.message()) as { id: number; params: JsonObject };
    assert.deepEqual(greeting.params, { protocolVersion: "2025-06-18", capabilities: { roots: {}, experimental: { x: {} } }, clientInfo: { name: "one", version: "1" } });
    await up.connections[0]!.send({ jsonrpc: "2.0", id: greeting.id, result: { protocolVersion: "2025-03-26", capabilities: { extensions: { "com.example/e": { a: 1 } }, tools: {} }, serverInfo: { name: "raw", version: "1" }, instructions: "i" } });
    // The two agree on what they would have agreed on without a gateway between them.
    assert.deepEqual((await one.message())["result"], {
      protocolVersion: "2025-03-26",
      capabilities: { extensions: { "com.example/e": { a: 1 } }, tools: {} },
      serverInfo: { name: "raw", version: "1" },
      instructions: "i",
    });
    const two = session(gateway);
    const opening = opened(two);
    await until(() => up.connections.length === 2);
    const { id } = await up.connections[1]!.message();
    await up.connections[1]!.send({ jsonrpc: "2.0", id, result: { protocolVersion: HANDSHAKE, capabilities: {}, serverInfo: { name: "raw", version: "1" } } });
    await opening;
    assert.equal(gateway.stats().upstreams["up"]?.connections, 2);
    await one.end();
    await until(() => gateway.stats().upstreams["up"]?.connections === 1);
    assert.match(String(await up.connections[0]!.next()), /initialized/);
    assert.equal(await up.connections[0]!.next(), undefined);
    await gateway.close();
  });

  it("are shared by the stateless callers of one principal that can do the same, and by no others", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, { http: { authenticate } }, { era: "handshake" });
    const alice = poster(gateway, "alice");
    await alice.send(post(1));
    const first = await up.greet(HANDSHAKE);
    await answer(first, "1");
    await alice.message();
    await alice.send(post(2));
    await answer(first, "2");
    await alice.message();
    await poster(gateway, "bob").send(post(1));
    const second = await up.greet(HANDSHAKE);
    await answer(second, "3");
    await alice.send(post(3, { sampling: {} }));
    await answer(await up.greet(HANDSHAKE), "4");
    await until(() => gateway.stats().calls === 0);
    assert.equal(up.connections.length, 3);
    await gateway.close();
  });

  it("are not opened by the names that clients give themselves, call by call, and are the gateway's to the server", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, { http: { authenticate } }, { era: "handshake", maxConnections: 2 });
    const alice = poster(gateway, "alice");
    const as = (id: number, name: string) => `{"jsonrpc":"2.0","id":${id},"method":"example/call","params":{"_meta":${metaOf({}, { [META.clientInfo]: { name, version: "1" } })}}}`;
    await alice.send(as(1, "one"));
    await until(() => up.connections.length === 1);
    const server = up.connections[0]!;
    const greeting = (await server.message()) as { id: number; params: JsonObject };
    assert.deepEqual(greeting.params["clientInfo"], { name: "mcp-interceptors-gateway", version: VERSION });
    await server.send({ jsonrpc: "2.0", id: greeting.id, result: { protocolVersion: HANDSHAKE, capabilities: { tools: {} }, serverInfo: { name: "raw", version: "1" } } });
    assert.match(String(await server.next()), /notifications\/initialized/);
    // All in flight at once, none of which may take the room of another.
    for (const id of [2, 3, 4]) await alice.send(as(id, `client ${id}`));
    await until(() => server.waiting.length === 4);
    assert.equal(up.connections.length, 1);
    for (const id of [1, 2, 3, 4]) await answer(server, String(id));
    for (let left = 4; left > 0; left--) assert.notEqual((await alice.message())["result"], undefined);
    await gateway.close();
  });

  it("belong to one call at a time where the server may ask and could not say for which call", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, {}, { era: "handshake" });
    const end = poster(gateway, "x");
    const asking = { elicitation: {} };
    await end.send(post(1, asking));
    const first = await up.greet(HANDSHAKE);
    await end.send(post(2, asking));
    const second = await up.greet(HANDSHAKE);
    await answer(first, "1");
    await answer(second, "2");
    await end.message();
    await end.message();
    await end.send(post(3, asking));
    await until(() => first.waiting.length + second.waiting.length > 0);
    assert.equal(up.connections.length, 2);
    await answer(first.waiting.length > 0 ? first : second, "3");
    await end.message();
    await gateway.close();
  });

  it("are capped: unused ones make room, and a session without room is answered at once", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, { http: { authenticate } }, { era: "handshake", maxConnections: 1 });
    const alice = poster(gateway, "alice");
    await alice.send(post(1));
    const first = await up.greet(HANDSHAKE);
    await answer(first, "1");
    await alice.message();
    // The first one is kept for alice, but nobody uses it.
    const own = session(gateway);
    await Promise.all([up.greet(HANDSHAKE), opened(own)]);
    assert.equal(await first.next(), undefined);
    const late = session(gateway);
    await late.send({ jsonrpc: "2.0", id: 5, method: "initialize", params: { protocolVersion: HANDSHAKE, capabilities: {}, clientInfo: { name: "c", version: "1" } } });
    assert.deepEqual(errorOf(await late.message()).data, { reason: "overloaded", delivery: "none" });
    // It may try again once there is room.
    await own.end();
    await until(() => gateway.stats().upstreams["up"]?.connections === 0);
    await Promise.all([up.greet(HANDSHAKE), opened(late)]);
    await gateway.close();
  });

  it("are ended when nobody has used them for a while", async () => {
    const host = fakeHost();
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, { host }, { era: "handshake", idleMs: 5_000 });
    const end = poster(gateway, "x");
    await end.send(post(1));
    const first = await up.greet(HANDSHAKE);
    await answer(first, "1");
    await end.message();
    await host.advance(4_999);
    assert.equal(gateway.stats().upstreams["up"]?.connections, 1);
    await host.advance(1);
    assert.equal(gateway.stats().upstreams["up"]?.connections, 0);
    await gateway.close();
    await host.advance(20_000);
    assert.equal(host.liveTimers, 0);
  });
});

describe("a shared connection", () => {
  it("takes a request of the server's for the only call in flight, and refuses it where there are several or none", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, {}, { era: "handshake", sharing: "shared" });
    const one = session(gateway);
    const two = session(gateway);
    const [server] = await Promise.all([up.greet(HANDSHAKE), opened(one, { elicitation: {} }), opened(two, { elicitation: {} })]);
    assert.equal(up.connections.length, 1);
    const question = { jsonrpc: "2.0", id: "q", method: "elicitation/create", params: { message: "?", requestedSchema: { type: "object", properties: {} } } };
    await server.send(question);
    assert.equal(errorOf(await server.message()).code, -32603);
    await one.send(call(1));
    const first = await server.message();
    await server.send(question);
    const asked = await one.message();
    assert.equal(asked["method"], "elicitation/create");
    await one.send({ jsonrpc: "2.0", id: asked["id"], result: { action: "decline" } });
    assert.deepEqual(await server.message(), { jsonrpc: "2.0", id: "q", result: { action: "decline" } });
    await two.send(call(1));
    const second = await server.message();
    await server.send(question);
    assert.equal((errorOf(await server.message()).data ?? {})["reason"], "unrelated");
    assert.deepEqual([one.waiting, two.waiting], [[], []]);
    await server.send({ jsonrpc: "2.0", id: second["id"], result: { content: [] } });
    await server.send({ jsonrpc: "2.0", id: first["id"], result: { content: [{ type: "text", text: "1" }] } });
    assert.match(JSON.stringify(await one.message()), /"text":"1"/);
    assert.deepEqual(await two.message(), { jsonrpc: "2.0", id: 1, result: { content: [] } });
    await gateway.close();
  });
});

describe("what an upstream does not have", () => {
  it("is not announced, and is answered with -32601 in both eras", async () => {
    for (const era of ["handshake", "stateless"] as const) {
      const up = behind("memory", era, {}, "tools");
      const gateway = await gatewayFor(up.target);
      for (const face of ["handshake", "stateless"] as const) {
        const client = await clientOf(gateway, "http", face, () => {}, { checkCapabilities: false });
        assert.deepEqual(Object.keys(client.serverCapabilities ?? {}), ["tools"]);
        await assert.rejects(client.listResources(), { code: -32601 });
        await assert.rejects(client.listPrompts(), { code: -32601 });
        await client.close();
      }
      await gateway.close();
      await up.close();
    }
  });
});

describe("an upstream that fails", () => {
  it("is started again by the next call, and by none before its back-off is over", async () => {
    const host = fakeHost();
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, { host }, { era: "handshake", backOff: { firstMs: 1_000, longestMs: 1_500 } });
    const client = session(gateway);
    const [first] = await Promise.all([up.greet(HANDSHAKE), opened(client)]);
    await client.send(call(1));
    await first.message();
    await first.end();
    assert.deepEqual(errorOf(await client.message()).data, { reason: "unavailable", delivery: "unknown" });
    // The first loss costs nothing.
    await client.send(call(2));
    const second = await up.greet(HANDSHAKE);
    await second.message();
    await second.end();
    assert.equal(errorOf(await client.message()).data?.["delivery"], "unknown");
    await client.send(call(3));
    assert.deepEqual(errorOf(await client.message()).data, { reason: "unavailable", delivery: "none", retryAfterMs: 1_000 });
    assert.equal(up.connections.length, 2);
    await host.advance(1_000);
    await client.send(call(4));
    const third = await up.greet(HANDSHAKE);
    await answer(third, "4");
    assert.match(JSON.stringify(await client.message()), /"text":"4"/);
    assert.equal(gateway.stats().upstreams["up"]?.lost, 2);
    await gateway.close();
    await host.advance(20_000);
    assert.equal(host.liveTimers, 0);
  });

  it("to start is told as unavailable, without a word of why, and starts are spaced", async () => {
    const host = fakeHost();
    let starts = 0;
    const logged: string[] = [];
    const gateway = await gatewayFor(
      {
        connect() {
          starts++;
          return Promise.reject(new TypeError("secret path"));
        },
      },
      { host, log: ({ level, message }) => void logged.push(`${level} ${message}`) },
      { era: "handshake", backOff: { firstMs: 1_000 } },
    );
    const end = poster(gateway, "x");
    const reasons: unknown[] = [];
    for (const id of [1, 2, 3]) {
      await end.send(post(id));
      const error = errorOf(await end.message());
      assert.doesNotMatch(JSON.stringify(error), /secret/);
      reasons.push(error.data);
    }
    assert.deepEqual(reasons, [
      { reason: "unavailable", delivery: "none" },
      { reason: "unavailable", delivery: "none" },
      { reason: "unavailable", delivery: "none", retryAfterMs: 1_000 },
    ]);
    assert.equal(starts, 2);
    // Whoever runs the gateway is told why, at each start.
    assert.deepEqual(logged, Array(2).fill("warning up: cannot be reached: secret path"));
    await host.advance(1_000);
    await end.send(post(4));
    await end.message();
    assert.equal(starts, 3);
    assert.equal(gateway.stats().upstreams["up"]?.failedStarts, 3);
    assert.equal(logged.length, 3);
    await gateway.close();
    assert.equal(logged.length, 3);
  });

  it("by a refusal, which costs no wait, is logged once for each reason", async () => {
    const host = fakeHost();
    const logged: string[] = [];
    const refusals = ["not you", "not you", "nor now", "nor now"];
    const connect = () => Promise.reject(new LocalError("refused", refusals.shift() ?? "never"));
    const gateway = await gatewayFor({ connect }, { host, log: ({ message }) => void logged.push(message) }, { era: "handshake" });
    const end = poster(gateway, "x");
    for (const id of [1, 2, 3, 4]) {
      await end.send(post(id));
      await end.message();
    }
    assert.deepEqual(logged, ["up: cannot be reached: not you", "up: cannot be reached: nor now"]);
    assert.equal(refusals.length, 0);
    await gateway.close();
  });

  it("is called again only where the call was certainly not delivered", async () => {
    const host = fakeHost();
    const deliveries = ["none", "none", "unknown"];
    let calls = 0;
    const served = behind("http", "handshake");
    const target = served.target as { url: string; send: ReturnType<typeof directSend> };
    const { LocalError } = await import("../../src/core/base/errors.ts");
    const gateway = await gatewayFor(
      {
        url: target.url,
        send(request) {
          if (request.body?.includes("tools/call") !== true) return target.send(request);
          calls++;
          const delivery = deliveries.shift();
          return delivery === undefined ? target.send(request) : Promise.reject(new LocalError("closed", "broken", { details: { delivery } }));
        },
      },
      { host },
      { era: "handshake" },
    );
    const client = session(gateway);
    await opened(client);
    await client.send({ ...call(1), params: { name: "echo", arguments: { text: "x" } } });
    await until(() => calls === 1);
    await host.advance(100);
    await until(() => calls === 2);
    await host.advance(400);
    // The third try may have been read.
    assert.deepEqual(errorOf(await client.message()).data, { reason: "unavailable", delivery: "unknown" });
    assert.equal(calls, 3);
    await client.send({ ...call(2), params: { name: "echo", arguments: { text: "x" } } });
    assert.match(JSON.stringify(await client.message()), /"text":"x"/);
    const closing = gateway.close();
    await host.advance(20_000);
    await closing;
    await served.close();
    await settle();
  });

  it("by an HTTP status is not called again", async () => {
    const served = behind("http", "handshake");
    const target = served.target as { url: string; send: ReturnType<typeof directSend> };
    let calls = 0;
    const refusing = createHttpServer({ allowedHosts: ["elsewhere.example"] });
    const refused = directSend(refusing.handle);
    const gateway = await gatewayFor(
      {
        url: target.url,
        send(request) {
          if (request.body?.includes("tools/call") !== true) return target.send(request);
          calls++;
          return refused({ ...request, body: "" });
        },
      },
      {},
      { era: "handshake" },
    );
    const client = session(gateway);
    await opened(client);
    await client.send(call(1));
    assert.ok(errorOf(await client.message()));
    assert.equal(calls, 1);
    await client.end();
    await gateway.close();
    await refusing.close();
    await served.close();
  });

  it("and comes back as one of the other era is found out again", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target);
    const client = poster(gateway, "x");
    await client.send(post(1));
    const old = await up.greet(HANDSHAKE);
    await answer(old, "1");
    await client.message();
    assert.equal(gateway.stats().upstreams["up"]?.era, "handshake");
    await old.end();
    await settle();
    await client.send(post(2));
    await until(() => up.connections.length === 2);
    const { id, method } = await up.connections[1]!.message();
    assert.equal(method, "initialize");
    await up.connections[1]!.send({ jsonrpc: "2.0", id, error: { code: -32022, message: "no", data: { supported: ["2026-07-28"], requested: HANDSHAKE } } });
    assert.equal((errorOf(await client.message()).data ?? {})["delivery"], "none");
    await client.send(post(3));
    await until(() => up.connections.length === 3);
    const { id: asked, method: discover } = await up.connections[2]!.message();
    assert.equal(discover, "server/discover");
    await up.connections[2]!.send({ jsonrpc: "2.0", id: asked, result: { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } } });
    const { id: called } = await up.connections[2]!.message();
    await up.connections[2]!.send({ jsonrpc: "2.0", id: called, result: { resultType: "complete", content: [] } });
    assert.equal((await client.message())["id"], 3);
    assert.equal(gateway.stats().upstreams["up"]?.era, "stateless");
    await gateway.close();
  });

  it("to answer in time is cancelled, and its call answered; progress gives it more time", async () => {
    const host = fakeHost();
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, { host }, { era: "handshake", callTimeoutMs: 1_000, maxCallMs: 2_500 });
    const client = session(gateway);
    const [server] = await Promise.all([up.greet(HANDSHAKE), opened(client)]);
    await client.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", _meta: { progressToken: "p" } } });
    const request = (await server.message()) as { id: number; params: { _meta: { progressToken: number } } };
    assert.equal(request.params._meta.progressToken, request.id);
    for (const progress of [1, 2]) {
      await host.advance(900);
      await server.send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: request.id, progress } });
      assert.deepEqual(await client.message(), { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "p", progress } });
    }
    await host.advance(700);
    assert.deepEqual(errorOf(await client.message()).data, { reason: "timeout", delivery: "unknown" });
    assert.deepEqual((await server.message())["params"], { requestId: request.id, reason: "timeout" });
    // What comes too late is nobody's.
    await server.send({ jsonrpc: "2.0", id: request.id, result: { content: [] } });
    await settle();
    assert.deepEqual(client.waiting, []);
    await gateway.close();
    await host.advance(20_000);
    assert.equal(host.liveTimers, 0);
  });

  it("with too many calls at once refuses the next one", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, {}, { era: "handshake", maxCalls: 1 });
    const client = session(gateway);
    const [server] = await Promise.all([up.greet(HANDSHAKE), opened(client)]);
    await client.send(call(1));
    await client.send(call(2));
    assert.deepEqual(errorOf(await client.message()).data, { reason: "overloaded", delivery: "none" });
    await answer(server, "1");
    await client.message();
    await client.send(call(3));
    await answer(server, "3");
    assert.equal((await client.message())["id"], 3);
    await gateway.close();
  });
});
