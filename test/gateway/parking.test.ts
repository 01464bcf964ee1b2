import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { createChain } from "../../src/core/client/local-chain.ts";
import { directSend } from "../../src/core/http/direct-send.ts";
import { httpTransport } from "../../src/core/http/http-client.ts";
import { mutator, validator } from "../../src/core/interceptor/define.ts";
import { deny } from "../../src/core/interceptor/verdict.ts";
import type { McpServer } from "../../src/core/mcp/server.ts";
import type { Transport } from "../../src/core/transport/transport.ts";
import type { Gateway, GatewayPlan, UpstreamPlan } from "../../src/gateway/plan.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { behind, gatewayFor, until } from "./kit.ts";
import { HANDSHAKE, metaOf, rawEnd, rawUpstream, type RawEnd } from "./raw.ts";

// Calls of stateless callers on a handshake server that asks, message by message, over HTTP without sockets.

type Answered = { readonly id: unknown; readonly result?: JsonObject; readonly error?: { code: number; message: string; data?: JsonObject } };

function caller(gateway: Gateway, token = "t", upstream = "up"): { readonly transport: Transport; readonly end: RawEnd; call(more?: JsonObject, tool?: string): Promise<Answered> } {
  const transport = httpTransport({ url: `http://localhost/${upstream}/mcp`, send: directSend(gateway.handle), headers: { authorization: `Bearer ${token}` } });
  const end = rawEnd(transport);
  let id = 0;
  return {
    transport,
    end,
    async call(more = {}, tool = "ask") {
      const _meta = JSON.parse(metaOf({ elicitation: {} })) as JsonObject;
      await end.send({ jsonrpc: "2.0", id: ++id, method: "tools/call", params: { name: tool, arguments: { about: "x" }, _meta, ...more } });
      return (await end.message()) as unknown as Answered;
    },
  };
}

const stateOf = ({ result }: Answered): string => {
  assert.equal(result?.["resultType"], "input_required", JSON.stringify(result));
  return String(result["requestState"]);
};
const YES = { "ask-1": { action: "accept", content: { ok: true } } };

async function rig(more: Partial<GatewayPlan> = {}, upstream: Partial<UpstreamPlan> = {}) {
  const host = fakeHost();
  const up = behind("memory", "handshake", { host });
  const gateway = await gatewayFor(up.target, { host, parking: { replica: "r1" }, ...more }, upstream);
  const done = async () => {
    const closing = gateway.close();
    await host.advance(20_000);
    await closing;
    await up.close();
    await settle();
    assert.equal(gateway.stats().parked, 0);
    assert.equal(host.liveTimers, 0);
  };
  return { host, up, gateway, done };
}

/** A tool that asks, and what its server hears of that. */
function askAndTell(server: McpServer, name = "ask-and-tell") {
  const told = { asked: 0, gone: false };
  server.tool({ name, inputSchema: { type: "object" } }, async (_args, context) => {
    context.coreSignal.onAbort(() => (told.gone = true));
    told.asked++;
    await context.elicit({ message: "?", requestedSchema: { type: "object", properties: {} } });
    return "answered";
  });
  return told;
}

describe("a call that its upstream asks something about", () => {
  it("waits for the answers under a state that names the replica, and ends in the retry", async () => {
    const { gateway, done } = await rig();
    const { call } = caller(gateway);
    const asked = await call();
    const state = stateOf(asked);
    assert.match(state, /^parked1\.r1\./);
    assert.deepEqual(Object.keys(asked.result!["inputRequests"] as object), ["ask-1"]);
    assert.equal(gateway.stats().parked, 1);
    const { result } = await call({ requestState: state, inputResponses: YES });
    assert.match(JSON.stringify(result), /accept/);
    assert.equal(gateway.stats().parked, 0);
    assert.equal((await call({ requestState: state, inputResponses: YES })).error?.data?.["reason"], "parked_gone");
    await done();
  });

  it("is asked again for answers that are missing", async () => {
    const { gateway, done } = await rig();
    const { call } = caller(gateway);
    const again = await call({ requestState: stateOf(await call()), inputResponses: {} });
    const { result } = await call({ requestState: stateOf(again), inputResponses: YES });
    assert.equal(result?.["resultType"], "complete");
    await done();
  });

  it("gets a stable error at another replica, and goes on at its own", async () => {
    const { gateway, done } = await rig();
    const other = await rig({ parking: { replica: "r2" } });
    const state = stateOf(await caller(gateway).call());
    const { error } = await caller(other.gateway).call({ requestState: state, inputResponses: YES });
    assert.deepEqual([error?.code, error?.data], [-32603, { reason: "parked_elsewhere", delivery: "none" }]);
    assert.equal((await caller(gateway).call({ requestState: state, inputResponses: YES })).result?.["resultType"], "complete");
    await other.done();
    await done();
  });

  it("is nobody else's, and no other request's", async () => {
    const authenticate = ({ token }: { token: string | undefined }) => ({ principal: { type: "user" as const, id: String(token) } });
    const { gateway, done } = await rig({ http: { authenticate } });
    const { call } = caller(gateway, "alice");
    const state = stateOf(await call());
    assert.match(String((await caller(gateway, "bob").call({ requestState: state, inputResponses: YES })).error?.message), /another principal/);
    assert.match(String((await call({ requestState: state, arguments: { about: "y" }, inputResponses: YES })).error?.message), /another content/);
    assert.match(String((await call({ requestState: `${state}x`, inputResponses: YES })).error?.message), /not what this server gave out/);
    assert.match(String((await call({ requestState: "x", inputResponses: YES })).error?.message), /not what this server gave out/);
    assert.equal((await call({ requestState: state, inputResponses: YES })).result?.["resultType"], "complete");
    await done();
  });

  it("is no other upstream's, past whose interceptors it would end", async () => {
    const host = fakeHost();
    const [vault, open] = [behind("memory", "handshake", { host }), behind("memory", "handshake", { host })];
    const gateway = await gatewayFor(vault.target, { host, upstreams: [{ name: "vault", target: vault.target }, { name: "open", target: open.target }] });
    const at = (upstream: string) => caller(gateway, "t", upstream);
    const retry = { requestState: stateOf(await at("vault").call()), inputResponses: YES };
    const { error } = await at("open").call(retry);
    assert.deepEqual([error?.code, error?.message], [-32602, "Invalid params: params.requestState belongs to a request with another content"]);
    assert.equal(gateway.stats().parked, 1);
    assert.equal((await at("vault").call(retry)).result?.["resultType"], "complete");
    const closing = gateway.close();
    await host.advance(20_000);
    await closing;
    await Promise.all([vault.close(), open.close()]);
  });

  it("is known again by what its caller has written, whatever a mutator makes of it by then", async () => {
    let stamp = 0;
    const chain = createChain();
    chain.add(mutator({ name: "stamp", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => ({ ...payload, arguments: { ...payload.arguments, stamp: ++stamp } })));
    const { gateway, done } = await rig({ chain: () => chain });
    const { call } = caller(gateway);
    const state = stateOf(await call());
    assert.match(String((await call({ requestState: state, arguments: { about: "y" }, inputResponses: YES })).error?.message), /another content/);
    // What the mutator made of the first try is no request that the caller has made.
    assert.match(String((await call({ requestState: state, arguments: { about: "x", stamp: 1 }, inputResponses: YES })).error?.message), /another content/);
    assert.equal((await call({ requestState: state, inputResponses: YES })).result?.["resultType"], "complete");
    assert.equal(stamp, 4);
    await done();
  });

  it("waits for a bounded time, and then the server is told that it was given up", async () => {
    const { gateway, host, up, done } = await rig({ parking: { replica: "r1", parkMs: 5_000 } });
    const { call } = caller(gateway);
    let gone = false;
    up.server.tool({ name: "ask-and-tell", inputSchema: { type: "object" } }, async (_args, context) => {
      context.coreSignal.onAbort(() => (gone = true));
      await context.elicit({ message: "?", requestedSchema: { type: "object", properties: {} } });
      return "x";
    });
    const state = stateOf(await call({}, "ask-and-tell"));
    await host.advance(4_999);
    assert.deepEqual([gateway.stats().parked, gone], [1, false]);
    await host.advance(1);
    await until(() => gone);
    assert.deepEqual([gateway.stats().parked, gone], [0, true]);
    const { error } = await call({ requestState: state, inputResponses: YES }, "ask-and-tell");
    assert.deepEqual([error?.code, error?.data], [-32603, { reason: "parked_gone", delivery: "none" }]);
    await done();
  });

  it("goes on where the caller, or its revision, cannot be asked so, which the server is told", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, { parking: { replica: "r1" } }, { era: "handshake" });
    const called = caller(gateway).call();
    const server = await up.greet(HANDSHAKE);
    const listed = await server.message();
    await server.send({ jsonrpc: "2.0", id: listed["id"] as number, result: { tools: [{ name: "ask", inputSchema: { type: "object" } }] } });
    const { id } = await server.message();
    for (const method of ["acme/hello", "tools/list", "sampling/createMessage"]) {
      await server.send({ jsonrpc: "2.0", id: method, method, params: {} });
      const { id: told, error } = await server.message();
      assert.deepEqual([told, (error as JsonObject)["code"], (error as JsonObject)["data"]], [method, -32603, { reason: "cannot_ask" }]);
    }
    await server.send({ jsonrpc: "2.0", id: id as number, result: { content: [] } });
    assert.deepEqual((await called).result?.["content"], []);
    await gateway.close();
  });

  it("is refused a state that is no text", async () => {
    const { gateway, done } = await rig();
    for (const requestState of [5, null, {}]) {
      const { error } = await caller(gateway).call({ requestState });
      assert.deepEqual([error?.code, error?.message], [-32602, "Invalid params: params.requestState must be a string"]);
    }
    await done();
  });

  it("is one of a bounded number: above it the server is told that nobody can be asked", async () => {
    const { gateway, done } = await rig({ parking: { replica: "r1", maxParked: 1 } });
    const { call } = caller(gateway);
    const state = stateOf(await call());
    const { result } = await call();
    assert.equal(result?.["isError"], true);
    assert.equal(gateway.stats().parked, 1);
    assert.equal((await call({ requestState: state, inputResponses: YES })).result?.["resultType"], "complete");
    await done();
  });

  it("is one of a bounded number of its principal's, so that nobody takes the places of others", async () => {
    const authenticate = ({ token }: { token: string | undefined }) => ({ principal: { type: "user" as const, id: String(token) } });
    for (const [parking, share] of [[{ maxParked: 20 }, 2], [{ maxParked: 4, maxParkedPerPrincipal: 3 }, 3]] as const) {
      const { gateway, up, done } = await rig({ parking: { replica: "r1", ...parking }, http: { authenticate } });
      const told: unknown[] = [];
      up.server.tool({ name: "ask-and-tell", inputSchema: { type: "object" } }, async (_args, context) => {
        const asked = context.elicit({ message: "?", requestedSchema: { type: "object", properties: {} } });
        return await asked.then(() => "answered", (error: { cause?: { data?: unknown } }) => (told.push(error.cause?.data), "refused"));
      });
      const alice = caller(gateway, "alice");
      const bob = caller(gateway, "bob");
      const states: string[] = [];
      for (let place = 0; place < share; place++) states.push(stateOf(await alice.call({}, "ask-and-tell")));
      assert.equal((await alice.call({}, "ask-and-tell")).result?.["resultType"], "complete");
      assert.deepEqual(told, [{ reason: "overloaded", limit: "parking.maxParkedPerPrincipal", max: share }]);
      stateOf(await bob.call({}, "ask-and-tell"));
      assert.equal(gateway.stats().parked, share + 1);
      // A place is free again with the end of its call.
      assert.match(JSON.stringify(await alice.call({ requestState: states[0], inputResponses: YES }, "ask-and-tell")), /answered/);
      stateOf(await alice.call({}, "ask-and-tell"));
      await done();
    }
    await assert.rejects(rig({ parking: { maxParkedPerPrincipal: -1 } }), { code: "invalid_argument" });
  });

  it("is cancelled by a caller that leaves before it asks, and its connection is used again", async () => {
    const { gateway, up, done } = await rig();
    const { transport, call } = caller(gateway);
    const _meta = JSON.parse(metaOf({ elicitation: {} })) as JsonObject;
    await transport.send({ message: { jsonrpc: "2.0", id: 99, method: "tools/call", params: { name: "slow", arguments: { name: "n" }, _meta } } });
    await until(() => up.running.has("n"));
    await transport.send({ message: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } } });
    await until(() => up.cancelled.length > 0);
    assert.deepEqual(up.cancelled, ["n"]);
    await settle();
    stateOf(await call());
    assert.equal(gateway.stats().upstreams["up"]?.connections, 1);
    await done();
  });

  describe("whose question does not get to the caller is given up at once, and the server is told", () => {
    const hooks = [{ events: ["elicitation/create", "tools/call"], phase: "response" }, { events: ["elicitation/create"], phase: "request" }] as const;
    const chains: Readonly<Record<string, () => ReturnType<typeof createChain>>> = {
      "a validator refuses it": () => chainOf(validator({ name: "no", hooks }, ({ event, payload }) => (event === "elicitation/create" ? deny("no questions") : payload !== undefined))),
      "a mutator fails": () => chainOf(mutator({ name: "broken", hooks }, ({ payload, event }) => (event === "tools/call" ? payload : fail()))),
    };
    const fail = (): never => {
      throw new Error("broken");
    };
    for (const [what, chain] of Object.entries(chains)) {
      it(what, async () => {
        const { up, gateway, server, called, id } = await asking({ chain });
        const answer = await called;
        assert.ok(answer.error !== undefined, JSON.stringify(answer));
        const told = await toldTo(server);
        assert.deepEqual(told.map(({ method, error }) => method ?? (error as JsonObject | undefined)?.["code"]).sort(), [-32603, "notifications/cancelled"].sort());
        assert.ok(told.some(({ params }) => (params as JsonObject | undefined)?.["requestId"] === id));
        await settle();
        const { parked, calls } = gateway.stats();
        assert.deepEqual([parked, calls], [0, 0]);
        // The place of the only connection and the only call is free.
        assert.equal(up.connections.length, 1);
        const next = caller(gateway).call({}, "plain");
        const { id: nextId } = await server.message();
        await server.send({ jsonrpc: "2.0", id: nextId as number, result: { content: [] } });
        assert.deepEqual((await next).result?.["content"], []);
        await gateway.close();
      });
    }

    it("no validator answers in time", async () => {
      const chain = chainOf(validator({ name: "judge", hooks: [{ events: ["elicitation/create"], phase: "request" }], timeoutMs: 1_000 }, () => new Promise<never>(() => {})));
      const { host, gateway, up, done } = await rig({ chain: () => chain });
      const told = askAndTell(up.server);
      const asked = caller(gateway).call({}, "ask-and-tell");
      await until(() => told.asked > 0);
      await settle();
      await host.advance(1_000);
      assert.ok((await asked).error !== undefined);
      await until(() => told.gone);
      assert.deepEqual([told.gone, gateway.stats().parked], [true, 0]);
      await done();
    });

    it("the decision cannot be recorded", async () => {
      const chain = chainOf(validator({ name: "pass", hooks: [{ events: ["elicitation/create"], phase: "request" }] }, () => ({ valid: true })));
      const { gateway, up, done } = await rig({
        chain: () => chain,
        policy: { onRecordFailure: "block" },
        record: (decision) => (decision.event === "tools/call" && decision.kind === "response" ? Promise.reject(new Error("disk full")) : undefined),
      });
      const told = askAndTell(up.server);
      assert.ok((await caller(gateway).call({}, "ask-and-tell")).error !== undefined);
      await until(() => told.gone);
      assert.deepEqual([told.gone, gateway.stats().parked], [true, 0]);
      await done();
    });

    it("the caller leaves while a later try is judged", async () => {
      let release = () => {};
      let judged = 0;
      const chain = createChain();
      chain.add(
        validator({ name: "judge", hooks: [{ events: ["elicitation/create"], phase: "request" }] }, () => {
          judged++;
          return new Promise((resolve) => (release = () => resolve({ valid: true })));
        }),
      );
      const { gateway, up, done } = await rig({ chain: () => chain });
      for (const tries of [1, 2]) {
        const told = askAndTell(up.server, `ask-${tries}`);
        const { transport, call } = caller(gateway);
        const before = judged;
        let more: JsonObject = {};
        if (tries === 2) {
          const first = call({}, "ask-2");
          await until(() => judged === before + 1);
          release();
          // Without answers it is asked the same again.
          more = { requestState: stateOf(await first), inputResponses: {} };
        }
        const _meta = JSON.parse(metaOf({ elicitation: {} })) as JsonObject;
        await transport.send({ message: { jsonrpc: "2.0", id: 99, method: "tools/call", params: { name: `ask-${tries}`, arguments: { about: "x" }, _meta, ...more } } });
        await until(() => judged === before + tries);
        assert.equal(gateway.stats().parked, 1);
        await transport.send({ message: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } } });
        await until(() => told.gone);
        assert.deepEqual([told.gone, gateway.stats().parked], [true, 0]);
        release();
      }
      await done();
    });

    it("the caller leaves while it is judged", async () => {
      let held = () => {};
      const holding = new Promise<void>((resolve) => (held = resolve));
      let judged = false;
      const chain = () =>
        chainOf(
          validator({ name: "slow", hooks: [{ events: ["elicitation/create"], phase: "request" }] }, async () => {
            judged = true;
            await holding;
            return true;
          }),
        );
      const { gateway, server, called, one } = await asking({ chain });
      called.catch(() => {});
      await until(() => judged);
      await one.end.end();
      const told = await toldTo(server);
      assert.ok(told.some(({ method }) => method === "notifications/cancelled"), JSON.stringify(told));
      held();
      await settle();
      assert.deepEqual([gateway.stats().parked, gateway.stats().calls], [0, 0]);
      await gateway.close();
    });
  });

  it("ends with its result where that is there, whatever its server asks beside it", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, { parking: { replica: "r1" } }, { era: "handshake" });
    const called = caller(gateway).call();
    const server = await up.greet(HANDSHAKE);
    // The list that the call is held to.
    const listed = await server.message();
    await server.send({ jsonrpc: "2.0", id: listed["id"], result: { tools: [{ name: "ask", inputSchema: { type: "object" } }] } } as JsonObject);
    const { id } = await server.message();
    await server.send({ jsonrpc: "2.0", id: "q", method: "elicitation/create", params: { message: "?", requestedSchema: { type: "object", properties: {} } } });
    await server.send({ jsonrpc: "2.0", id, result: { content: [] } });
    assert.deepEqual((await called).result?.["content"], []);
    assert.equal((await server.message())["id"], "q");
    assert.equal(gateway.stats().parked, 0);
    await gateway.close();
  });

  it("is not parked where its caller cannot be asked", async () => {
    const { gateway, done } = await rig();
    const { call } = caller(gateway);
    const { result, error } = await call({ _meta: JSON.parse(metaOf({})) as JsonObject });
    assert.ok(error !== undefined || result?.["isError"] === true, JSON.stringify(result));
    assert.equal(gateway.stats().parked, 0);
    await done();
  });
});

function chainOf(interceptor: Parameters<ReturnType<typeof createChain>["add"]>[0]) {
  const chain = createChain();
  chain.add(interceptor);
  return chain;
}

/** The two messages that are to come, so that a server that is told less is a failure, and no wait. */
async function toldTo(server: RawEnd) {
  await until(() => server.waiting.length >= 2);
  assert.equal(server.waiting.length, 2, String(server.waiting));
  return [await server.message(), await server.message()];
}

/** A call that its server asks something about, with one place for calls and connections. */
async function asking(plan: Partial<GatewayPlan>) {
  const up = rawUpstream();
  const gateway = await gatewayFor(up.target, { parking: { replica: "r1" }, ...plan }, { era: "handshake", maxCalls: 1, maxConnections: 1 });
  const one = caller(gateway);
  const called = one.call();
  const server = await up.greet(HANDSHAKE);
  const listed = await server.message();
  await server.send({ jsonrpc: "2.0", id: listed["id"] as number, result: { tools: ["ask", "plain"].map((name) => ({ name, inputSchema: { type: "object" } })) } });
  const { id } = await server.message();
  await server.send({ jsonrpc: "2.0", id: "q", method: "elicitation/create", params: { message: "?", requestedSchema: { type: "object", properties: {} } } });
  return { up, gateway, one, called, server, id };
}
