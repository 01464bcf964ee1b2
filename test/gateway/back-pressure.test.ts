// src/gateway: an upstream that talks without end, and a client that does not read, take nothing from others, nor from their answers.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import type { Gateway } from "../../src/gateway/plan.ts";
import { settle } from "../support/fake-host.ts";
import { gatewayFor, until } from "./kit.ts";
import { HANDSHAKE, metaOf, opened, rawEnd, rawUpstream, STATELESS, type RawEnd } from "./raw.ts";

const FLOOD = 3_000;
const call = (id: string, more: JsonObject = {}) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "t", _meta: { progressToken: id }, ...more } });

/** A client whose side holds a few messages that it has not read, and then takes no more. */
function face(gateway: Gateway, { reads }: { readonly reads: boolean }): { readonly end: RawEnd; read(): void } {
  const [near, far] = memoryPair({ limits: { maxQueuedFrames: 4 } });
  gateway.serve("up", far);
  let open = () => {};
  const gate = reads ? undefined : new Promise<void>((resolve) => (open = resolve));
  let asked = 0;
  // The handshake is read, and then nothing.
  const end = rawEnd({ ...near, receive: async () => (++asked > 1 && (await gate), await near.receive()) });
  return { end, read: () => open() };
}

async function restOf(end: RawEnd): Promise<JsonObject[]> {
  await settle();
  await until(() => false, 50);
  return end.waiting.map((text) => JSON.parse(text) as JsonObject);
}

describe("a client that does not read", () => {
  it("holds up nobody else on a shared upstream, misses what is out of date, and has its answers", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, {}, { era: "handshake", sharing: "shared" });
    const slow = face(gateway, { reads: false });
    const quick = face(gateway, { reads: true });
    const [server] = await Promise.all([up.greet(HANDSHAKE, { tools: { listChanged: true } }), opened(slow.end), opened(quick.end)]);
    await slow.end.send(call("slow"));
    const { id: slowId } = await server.message();
    for (let step = 1; step <= FLOOD; step++) {
      await server.send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: slowId, progress: step } });
      await server.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      if (step % 100 > 0) continue;
      // Whoever reads is served all the while.
      await quick.end.send(call(`quick ${step}`));
      const asked = await server.message();
      await server.send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: asked["id"], progress: 1 } });
      await server.send({ jsonrpc: "2.0", id: asked["id"], result: { content: [] } });
      for (;;) {
        const message = await quick.end.message();
        if (message["method"] === "notifications/tools/list_changed") continue;
        if (message["method"] === "notifications/progress") assert.deepEqual(message["params"], { progressToken: `quick ${step}`, progress: 1 });
        else {
          assert.equal(message["id"], `quick ${step}`);
          break;
        }
      }
    }
    await server.send({ jsonrpc: "2.0", id: slowId, result: { content: [] } });
    await settle();
    slow.read();
    const messages = await restOf(slow.end);
    const steps = messages.flatMap(({ method, params }) => (method === "notifications/progress" ? [Number((params as JsonObject)["progress"])] : []));
    assert.ok(messages.length < 100, `${messages.length} messages were kept`);
    assert.deepEqual([steps.at(-1), steps], [FLOOD, [...steps].sort((left, right) => left - right)]);
    const answered = messages.findIndex(({ id }) => id === "slow");
    assert.ok(answered > messages.findIndex(({ params }) => (params as JsonObject | undefined)?.["progress"] === FLOOD), "progress comes before its answer");
    assert.equal(messages.filter(({ id }) => id !== undefined).length, 1);
    assert.ok(messages.some(({ method }) => method === "notifications/tools/list_changed"));
    await gateway.close();
  });

  it("of a stream of changes hears of the last one of each, in the stateless era too", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, {}, { era: "stateless" });
    const slow = face(gateway, { reads: false });
    await slow.end.send(`{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"_meta":${metaOf()},"notifications":{"resourceSubscriptions":["mem:///a"]}}}`);
    const server = await up.greet(STATELESS, { resources: { subscribe: true } });
    const { id } = await server.message();
    const _meta = { "io.modelcontextprotocol/subscriptionId": id };
    await server.send({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { _meta, notifications: { resourceSubscriptions: ["mem:///a"] } } });
    await settle();
    for (let turn = 1; turn <= FLOOD; turn++) await server.send({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "mem:///a", _meta: { ..._meta, turn } } });
    await settle();
    slow.read();
    const messages = await restOf(slow.end);
    assert.ok(messages.length < 100, `${messages.length} messages were kept`);
    const { params } = messages.at(-1) as { params: { _meta: JsonObject } };
    assert.deepEqual([params._meta["turn"], params._meta["io.modelcontextprotocol/subscriptionId"]], [FLOOD, "s"]);
    await gateway.close();
  });
});
