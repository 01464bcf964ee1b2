import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError, RpcError } from "../../../src/core/base/errors.ts";
import type { IncomingRequest } from "../../../src/core/jsonrpc/incoming.ts";
import { createSignal } from "../../../src/core/base/signal.ts";
import { createPeer } from "../../../src/core/jsonrpc/peer.ts";
import { isRequest, type RequestId } from "../../../src/core/wire/message.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { seededRandom } from "../../support/random.ts";
import { linkedTransports, scriptedTransport } from "../../support/scripted-transport.ts";

const SEED = 20260728;

test("whatever a peer sends, each request gets at most one answer, and exactly one unless it was cancelled or cut off", async () => {
  for (let round = 0; round < 60; round++) {
    const seed = SEED + round;
    const random = seededRandom(seed);
    const host = fakeHost();
    const transport = scriptedTransport();
    const held: { request: IncomingRequest; end(): void }[] = [];
    const peer = createPeer(transport, {
      host,
      handler: (request) => {
        const how = random.below(5);
        if (how === 0) return { at: "once" };
        if (how === 1) throw new RpcError(1, "at once");
        return new Promise((resolve, reject) => held.push({ request, end: () => (how === 2 ? reject(new Error("later")) : resolve(how === 3 ? {} : 5)) }));
      },
    });
    // For each id: how many requests were sent, how many of those were cancelled while they may have been in flight.
    const asked = new Map<RequestId, number>();
    const cancelled = new Map<RequestId, number>();
    const count = (table: Map<RequestId, number>, id: RequestId) => table.set(id, (table.get(id) ?? 0) + 1);
    const ids: RequestId[] = [0, 1, 2, 3, "1", "2", ""];
    for (let step = 0; step < 80; step++) {
      const id = random.pick(ids);
      switch (random.below(6)) {
        case 0: case 1:
          count(asked, id);
          transport.deliver({ jsonrpc: "2.0", id, method: "m", params: { _meta: { progressToken: step } } });
          break;
        case 2:
          count(cancelled, id);
          transport.deliver({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
          break;
        case 3:
          held.splice(random.below(held.length + 1), 1)[0]?.end();
          break;
        case 4:
          if (held.length > 0) void random.pick(held).request.reportProgress(step);
          break;
        case 5:
          await settle();
      }
    }
    const cutOff = random.below(2) === 0;
    await settle();
    if (cutOff) await peer.close();
    for (const { end } of held) end();
    await settle();
    for (const [id, sent] of asked) {
      const answers = transport.sent.filter(({ message }) => !("method" in message) && message.id === id).length;
      assert.ok(answers <= sent, `seed ${seed}: ${answers} answers for ${sent} requests with the id ${JSON.stringify(id)}`);
      if (!cutOff) assert.ok(answers >= sent - (cancelled.get(id) ?? 0), `seed ${seed}: ${answers} answers for ${sent} requests with the id ${JSON.stringify(id)}`);
    }
    const { pending, incoming, running, notifying, answering } = peer.stats();
    assert.deepEqual([pending, incoming, running, notifying, answering, host.liveTimers], [0, 0, 0, 0, 0, 0], `seed ${seed}`);
  }
});

test("whatever two peers do to each other, every call settles once, with its own result, and nothing is left", async () => {
  for (let round = 0; round < 40; round++) {
    const seed = SEED + 1_000 + round;
    const random = seededRandom(seed);
    const host = fakeHost();
    const transports = linkedTransports();
    const settledCalls = new Map<string, number>();
    let calls = 0;
    const peers = transports.map((transport) =>
      createPeer(transport, {
        host,
        requestTimeoutMs: 100,
        limits: { maxIncomingRequests: 8, maxPendingRequests: 12 },
        handler: async (request) => {
          const { how, key } = request.params;
          await request.reportProgress(1);
          if (how === "slow") await new Promise<void>((resolve) => { request.signal.onAbort(() => resolve()); host.setTimer(resolve, 50); });
          if (how === "stuck") await new Promise<void>((resolve) => request.signal.onAbort(() => resolve()));
          if (how === "fails") throw new RpcError(1, String(key));
          if (how === "asks") return { key, inner: await request.request("m", { how: "fast", key: `${String(key)}+` }) };
          return { key };
        },
      }),
    );
    for (let step = 0; step < 60; step++) {
      const which = random.below(2);
      const key = `${step}`;
      const choice = random.below(10);
      if (choice < 7) {
        const how = random.pick(["fast", "fast", "slow", "stuck", "fails", "asks"]);
        const source = createSignal();
        const options = { signal: source.signal, ...(random.below(2) === 0 ? { resetTimeoutOnProgress: true, maxTotalTimeoutMs: 150 } : {}) };
        calls++;
        peers[which]?.request("m", { how, key }, options).then(
          (result) => {
            assert.equal(result.key, key, `seed ${seed}`);
            settledCalls.set(key, (settledCalls.get(key) ?? 0) + 1);
          },
          (error: unknown) => {
            if (error instanceof RpcError && error.code === 1) assert.equal(error.message, key, `seed ${seed}`);
            else assert.ok(error instanceof RpcError ? error.code === -32603 : error instanceof LocalError, `seed ${seed}`);
            settledCalls.set(key, (settledCalls.get(key) ?? 0) + 1);
          },
        );
        if (random.below(5) === 0) source.abort("gone");
        if (random.below(5) === 0) host.setTimer(() => source.abort("gone later"), random.below(60));
      } else if (choice < 9) await host.advance(random.below(40));
      else if (step > 50) await peers[which]?.close();
    }
    await host.advance(1_000);
    assert.equal(settledCalls.size, calls, `seed ${seed}`);
    assert.ok([...settledCalls.values()].every((times) => times === 1), `seed ${seed}`);
    for (const peer of peers) {
      const { pending, incoming, running, notifying, answering, unknownResponses } = peer.stats();
      assert.deepEqual([pending, incoming, running, notifying, answering, unknownResponses], [0, 0, 0, 0, 0, 0], `seed ${seed}`);
    }
    for (const { sent } of transports) {
      const ids = sent.map(({ message }) => message).filter(isRequest).map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length, `seed ${seed}: an id was minted twice`);
    }
    await Promise.all(peers.map((peer) => peer.close()));
    assert.equal(host.liveTimers, 0, `seed ${seed}`);
  }
});
