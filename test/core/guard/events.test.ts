import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { guardedRelay } from "../../../src/gateway/guarded-relay.ts";
import { createChain } from "../../../src/core/chain/chain.ts";
import { guardClient, guardServer, type Guardable } from "../../../src/core/guard/attach.ts";
import type { GuardEvent } from "../../../src/core/guard/events.ts";
import type { GuardOptions } from "../../../src/core/guard/options.ts";
import { mutator, validator } from "../../../src/core/interceptor/define.ts";
import { deny } from "../../../src/core/interceptor/verdict.ts";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import type { Transport } from "../../../src/core/transport/transport.ts";
import { settle } from "../../support/fake-host.ts";
import { call, guardedPair, textResult } from "../../support/guarded-pair.ts";

const requests = [{ events: ["tools/call"], phase: "request" }] as const;
const look = validator({ name: "look", hooks: requests }, ({ payload }) => (payload.name === "rm" ? deny("no") : true));
const stamp = mutator({ name: "stamp", hooks: requests }, ({ payload }) => ({ ...payload, arguments: { stamped: true } }));

function observing(options: Partial<GuardOptions> = {}) {
  const told: GuardEvent[] = [];
  const pair = guardedPair([look, stamp], { observe: (event: GuardEvent) => void told.push(event), ...options } as never);
  return { told, pair };
}

test("a message that passes is told step by step, and ends in passed with the decision", async () => {
  const { told, pair } = observing();
  await pair.fromPeer(call(1));
  assert.deepEqual(told.map(({ kind }) => kind), ["planned", "invoked", "verdict", "invoked", "mutated", "invoked", "verdict", "passed"]);
  const last = told.at(-1);
  assert.ok(last?.kind === "passed");
  assert.deepEqual([last.modified, last.run, last.decision.verdict, last.decision.id], [true, 1, "changed", 1]);
  assert.equal(last.traceId, last.decision.traceId);
  assert.equal(told.every((event) => event.traceId === last.traceId), true);
});

test("a message that is refused ends in blocked with the decision, whether or not the chain ran", async () => {
  const { told, pair } = observing();
  await pair.fromPeer(call(1, "rm"));
  const last = told.at(-1);
  assert.ok(last?.kind === "blocked");
  assert.deepEqual([last.reason, last.by, last.decision.code], ["validation_failed", "look", -32602]);

  const unjudged = observing({ context: () => Promise.reject(new Error("x")) });
  await unjudged.pair.fromPeer(call(2));
  assert.deepEqual(unjudged.told.map((event) => event.kind === "blocked" && [event.run, event.reason]), [[0, "context_failed"]]);
});

test("a request that is cancelled while it is judged ends in blocked, for the reason cancelled", async () => {
  const hang = validator({ name: "hang", hooks: requests }, () => new Promise<boolean>(() => {}));
  const told: GuardEvent[] = [];
  const pair = guardedPair([hang], { observe: (event) => void told.push(event) });
  await pair.fromPeer(call(1), { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  assert.deepEqual(told.map(({ kind }) => kind), ["planned", "invoked", "blocked"]);
  assert.equal(told[2]?.kind === "blocked" && told[2].reason, "cancelled");
});

test("an observer that never answers, throws or rejects delays no message, and is counted", async () => {
  for (const observe of [() => new Promise(() => {}), () => { throw new Error("x"); }, () => Promise.reject(new Error("x"))]) {
    const { pair } = observing({ observe, limits: { maxQueuedEvents: 8 } });
    for (let id = 1; id <= 10; id++) await pair.fromPeer(call(id));
    assert.equal(pair.atApp.length, 10);
    const { delivered, failed, dropped, waiting } = pair.guard.observed;
    assert.equal(delivered + dropped + waiting, 80);
    assert.ok(failed > 0 || dropped > 0);
  }
});

describe("the record of a decision", () => {
  test("is awaited before the message goes on, and may be written at once", async () => {
    let write = () => {};
    const slow = observing({ record: () => new Promise<void>((resolve) => (write = resolve)) });
    await slow.pair.fromPeer(call(1));
    assert.deepEqual([slow.pair.atApp.length, slow.told.at(-1)?.kind], [0, "verdict"]);
    write();
    await settle();
    assert.deepEqual([slow.pair.atApp.length, slow.told.at(-1)?.kind], [1, "passed"]);

    const written: unknown[] = [];
    const quick = observing({ record: (decision) => void written.push(decision.id) });
    await quick.pair.fromPeer(call(2));
    assert.deepEqual([quick.pair.atApp.length, written], [1, [2]]);
  });

  test("that fails blocks the message, which is told once, and is not asked for again", async () => {
    for (const fail of [() => Promise.reject(new Error("disk")), () => { throw new Error("disk"); }]) {
      let asked = 0;
      const { told, pair } = observing({ record: () => (asked++, fail()) });
      await pair.fromPeer(call(1));
      assert.deepEqual([pair.atApp.length, pair.atPeer.length, asked], [0, 1, 1]);
      const ends = told.filter(({ kind }) => kind === "passed" || kind === "blocked");
      assert.deepEqual(ends.map((event) => event.kind === "blocked" && event.reason), ["record_failed"]);
    }
  });

  test("that fails is let pass where the policy says so, and a block stays one", async () => {
    const { told, pair } = observing({ record: () => Promise.reject(new Error("disk")), policy: { onRecordFailure: "continue" } });
    await pair.fromPeer(call(1), call(2, "rm"));
    assert.deepEqual([pair.atApp.length, pair.atPeer.length], [1, 1]);
    assert.deepEqual(told.filter(({ kind }) => kind === "passed" || kind === "blocked").map(({ kind }) => kind).sort(), ["blocked", "passed"]);
  });
});

test("servers, clients and relays tell the same of a call", async () => {
  const seams: Record<string, (told: GuardEvent[]) => Promise<Transport>> = {
    server: async (told) => attached(guardServer, told, true),
    client: async (told) => attached(guardClient, told, false),
    relay: async (told) => {
      const [near, down] = memoryPair();
      const [up] = memoryPair();
      const chain = createChain();
      chain.add([look, stamp]);
      guardedRelay(down, up, { chain, posture: "server", guard: { observe: (event) => void told.push(event) }, relay: { drainMs: 1 } });
      return near;
    },
  };
  for (const [name, seam] of Object.entries(seams)) {
    const told: GuardEvent[] = [];
    const end = await seam(told);
    await end.send({ message: call(1) });
    await settle();
    assert.equal(told.at(-1)?.kind, "passed", name);
    await end.close();
  }
});

// The end from which a request of the guarded connection comes.
function attached(guard: typeof guardServer, told: GuardEvent[], receives: boolean): Transport {
  let wrapped: ((transport: Transport) => Transport) | undefined;
  const guardable: Guardable = { wrapTransport: (wrap) => (wrapped = wrap) };
  const chain = createChain();
  chain.add([look, stamp]);
  guard(guardable, chain, { observe: (event) => void told.push(event) });
  const [near, far] = memoryPair();
  const transport = wrapped!(far);
  void transport.receive();
  return receives ? near : transport;
}

test("an answer is told of as its request is", async () => {
  const reply = validator({ name: "reply", hooks: [{ events: ["tools/call"], phase: "response" }] }, () => deny("no"));
  const told: GuardEvent[] = [];
  const pair = guardedPair([reply], { observe: (event) => void told.push(event) });
  await pair.fromPeer(call(1));
  await pair.fromApp(textResult(1, "x"));
  assert.deepEqual(told.map(({ kind, phase }) => [kind, phase]), ["planned", "invoked", "verdict", "blocked"].map((kind) => [kind, "response"]));
});
