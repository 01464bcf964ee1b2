// Case 39: a cancellation gets to the call that it names, at once, under the id that the upstream knows it by, and to nothing else.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { createChain } from "../../src/core/client/local-chain.ts";
import { mutator, type Interceptor } from "../../src/core/interceptor/define.ts";
import type { Phase } from "../../src/core/wire/gen/interceptors.ts";
import { settle } from "../support/fake-host.ts";
import { faceTransport, gatewayFor, until } from "../gateway/kit.ts";
import { HANDSHAKE, rawEnd, rawUpstream } from "../gateway/raw.ts";
import { metaOf } from "./kit.ts";
import { ERAS, pairOf, result, type Pair } from "./pairs.ts";

const cancelledId = (message: JsonObject) => {
  assert.equal(message["method"], "notifications/cancelled");
  return (message["params"] as JsonObject)["requestId"];
};
const called = async ({ server }: Pair) => {
  const { id, method } = await server.message();
  assert.equal(method, "tools/call");
  return id;
};
const chainOf = (...interceptors: Interceptor[]) => {
  const chain = createChain();
  chain.add(interceptors);
  return { chain: () => chain };
};
/** A mutator that waits, and says when it was given up. */
function waiting(phase: Phase) {
  const state = { running: 0, aborted: 0, after: 0 };
  const hooks = [{ events: ["tools/call"], phase }] as const;
  const hold = mutator({ name: "a-hold", hooks, priorityHint: 1 }, ({ signal }) => {
    state.running++;
    return new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => {
        state.aborted++;
        reject(new TypeError("given up"));
      });
    });
  });
  const after = mutator({ name: "b-after", hooks, priorityHint: 2 }, ({ payload }) => {
    state.after++;
    return payload;
  });
  return { state, ...chainOf(hold, after) };
}
const ELICITATION = { elicitation: {} };
const question = { message: "?", requestedSchema: { type: "object", properties: {} } };

for (const face of ERAS) {
  for (const up of ERAS) {
    for (const way of ["memory", "http"] as const) {
      describe(`a cancellation through a gateway, ${face} over ${way} to ${up}`, () => {
        it("goes on at once under the upstream's id, is not answered, and what the upstream still says is dropped", async () => {
          const pair = await pairOf(face, up, { way });
          const [one, two] = pair.clients;
          const ids: unknown[] = [];
          for (const [client, id] of [[one, 101], [one, "101"], [two, 101]] as const) {
            await client.call(id);
            ids.push(await called(pair));
          }
          assert.equal(new Set(ids).size, 3);
          await one.cancel(101, { reason: "enough" });
          assert.equal(cancelledId(await pair.server.message()), ids[0]);
          // Again, and late answers.
          await one.cancel(101);
          for (const id of ids) await pair.server.send(result(id));
          assert.equal((await one.end.message())["id"], "101");
          assert.equal((await two.end.message())["id"], 101);
          await one.call(102);
          const next = await called(pair);
          await pair.server.send(result(next));
          assert.equal((await one.end.message())["id"], 102);
          assert.deepEqual([one.waiting(), two.waiting(), pair.server.waiting], [[], [], []]);
          assert.equal(pair.gateway.stats().calls, 0);
          await pair.close();
        });

        it("of what has ended, what is another's, and what never was changes nothing", async () => {
          const pair = await pairOf(face, up, { way });
          const [one, two] = pair.clients;
          await one.call(1);
          await pair.server.send(result(await called(pair)));
          assert.equal((await one.end.message())["id"], 1);
          await one.call(55);
          const id = await called(pair);
          assert.notEqual(id, 55);
          await two.cancel(55);
          for (const wrong of [1, "55", 56, id, 55.5, -55, "", null, true, {}, [55]]) await one.cancel(wrong).catch(() => {});
          await one.end.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: {} }).catch(() => {});
          // Neither may a server end what a client waits for.
          for (const wrong of [55, id]) await pair.server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: wrong as number } });
          await settle();
          assert.deepEqual([pair.server.waiting, one.waiting(), two.waiting()], [[], [], []]);
          await pair.server.send(result(id));
          assert.equal((await one.end.message())["id"], 55);
          await pair.close();
        });

        it("of a call that is judged stops the chain, and the upstream never hears of it", async () => {
          const { state, ...plan } = waiting("request");
          const pair = await pairOf(face, up, { way, plan });
          const [one, two] = pair.clients;
          await one.call(1);
          await two.call(1);
          await until(() => state.running === 2);
          await one.cancel(1);
          await until(() => state.aborted === 1);
          assert.deepEqual([state.aborted, state.after], [1, 0]);
          await two.cancel(1);
          await until(() => state.aborted === 2);
          await settle();
          assert.deepEqual([state.after, pair.server.waiting, one.waiting(), two.waiting()], [0, [], [], []]);
          await pair.close();
        });

        it("of a call whose answer is judged stops the chain, and lets nothing of it out", async () => {
          const { state, ...plan } = waiting("response");
          const pair = await pairOf(face, up, { way, plan });
          const [one] = pair.clients;
          await one.call(1);
          await pair.server.send(result(await called(pair)));
          await until(() => state.running === 1);
          await one.cancel(1);
          await until(() => state.aborted === 1);
          await settle();
          assert.deepEqual([state.aborted, state.after, one.waiting(), pair.server.waiting], [1, 0, [], []]);
          await pair.close();
        });
      });
    }
  }
}

describe("a cancellation while somebody is asked", () => {
  it("withdraws the question and ends the call of a handshake server", async () => {
    const pair = await pairOf("handshake", "handshake", { client: ELICITATION, upstream: { sharing: "session" }, clients: 1 });
    const [one] = pair.clients;
    await one.call(1);
    const id = await called(pair);
    await pair.server.send({ jsonrpc: "2.0", id: "q", method: "elicitation/create", params: question });
    const asked = await one.end.message();
    await one.cancel(1);
    assert.equal(cancelledId(await pair.server.message()), id);
    assert.equal(cancelledId(await one.end.message()), asked["id"]);
    await one.end.send(result(asked["id"], { action: "cancel" }));
    await settle();
    assert.equal(pair.gateway.stats().calls, 0);
    assert.deepEqual(one.waiting(), []);
    await pair.close();
  });

  it("withdraws the question of a stateless server, which is not called again", async () => {
    const pair = await pairOf("handshake", "stateless", { client: ELICITATION, clients: 1 });
    const [one] = pair.clients;
    await one.call(1);
    const id = await called(pair);
    await pair.server.send(result(id, { resultType: "input_required", inputRequests: { k: { method: "elicitation/create", params: question } }, requestState: "s" }));
    const asked = await one.end.message();
    assert.equal(asked["method"], "elicitation/create");
    await one.cancel(1);
    assert.equal(cancelledId(await one.end.message()), asked["id"]);
    await one.end.send(result(asked["id"], { action: "accept", content: {} }));
    await settle();
    assert.deepEqual([pair.server.waiting, one.waiting(), pair.gateway.stats().calls], [[], [], 0]);
    await pair.close();
  });

  for (const way of ["memory", "http"] as const) {
    it(`of a parked call is nothing to it, and of its retry ends it (${way})`, async () => {
      const pair = await pairOf("stateless", "handshake", { way, client: ELICITATION, clients: 1 });
      const [one] = pair.clients;
      await one.call(1);
      const id = await called(pair);
      await pair.server.send({ jsonrpc: "2.0", id: "q", method: "elicitation/create", params: question });
      const parked = (await one.end.message())["result"] as { inputRequests: JsonObject; requestState: string };
      await one.cancel(1);
      await settle();
      assert.deepEqual([pair.server.waiting, pair.gateway.stats().parked], [[], 1]);
      const [key = ""] = Object.keys(parked.inputRequests);
      await one.call(2, {}, { requestState: parked.requestState, inputResponses: { [key]: { action: "accept", content: {} } } });
      assert.deepEqual((await pair.server.message())["id"], "q");
      await one.cancel(2);
      assert.equal(cancelledId(await pair.server.message()), id);
      await pair.server.send(result(id));
      await settle();
      assert.deepEqual([one.waiting(), pair.gateway.stats().parked, pair.gateway.stats().calls], [[], 0, 0]);
      await one.call(3, {}, { requestState: parked.requestState, inputResponses: {} });
      assert.equal(((await one.end.message())["error"] as { data: JsonObject }).data["reason"], "parked_gone");
      await pair.close();
    });
  }
});

it("a cancellation while the upstream is still being reached leaves it without the call", async () => {
  const raw = rawUpstream();
  const gateway = await gatewayFor(raw.target, {}, { era: "handshake" });
  const end = rawEnd(faceTransport(gateway, "memory"));
  await end.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", _meta: metaOf() } });
  await until(() => raw.connections.length === 1);
  await end.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  await settle();
  const server = await raw.greet(HANDSHAKE);
  await settle();
  assert.deepEqual([server.waiting, end.waiting], [[], []]);
  await gateway.close();
});
