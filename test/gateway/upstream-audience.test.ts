import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { createChain } from "../../src/core/client/local-chain.ts";
import { directSend } from "../../src/core/http/direct-send.ts";
import { httpTransport } from "../../src/core/http/http-client.ts";
import type { Gateway } from "../../src/gateway/plan.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { behind, faceTransport, gatewayFor, until, type Way } from "./kit.ts";
import { HANDSHAKE, metaOf, rawEnd, rawUpstream, type RawEnd } from "./raw.ts";

// src/gateway/upstream-audience.ts: whoever listens hears what is said on any connection that is its caller's.

const CHANGING = { tools: { listChanged: true }, resources: { subscribe: true } };
const ASKED = { elicitation: {} };
const CHANGED = "notifications/tools/list_changed";
const authenticate = ({ token }: { token: string | undefined }) => ({ principal: { type: "user" as const, id: String(token) } });
const call = (id: number, capabilities: JsonObject) => `{"jsonrpc":"2.0","id":${id},"method":"example/call","params":{"_meta":${metaOf(capabilities)}}}`;
const listen = (id: string, capabilities: JsonObject, notifications: JsonObject = { toolsListChanged: true }) =>
  `{"jsonrpc":"2.0","id":"${id}","method":"subscriptions/listen","params":{"_meta":${metaOf(capabilities)},"notifications":${JSON.stringify(notifications)}}}`;
const result = (id: unknown, value: JsonObject = {}) => ({ jsonrpc: "2.0", id, result: value });
const changed = { jsonrpc: "2.0", method: CHANGED };
const methodOf = async (end: RawEnd) => (await end.message())["method"];
const listening = async (end: RawEnd) => assert.equal(await methodOf(end), "notifications/subscriptions/acknowledged");
const subscribed = async (server: RawEnd, uri: string) => {
  const { id, method, params } = await server.message();
  assert.deepEqual([method, params], ["resources/subscribe", { uri }]);
  await server.send(result(id));
};

function stateless(gateway: Gateway, token = "x"): RawEnd {
  return rawEnd(httpTransport({ url: "http://localhost/up/mcp", send: directSend(gateway.handle), headers: { authorization: `Bearer ${token}` } }));
}

describe("a stateless caller that can be asked", () => {
  it("hears of the connection that its calls are on, be they before or after", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, {}, { era: "handshake" });
    const [caller, listener] = [stateless(gateway), stateless(gateway)];
    await caller.send(call(1, ASKED));
    const server = await up.greet(HANDSHAKE, CHANGING);
    // The call is in flight, and the connection its own but for whoever listens.
    const first = await server.message();
    await listener.send(listen("s", ASKED));
    await listening(listener);
    await server.send(changed);
    assert.equal(await methodOf(listener), CHANGED);
    await server.send(result(first["id"]));
    await caller.message();
    await caller.send(call(2, ASKED));
    const second = await server.message();
    await server.send(changed);
    await server.send(result(second["id"]));
    assert.equal(await methodOf(listener), CHANGED);
    await caller.message();
    assert.equal(up.connections.length, 1);
    await gateway.close();
  });

  it("hears of every connection of its own, is subscribed on new ones before their first call, and of nobody else's", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, { http: { authenticate }, drainMs: 0 }, { era: "handshake" });
    const listeners = [stateless(gateway, "ann"), stateless(gateway, "ann"), stateless(gateway, "bob")] as const;
    const [ann, alsoAnn, bob] = listeners;
    const filter = { toolsListChanged: true, resourceSubscriptions: ["mem:///a", "mem:///b"] };
    await ann.send(listen("s", ASKED, filter));
    const first = await up.greet(HANDSHAKE, CHANGING);
    // Told before the first is answered.
    const [one, other] = [await first.message(), await first.message()];
    assert.deepEqual([one, other].map(({ params }) => params), [{ uri: "mem:///a" }, { uri: "mem:///b" }]);
    for (const { id } of [one, other]) await first.send(result(id));
    await listening(ann);
    await alsoAnn.send(listen("t", ASKED));
    await listening(alsoAnn);
    await bob.send(listen("s", ASKED));
    await up.greet(HANDSHAKE, CHANGING);
    await listening(bob);
    const caller = stateless(gateway, "ann");
    await caller.send(call(1, ASKED));
    await first.message();
    await caller.send(call(2, ASKED));
    const second = await up.greet(HANDSHAKE, CHANGING);
    assert.equal(up.connections.length, 3, "a call in flight has a connection to itself");
    await subscribed(second, "mem:///a");
    await subscribed(second, "mem:///b");
    const { id, method } = await second.message();
    assert.equal(method, "example/call");
    await second.send({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "mem:///b" } });
    await second.send(changed);
    assert.equal(await methodOf(ann), "notifications/resources/updated");
    assert.deepEqual([await methodOf(ann), await methodOf(alsoAnn)], [CHANGED, CHANGED]);
    await second.send(result(id));
    await caller.message();
    // The end of it is told on each.
    await ann.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "s" } });
    for (const server of [first, second]) assert.equal(await methodOf(server), "resources/unsubscribe");
    assert.deepEqual([ann, alsoAnn, bob].map(({ waiting }) => waiting), [[], [], []]);
    await gateway.close();
  });

  it("goes on hearing after a loss, while its calls go where they went", async () => {
    const host = fakeHost();
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, { host }, { era: "handshake", idleMs: 1_000 });
    const [caller, listener] = [stateless(gateway), stateless(gateway)];
    await listener.send(listen("s", ASKED, { toolsListChanged: true, resourceSubscriptions: ["mem:///a"] }));
    const lost = await up.greet(HANDSHAKE, CHANGING);
    await subscribed(lost, "mem:///a");
    await listening(listener);
    await lost.end();
    await settle();
    await host.advance(0);
    const server = await up.greet(HANDSHAKE, CHANGING);
    await subscribed(server, "mem:///a");
    assert.deepEqual([await methodOf(listener), await methodOf(listener)], [CHANGED, "notifications/resources/updated"]);
    // Two at once, and the second connection ends unused.
    await caller.send(call(1, ASKED));
    const { id } = await server.message();
    await caller.send(call(2, ASKED));
    const extra = await up.greet(HANDSHAKE, CHANGING);
    await subscribed(extra, "mem:///a");
    await extra.send(result((await extra.message())["id"]));
    await server.send(result(id));
    await until(() => gateway.stats().calls === 1);
    await settle();
    await host.advance(1_000);
    assert.equal(gateway.stats().upstreams["up"]?.connections, 1);
    await caller.send(call(3, ASKED));
    await server.send(changed);
    assert.equal(await methodOf(server), "example/call");
    assert.equal(await methodOf(listener), CHANGED);
    const closing = gateway.close();
    await host.advance(20_000);
    await closing;
  });

  it("is told once of a change that the gateway knows of, however many connections are its own", async () => {
    const up = rawUpstream();
    const target = up.target;
    const gateway = await gatewayFor(target, { drainMs: 0 }, { era: "handshake" });
    const [caller, listener] = [stateless(gateway), stateless(gateway)];
    await listener.send(listen("s", ASKED));
    const first = await up.greet(HANDSHAKE, CHANGING);
    await listening(listener);
    await caller.send(call(1, ASKED));
    await first.message();
    await caller.send(call(2, ASKED));
    const second = await up.greet(HANDSHAKE, CHANGING);
    await second.message();
    const other = createChain();
    await gateway.reload({ upstreams: [{ name: "up", target, era: "handshake" }], chain: () => other, drainMs: 0 });
    assert.equal(await methodOf(listener), CHANGED);
    await settle();
    assert.deepEqual(listener.waiting, []);
    await gateway.close();
  });
});

describe("a change that a call makes", () => {
  for (const face of ["memory", "http"] as const satisfies readonly Way[]) {
    for (const way of ["memory", "http"] as const satisfies readonly Way[]) {
      for (const capabilities of [{}, ASKED]) {
        it(`is heard by its stateless caller: ${face} × ${way}, ${JSON.stringify(capabilities)}`, async () => {
          const up = behind(way, "handshake");
          let tools = 0;
          up.server.tool({ name: "grow", inputSchema: { type: "object" } }, () => {
            up.server.tool({ name: `grown${tools++}`, inputSchema: { type: "object" } }, () => "");
            return "";
          });
          const gateway = await gatewayFor(up.target);
          const [caller, listener] = [rawEnd(faceTransport(gateway, face)), rawEnd(faceTransport(gateway, face))];
          const grow = async (id: number) => {
            await caller.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"grow","_meta":${metaOf(capabilities)}}}`);
            assert.ok("result" in (await caller.message()));
          };
          await grow(1);
          await listener.send(listen("s", capabilities));
          await listening(listener);
          await grow(2);
          assert.equal(await methodOf(listener), CHANGED);
          assert.equal(gateway.stats().upstreams["up"]?.connections, 1);
          await caller.end();
          await listener.end();
          await gateway.close();
          await up.close();
        });
      }
    }
  }
});
