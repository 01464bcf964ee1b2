import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LocalError } from "../../src/core/base/errors.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { createChain } from "../../src/core/client/local-chain.ts";
import type { Decision } from "../../src/core/guard/decision.ts";
import { directSend } from "../../src/core/http/direct-send.ts";
import { httpTransport } from "../../src/core/http/http-client.ts";
import { mutator, validator } from "../../src/core/interceptor/define.ts";
import { deny } from "../../src/core/interceptor/verdict.ts";
import { McpServer } from "../../src/core/mcp/server.ts";
import { hostInterceptors } from "../../src/core/server/interceptor-server.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import { resourceMetadata } from "../../src/gateway/auth.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import type { Gateway, GatewayPlan } from "../../src/gateway/plan.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { initializeCall, send } from "../support/http-exchange.ts";
import { behind, clientOf, faceTransport, gatewayFor, until } from "./kit.ts";
import { HANDSHAKE, metaOf, opened, rawEnd, rawUpstream, type RawEnd } from "./raw.ts";

const chainOf = (...interceptors: Parameters<ReturnType<typeof createChain>["add"]>[0][]) => {
  const chain = createChain();
  for (const interceptor of interceptors) chain.add(interceptor);
  return chain;
};
const noEcho = validator({ name: "no-echo", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => (payload.name === "echo" ? deny("no") : true));
const stamp = (text: string) =>
  mutator({ name: "stamp", hooks: [{ events: ["tools/call"], phase: "response" }] }, ({ payload }) => ({ ...payload, _meta: { ...payload["_meta"], "com.example/stamp": text } }));

/** A session over HTTP, whose client is asked what it is asked. */
async function openedSession(handle: Gateway["handle"]) {
  const path = "/up/mcp";
  const opened = send(handle, { ...initializeCall(), path });
  const id = await opened.header("mcp-session-id");
  const headers = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
  const post = (body: JsonObject) => send(handle, { path, headers, body });
  assert.equal(await post({ jsonrpc: "2.0", method: "notifications/initialized" }).status(), 202);
  return { id, post };
}

function session(gateway: Gateway, name = "up"): RawEnd {
  const [near, far] = memoryPair();
  gateway.serve(name, far);
  return rawEnd(near);
}
const call = (id: number, name = "t") => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name } });
const errorOf = (message: JsonObject) => message["error"] as { code: number; message: string; data?: JsonObject };

describe("the guard of a gateway", () => {
  it("stands on the face: what is refused never reaches the upstream, in any era", async () => {
    const up = behind("http", "stateless");
    const decisions: (Decision & { upstream: string })[] = [];
    const gateway = await gatewayFor(up.target, {
      chain: () => chainOf(noEcho, stamp("x")),
      record: (decision, upstream) => void decisions.push({ ...decision, upstream }),
    });
    for (const era of ["handshake", "stateless"] as const) {
      for (const way of ["memory", "http"] as const) {
        const client = await clientOf(gateway, way, era);
        await assert.rejects(client.callTool({ name: "echo", arguments: { text: "x" } }), { code: -32602 });
        const { _meta } = await client.callTool({ name: "steps" });
        assert.equal(_meta?.["com.example/stamp"], "x");
        await client.close();
      }
    }
    assert.equal(decisions.filter(({ verdict }) => verdict === "blocked").length, 4);
    assert.ok(decisions.every(({ upstream, role, direction }) => upstream === "up" && role === "server" && (direction === "receiving" || direction === "sending")));
    await gateway.close();
    await up.close();
  });

  it("makes an upstream's errors generic where an active hook does not see them, and leaves the gateway's own", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, { chain: () => chainOf(stamp("x")) }, { era: "handshake" });
    const client = session(gateway);
    const [server] = await Promise.all([up.greet(HANDSHAKE), opened(client)]);
    await client.send(call(1));
    const { id } = await server.message();
    await server.send({ jsonrpc: "2.0", id, error: { code: -32000, message: "password is hunter2", data: { at: "hunter2" } } });
    assert.deepEqual(errorOf(await client.message()), { code: -32000, message: "Request failed" });
    await client.send(call(2));
    await server.message();
    await server.end();
    assert.deepEqual(errorOf(await client.message()), {
      code: -32603,
      message: "The upstream was lost before it answered",
      data: { reason: "unavailable", delivery: "unknown" },
    });
    await gateway.close();
  });

  it("sends nothing on while what comes of it could not be recorded, whatever is hooked", async () => {
    const up = rawUpstream();
    let full = false;
    const asked: unknown[] = [];
    const record = (_decision: Decision, upstream: string) => (full ? Promise.reject(new Error(`${upstream}: disk full`)) : undefined);
    const canRecord = (upstream: string) => (asked.push(upstream), !full);
    const gateway = await gatewayFor(up.target, { chain: () => chainOf(stamp("x")), record, canRecord }, { era: "handshake" });
    const client = session(gateway);
    const [server] = await Promise.all([up.greet(HANDSHAKE), opened(client)]);
    full = true;
    const refused = { code: -32603, message: "Interceptor execution failed", data: { reason: "unavailable", delivery: "none" } };
    for (const [id, method] of ["tools/call", "tools/list"].entries()) {
      await client.send({ jsonrpc: "2.0", id, method, params: { name: "t" } });
      assert.deepEqual(errorOf(await client.message()), refused, method);
    }
    full = false;
    await client.send(call(9));
    const { id, method } = await server.message();
    assert.equal(method, "tools/call", "the first that the upstream gets");
    await server.send({ jsonrpc: "2.0", id, result: { content: [] } });
    assert.equal((await client.message())["id"], 9);
    assert.deepEqual([...new Set(asked)], ["up"]);
    await gateway.close();
  });

  it("judges questions and answers as those of the server's client, whatever carries them", async () => {
    const events: string[] = [];
    const watch = validator({ name: "watch", hooks: [{ events: ["elicitation/create"], phase: "request" }, { events: ["elicitation/create"], phase: "response" }] }, ({ payload }) => {
      events.push("action" in payload ? "answer" : "question");
      return true;
    });
    for (const upstreamEra of ["handshake", "stateless"] as const) {
      for (const era of ["handshake", "stateless"] as const) {
        events.length = 0;
        const up = behind("memory", upstreamEra);
        const gateway = await gatewayFor(up.target, { chain: () => chainOf(watch) });
        const client = await clientOf(gateway, "memory", era, (it) => void it.onElicitation(() => ({ action: "decline" })));
        await client.callTool({ name: "ask", arguments: { about: "x" } });
        assert.deepEqual([...new Set(events)], ["question", "answer"], `${era} to ${upstreamEra}`);
        await client.close();
        await gateway.close();
        await up.close();
      }
    }
  });
});

describe("an upstream of a gateway", () => {
  it("is described without a caller, and found missing by name", async () => {
    for (const era of ["handshake", "stateless"] as const) {
      const up = behind("http", era);
      const gateway = await gatewayFor(up.target);
      const { era: found, info, capabilities } = await gateway.describe("up");
      assert.deepEqual([found, info, Object.keys(capabilities).sort()], [era, { name: "upstream", version: "1.2.3" }, ["resources", "tools"]]);
      assert.equal(gateway.stats().upstreams["up"]?.era, era);
      await assert.rejects(gateway.describe("down"), { code: "not_found" });
      assert.throws(() => gateway.serve("down", memoryPair()[0]), { code: "not_found" });
      await gateway.close();
      await up.close();
    }
    const nowhere = await gatewayFor({ connect: () => Promise.reject(new LocalError("spawn_failed", "no such command")) });
    await assert.rejects(nowhere.describe("up"), { code: "spawn_failed", message: "no such command" });
    await nowhere.close();
  });

  it("may be the interceptors of the gateway itself, for chains elsewhere", async () => {
    const hosting = new McpServer({ name: "interceptors", version: "1" });
    hostInterceptors(hosting, [noEcho]);
    const gateway = await gatewayFor({ server: hosting });
    for (const era of ["handshake", "stateless"] as const) {
      const client = await clientOf(gateway, "http", era);
      const chain = createChain();
      await chain.addServer(client);
      const run = (name: string) => chain.execute({ event: "tools/call", phase: "request", direction: "receiving", payload: { name } });
      assert.deepEqual([(await run("echo")).status, (await run("other")).status], ["validation_failed", "success"]);
      await chain.close();
      await client.close();
    }
    await gateway.close();
    await hosting.close();
  });
});

describe("who may", () => {
  it("is asked of each upstream's plan: 403 for somebody, 404 for nobody in particular", async () => {
    const authenticate: NonNullable<NonNullable<GatewayPlan["http"]>["authenticate"]> = ({ token }) => ({ principal: { type: "user", id: String(token) } });
    const up = behind("memory", "handshake");
    const plan: GatewayPlan = {
      upstreams: [{ name: "up", target: up.target, allow: (principal) => principal?.id === "alice" }],
      chain: () => createChain(),
    };
    const asking = async (gateway: Gateway, token: string) => {
      const end = rawEnd(httpTransport({ url: "http://localhost/up/mcp", send: directSend(gateway.handle), headers: { authorization: `Bearer ${token}` } }));
      await end.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: HANDSHAKE, capabilities: {}, clientInfo: { name: "c", version: "1" } } });
      const answer = await end.message();
      await end.end();
      return answer;
    };
    const named = await createGateway({ ...plan, http: { authenticate } });
    assert.ok((await asking(named, "alice"))["result"]);
    assert.equal(errorOf(await asking(named, "bob")).data?.["httpStatus"], 403);
    await named.close();
    const open = await createGateway(plan);
    assert.equal(errorOf(await asking(open, "alice")).message, "There is nothing here; servers are at /NAME/mcp");
    // As it is where there is no such server, and elsewhere, so that nobody learns a name.
    const metadata = { resource: "https://mcp.example.com", authorizationServers: [] };
    const known = await createGateway({ ...plan, http: { otherwise: resourceMetadata(metadata) } });
    for (const one of [open, known]) {
      for (const path of ["/", "/mcp", "/up/mcp", "/none/mcp", "/up"]) {
        const answer = send(one.handle, { method: "GET", path });
        assert.deepEqual([await answer.status(), errorOf(await answer.json()).message], [404, "There is nothing here; servers are at /NAME/mcp"], path);
      }
    }
    assert.equal(await send(known.handle, { method: "GET", path: "/.well-known/oauth-protected-resource" }).status(), 200);
    await known.close();
    await open.close();
    await up.close();
  });
});

describe("who may, by another plan", () => {
  it("is asked of the new plan's functions, on the connections that are there", async () => {
    const up = behind("memory", "handshake");
    let known = "alice";
    const planned = (allowed: boolean, name: string): GatewayPlan => ({
      upstreams: [{ name: "up", target: up.target, allow: () => allowed }],
      chain: () => createChain(),
      http: { authenticate: ({ token }) => (token === name ? { principal: { type: "user", id: name } } : { challenge: { error: "invalid_token" } }) },
    });
    const gateway = await createGateway(planned(true, "alice"));
    const ask = async () => {
      const end = rawEnd(httpTransport({ url: "http://localhost/up/mcp", send: directSend(gateway.handle), headers: { authorization: `Bearer ${known}` } }));
      await end.send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":${metaOf()}}}`);
      const message = await end.message();
      return message["error"] === undefined ? 200 : errorOf(message).data?.["httpStatus"];
    };
    assert.equal(await ask(), 200);
    await gateway.reload(planned(false, "alice"));
    assert.equal(await ask(), 403);
    await gateway.reload(planned(true, "bob"));
    assert.equal(await ask(), 401);
    known = "bob";
    assert.equal(await ask(), 200);
    assert.equal(gateway.stats().upstreams["up"]?.failedStarts, 0);
    await gateway.close();
    await up.close();
  });
});

describe("the end of a gateway", () => {
  it("refuses what is new, lets calls in flight end, and then closes everything", async () => {
    const up = behind("memory", "handshake");
    const gateway = await gatewayFor(up.target);
    const client = await clientOf(gateway, "http", "handshake");
    const stdio = await clientOf(gateway, "memory", "stateless");
    const running = client.callTool({ name: "slow", arguments: { name: "n" } });
    await until(() => up.running.size === 1);
    const closing = gateway.close();
    await settle();
    assert.equal(gateway.stats().draining, true);
    await assert.rejects(stdio.callTool({ name: "echo" }), { code: -32603, data: { reason: "draining", delivery: "none" } });
    up.finish("n", "in time");
    assert.deepEqual((await running).content[0], { type: "text", text: "in time" });
    await closing;
    await gateway.done;
    const { faces, calls, upstreams } = gateway.stats();
    assert.deepEqual([faces, calls, upstreams["up"]?.connections], [0, 0, 0]);
    await client.close();
    await up.close();
  });

  it("answers what does not end within its time, and cancels it upstream", async () => {
    const host = fakeHost();
    const up = behind("memory", "handshake", { host });
    const gateway = await gatewayFor(up.target, { host, drainMs: 3_000 });
    const client = await clientOf(gateway, "memory", "handshake");
    const running = client.callTool({ name: "slow", arguments: { name: "n" } });
    const told = assert.rejects(running, { code: -32603, data: { reason: "draining", delivery: "unknown" } });
    await until(() => up.running.size === 1);
    const closing = gateway.close();
    await host.advance(3_000);
    await told;
    await host.advance(5_000);
    await closing;
    await until(() => up.cancelled.length === 1);
    assert.deepEqual(up.cancelled, ["n"]);
    assert.equal(host.liveTimers, 0);
    await up.close();
  });

  it("lets answers that a guard still holds go first", async () => {
    let release = () => {};
    let held = 0;
    const hold = mutator({ name: "hold", hooks: [{ events: ["tools/call"], phase: "response" }] }, async ({ payload }) => {
      held++;
      await new Promise<void>((resolve) => (release = resolve));
      return { ...payload, _meta: { "com.example/held": true } };
    });
    const up = behind("memory", "handshake");
    const gateway = await gatewayFor(up.target, { chain: () => chainOf(hold) });
    const client = await clientOf(gateway, "memory", "handshake");
    const running = client.callTool({ name: "echo", arguments: { text: "x" } });
    await until(() => held === 1);
    const closing = gateway.close();
    await settle();
    release();
    assert.equal((await running)._meta?.["com.example/held"], true);
    await closing;
    await up.close();
  });

  for (const way of ["memory", "http"] as const) {
    it(`answers requests that a guard still holds, over ${way}, and what it holds for too long`, async () => {
      const host = fakeHost();
      const verdicts: ((verdict: boolean) => void)[] = [];
      const hold = validator({ name: "hold", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => new Promise<boolean>((resolve) => verdicts.push(resolve)));
      const up = behind("memory", "handshake", { host });
      const gateway = await gatewayFor(up.target, { host, drainMs: 3_000, chain: () => chainOf(hold) });
      const client = await clientOf(gateway, way, "stateless");
      const [first, second] = ["first", "second"].map((text) => client.callTool({ name: "echo", arguments: { text } }));
      const told = [
        assert.rejects(first!, { code: -32603, data: { reason: "draining", delivery: "none" } }),
        assert.rejects(second!, { code: -32603, data: { reason: "draining", delivery: "unknown" } }),
      ];
      await until(() => verdicts.length === 2);
      let ended = false;
      const closing = gateway.close().then(() => (ended = true));
      await settle();
      verdicts[0]!(true);
      await told[0];
      assert.equal(ended, false);
      await host.advance(3_000);
      await host.advance(6_000);
      await Promise.all(told);
      await closing;
      assert.equal(gateway.stats().faces, 0);
      await up.close();
    });
  }

  it("ends the streams of subscriptions with their answer", async () => {
    const up = behind("memory", "handshake");
    const gateway = await gatewayFor(up.target);
    const end = rawEnd(faceTransport(gateway, "http"));
    await end.send(`{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"_meta":${metaOf()},"notifications":{"toolsListChanged":true,"resourceSubscriptions":["mem:///a"]}}}`);
    const acknowledged = (await end.message())["params"] as JsonObject;
    assert.deepEqual(acknowledged["notifications"], { toolsListChanged: true, resourceSubscriptions: ["mem:///a"] });
    const closing = gateway.close();
    const last = (await end.message()) as { id: unknown; result: { _meta: JsonObject } };
    assert.deepEqual([last.id, last.result._meta["io.modelcontextprotocol/subscriptionId"]], ["s", "s"]);
    await closing;
    await up.close();
  });
});

describe("another plan", () => {
  it("changes the chain for the next exchange of a session, and not for one in flight", async () => {
    const up = behind("memory", "handshake");
    const upstreams = [{ name: "up", target: up.target }];
    const before = chainOf(stamp("before"));
    const after = chainOf(stamp("after"), noEcho);
    const gateway = await createGateway({ upstreams, chain: () => before });
    const client = await clientOf(gateway, "http", "handshake");
    const running = client.callTool({ name: "slow", arguments: { name: "n" } });
    await until(() => up.running.size === 1);
    await gateway.reload({ upstreams: [{ ...upstreams[0]! }], chain: () => after });
    up.finish("n");
    assert.equal((await running)._meta?.["com.example/stamp"], "before");
    assert.equal((await client.callTool({ name: "steps" }))._meta?.["com.example/stamp"], "after");
    await assert.rejects(client.callTool({ name: "echo" }), { code: -32602 });
    // The same session, on the same connection.
    assert.equal(gateway.stats().upstreams["up"]?.connections, 1);
    await client.close();
    await gateway.close();
    await up.close();
  });

  it("replaces a changed upstream for all, once its calls have ended; clients of HTTP come back by themselves", async () => {
    const one = behind("memory", "handshake");
    const two = behind("memory", "handshake");
    two.server.tool({ name: "only-here", inputSchema: { type: "object" } }, () => "x");
    const gateway = await gatewayFor(one.target);
    const client = await clientOf(gateway, "http", "handshake");
    const running = client.callTool({ name: "slow", arguments: { name: "n" } });
    await until(() => one.running.size === 1);
    await gateway.reload({ upstreams: [{ name: "up", target: two.target }, { name: "more", target: one.target }], chain: () => createChain() });
    // The session of the old upstream is not known to the new one's face.
    assert.equal((await client.callTool({ name: "only-here" })).content.length, 1);
    one.finish("n", "of the old one");
    assert.deepEqual((await running).content[0], { type: "text", text: "of the old one" });
    await until(() => gateway.stats().faces === 1);
    assert.equal(gateway.stats().faces, 1);
    await client.close();
    await gateway.close();
    await one.close();
    await two.close();
  });

  it("lets clients of HTTP answer what calls of the old plan ask", async () => {
    const one = behind("memory", "handshake");
    const two = behind("memory", "handshake");
    const gateway = await gatewayFor(one.target);
    const { post, id } = await openedSession(gateway.handle);
    const asking = post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask", arguments: { about: "it" } } });
    await until(() => gateway.stats().calls === 1);
    const [question] = (await asking.events()).filter(({ data }) => typeof data === "object" && data["method"] === "elicitation/create");
    await gateway.reload({ upstreams: [{ name: "up", target: two.target }], chain: () => createChain() });
    // Another session is to be had, and it is the client's to open it.
    const refused = post({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    assert.deepEqual([await refused.status(), errorOf(await refused.json()).data], [404, { reason: "draining", delivery: "none" }]);
    assert.equal(await post({ jsonrpc: "2.0", id: (question?.data as JsonObject)["id"], result: { action: "decline" } }).status(), 202);
    await until(() => gateway.stats().calls === 0);
    assert.match(await asking.text(), /decline/);
    await until(() => gateway.stats().faces === 0);
    assert.equal(await post({ jsonrpc: "2.0", id: 3, method: "tools/list" }).status(), 404, `${id} has ended`);
    await gateway.close();
    await one.close();
    await two.close();
  });

  it("that cannot be is refused, and changes nothing", async () => {
    const up = behind("memory", "handshake");
    const plan: GatewayPlan = { upstreams: [{ name: "up", target: up.target }], chain: () => createChain() };
    const gateway = await createGateway(plan);
    const client = await clientOf(gateway, "memory", "handshake");
    const upstream = plan.upstreams[0]!;
    await assert.rejects(gateway.reload({ ...plan, upstreams: [upstream, upstream] }), { code: "invalid_argument", message: /two upstreams are named up/ });
    await assert.rejects(gateway.reload({ ...plan, upstreams: [{ ...upstream, name: "a/b" }] }), { code: "invalid_argument" });
    await assert.rejects(gateway.reload({ ...plan, http: { port: 1 } }), { code: "unsupported", message: /http/ });
    await assert.rejects(gateway.reload({ ...plan, stdio: "up" }), { code: "unsupported" });
    // A check that would not be made must not look as if it were.
    await assert.rejects(gateway.reload({ ...plan, http: { authenticate: () => ({ challenge: {} }) } }), { code: "unsupported", message: /http/ });
    await assert.rejects(
      gateway.reload({
        ...plan,
        chain() {
          throw new TypeError("no chain");
        },
      }),
      /no chain/,
    );
    assert.equal((await client.callTool({ name: "echo", arguments: { text: "x" } })).content.length, 1);
    await client.close();
    await gateway.close();
    await assert.rejects(gateway.reload(plan), { code: "closed" });
    await up.close();
  });

  it("may come two hundred times under load: every call is answered once, by one plan or the other", async () => {
    const up = behind("memory", "handshake");
    const stamps = new Set<unknown>();
    const planned = (turn: number): GatewayPlan => {
      const chain = chainOf(stamp(`t${turn}`));
      return { upstreams: [{ name: "up", target: up.target, ...(turn % 50 === 49 ? { maxCalls: 1_000 + turn } : {}) }], chain: () => chain };
    };
    const gateway = await createGateway(planned(0));
    let answered = 0;
    let over = false;
    const work = async (way: "memory" | "http", era: "handshake" | "stateless") => {
      const client = await clientOf(gateway, way, era);
      while (!over) {
        const nonce = `${way}-${era}-${answered}`;
        const { content, _meta } = await client.callTool({ name: "echo", arguments: { text: nonce } });
        assert.deepEqual(content[0], { type: "text", text: nonce });
        stamps.add(_meta?.["com.example/stamp"]);
        answered++;
        // Nothing here takes time by itself: the reloads must get their turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
      await client.close();
    };
    const workers = [work("http", "stateless"), work("http", "handshake"), work("http", "stateless")];
    for (let turn = 1; turn <= 200; turn++) {
      await gateway.reload(planned(turn));
      await new Promise((resolve) => setImmediate(resolve));
    }
    over = true;
    await Promise.all(workers);
    assert.ok(answered > 50 && stamps.size > 10, `${answered} answers of ${stamps.size} plans`);
    await gateway.close();
    assert.deepEqual([gateway.stats().faces, gateway.stats().calls], [0, 0]);
    await up.close();
  });
});
