import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LocalError, RpcError } from "../../../src/core/base/errors.ts";
import { fromGlobals } from "../../../src/core/base/host.ts";
import { createSignal } from "../../../src/core/base/signal.ts";
import { createPeer, type PeerOptions } from "../../../src/core/jsonrpc/peer.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { scriptedTransport } from "../../support/scripted-transport.ts";

function setUp(options: Partial<PeerOptions> = {}) {
  const host = fakeHost();
  const transport = scriptedTransport();
  const peer = createPeer(transport, { host, handler: () => ({}), ...options });
  const messages = () => transport.sent.map(({ message }) => message);
  const answer = (id: unknown, result: object = {}) => transport.deliver({ jsonrpc: "2.0", id, result });
  return { host, transport, peer, messages, answer };
}

/** What a promise came to so far, without waiting for it. */
async function stateOf(promise: Promise<unknown>): Promise<"pending" | "resolved" | LocalError | RpcError> {
  let state: "pending" | "resolved" | LocalError | RpcError = "pending";
  promise.then(() => (state = "resolved"), (error) => (state = error));
  await settle();
  return state;
}

describe("a request of ours", () => {
  test("goes out with an integer id from 1 and resolves with the result", async () => {
    const { host, peer, messages, answer } = setUp();
    const results = Promise.all([peer.request("a", { x: 1 }), peer.request("b")]);
    answer(2, { second: true });
    answer(1, { first: true });
    assert.deepEqual(await results, [{ first: true }, { second: true }]);
    assert.deepEqual(messages(), [{ jsonrpc: "2.0", id: 1, method: "a", params: { x: 1 } }, { jsonrpc: "2.0", id: 2, method: "b" }]);
    assert.equal(peer.stats().pending, 0);
    assert.equal(host.liveTimers, 0);
  });

  test("tells its id before it goes out, and not where it never does", async () => {
    const { peer, messages } = setUp();
    const told: unknown[] = [];
    const onId = (id: unknown) => void told.push([id, messages().length]);
    void peer.request("a", {}, { onId });
    void peer.request("b", {}, { onId });
    await settle();
    assert.deepEqual([told, messages().map((message) => "id" in message && message.id)], [[[1, 0], [2, 0]], [1, 2]]);
    const source = createSignal();
    source.abort("no");
    await assert.rejects(peer.request("c", {}, { onId, signal: source.signal }), { code: "aborted" });
    assert.equal(told.length, 2);
  });

  test("rejects with the peer's error", async () => {
    const { transport, peer } = setUp();
    const call = peer.request("a");
    transport.deliver({ jsonrpc: "2.0", id: 1, error: { code: -32601, message: "no such method", data: { a: 1 } } });
    await assert.rejects(call, (error) => error instanceof RpcError && error.code === -32601 && error.message === "no such method" && (error.data as { a: number }).a === 1);
  });

  test("is not settled by a response whose id has another type", async () => {
    const { peer, answer } = setUp();
    const call = peer.request("a");
    answer("1");
    assert.equal(await stateOf(call), "pending");
    assert.equal(peer.stats().unknownResponses, 1);
    for (const id of [0, 2, -1, 1.5]) answer(id);
    await settle();
    assert.deepEqual([peer.stats().unknownResponses, peer.stats().lateResponses], [5, 0]);
    answer(1);
    assert.equal(await stateOf(call), "resolved");
  });

  test("ignores an error response without an id", async () => {
    const { transport, peer } = setUp();
    const call = peer.request("a");
    transport.deliver({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } });
    transport.deliver({ jsonrpc: "2.0", error: { code: -32700, message: "Parse error" } });
    assert.equal(await stateOf(call), "pending");
    assert.equal(peer.stats().unknownResponses, 2);
  });

  test("rejects with what the transport says when it is not accepted, and is forgotten", async () => {
    const { host, transport, peer } = setUp();
    transport.onSend = () => Promise.reject(new LocalError("not_json", "no"));
    await assert.rejects(peer.request("a"), { code: "not_json" });
    assert.equal(peer.stats().pending, 0);
    assert.equal(host.liveTimers, 0);
  });

  test("is refused past maxPendingRequests, at the bound it is not", async () => {
    const { peer, answer, messages } = setUp({ limits: { maxPendingRequests: 2 } });
    const calls = [peer.request("a"), peer.request("b")];
    await assert.rejects(peer.request("c"), { code: "limit_exceeded", details: { delivery: "none" } });
    answer(1);
    await calls[0];
    assert.equal(await stateOf(peer.request("d")), "pending");
    assert.equal(messages().length, 3);
  });

  test("leaves nothing behind where the host has no timers, and needs none without a timeout", async () => {
    const { peer, answer } = setUp({ host: fromGlobals({}) });
    await assert.rejects(peer.request("a"), { code: "host_missing" });
    await assert.rejects(peer.request("a"), { code: "host_missing" });
    assert.equal(peer.stats().pending, 0);
    const call = peer.request("a", {}, { timeoutMs: Infinity });
    answer(3);
    await call;
  });

  test("leaves nothing behind where its signal is none", async () => {
    const { peer, host } = setUp();
    await assert.rejects(peer.request("a", {}, { signal: { aborted: false } as never }), TypeError);
    assert.deepEqual([peer.stats().pending, host.liveTimers], [0, 0]);
  });

  test("carries the exchange it is related to", async () => {
    const { transport, peer } = setUp();
    void peer.request("a", undefined, { related: "r", timeoutMs: Infinity });
    await peer.notify("n", undefined, { related: 7 });
    assert.deepEqual(transport.sent.map(({ route }) => route), [{ related: "r" }, { related: 7 }]);
  });
});

describe("a timeout", () => {
  test("comes after 60 s by default: one cancellation, a local rejection, and the late response is dropped", async () => {
    const { host, peer, messages, answer } = setUp();
    const call = peer.request("a");
    await host.advance(59_999);
    assert.equal(await stateOf(call), "pending");
    await host.advance(1);
    await assert.rejects(call, (error) => error instanceof LocalError && error.code === "timeout");
    assert.deepEqual(messages().slice(1), [
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "no answer within 60000 ms" } },
    ]);
    answer(1);
    await settle();
    assert.deepEqual([peer.stats().lateResponses, peer.stats().unknownResponses, host.liveTimers], [1, 0, 0]);
  });

  test("never cancels initialize", async () => {
    const { host, peer, messages } = setUp();
    const call = peer.request("initialize", {}, { timeoutMs: 5 });
    const rejected = assert.rejects(call, { code: "timeout" });
    await host.advance(5);
    await rejected;
    assert.equal(messages().length, 1);
  });

  test("of Infinity needs no timer", async () => {
    const { host, peer } = setUp();
    const call = peer.request("a", {}, { timeoutMs: Infinity });
    assert.equal(host.liveTimers, 0);
    await host.advance(1e9);
    assert.equal(await stateOf(call), "pending");
  });

  for (const timeoutMs of [0, -1, NaN]) {
    test(`of ${timeoutMs} is refused`, async () => {
      await assert.rejects(setUp().peer.request("a", {}, { timeoutMs }), { code: "invalid_argument" });
    });
  }

  test("is cut short by maxTotalTimeoutMs without any progress", async () => {
    const { host, peer } = setUp();
    const rejected = assert.rejects(peer.request("a", {}, { timeoutMs: 50, maxTotalTimeoutMs: 20 }), { code: "timeout", message: /20 ms/ });
    await host.advance(20);
    await rejected;
  });
});

describe("giving up", () => {
  test("by signal cancels with the peer, and rejects with the reason as cause", async () => {
    const { host, transport, peer, messages, answer } = setUp();
    const source = createSignal();
    const call = peer.request("a", {}, { signal: source.signal, related: 4 });
    const reason = new Error("user left");
    source.abort(reason);
    await assert.rejects(call, { code: "aborted", cause: reason });
    assert.deepEqual(messages()[1], { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "given up by the caller" } });
    assert.deepEqual(transport.sent[1]?.route, { related: 4 });
    answer(1);
    await settle();
    assert.deepEqual([peer.stats().lateResponses, host.liveTimers], [1, 0]);
  });

  test("works with the platform's signal, and tells a reason that is text", async () => {
    const { peer, messages } = setUp();
    const controller = new AbortController();
    const call = peer.request("a", {}, { signal: controller.signal });
    controller.abort("no longer needed");
    await assert.rejects(call, { code: "aborted" });
    assert.deepEqual(messages()[1], { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "no longer needed" } });
  });

  test("before it is sent sends nothing", async () => {
    const { peer, messages } = setUp();
    const source = createSignal();
    source.abort("early");
    await assert.rejects(peer.request("a", {}, { signal: source.signal }), { code: "aborted", details: { delivery: "none" } });
    assert.deepEqual(messages(), []);
  });

  test("after the answer sends nothing, and no listener is left", async () => {
    const { peer, messages, answer } = setUp();
    let listeners = 0;
    const signal = { aborted: false, reason: undefined, addEventListener: () => void listeners++, removeEventListener: () => void listeners-- };
    const call = peer.request("a", {}, { signal });
    assert.equal(listeners, 1);
    answer(1);
    await call;
    assert.equal(listeners, 0);
    assert.equal(messages().length, 1);
  });
});

describe("progress", () => {
  const report = (progressToken: unknown, progress: unknown) => ({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress, total: 10 } });

  test("is asked for with a token of ours, beside the caller's other _meta, and reaches the callback before the result", async () => {
    const { transport, peer, messages, answer } = setUp();
    const seen: unknown[] = [];
    const params = { x: 1, _meta: { a: 1, progressToken: "theirs" } };
    const call = peer.request("a", params, { onProgress: ({ progress, total }) => seen.push([progress, total]) });
    transport.deliver(report(1, 1));
    transport.deliver(report(1, 2.5));
    answer(1);
    await call;
    assert.deepEqual(seen, [[1, 10], [2.5, 10]]);
    assert.deepEqual(messages()[0], { jsonrpc: "2.0", id: 1, method: "a", params: { x: 1, _meta: { a: 1, progressToken: 1 } } });
    assert.deepEqual(params, { x: 1, _meta: { a: 1, progressToken: "theirs" } });
  });

  test("is ignored for tokens of another type, unknown ones, malformed reports, and after the end", async () => {
    const { transport, peer, answer } = setUp();
    const seen: unknown[] = [];
    const call = peer.request("a", {}, { onProgress: ({ progress }) => seen.push(progress) });
    for (const message of [report("1", 1), report(2, 1), report(1, "1"), report(undefined, 1), { jsonrpc: "2.0", method: "notifications/progress" }]) transport.deliver(message);
    answer(1);
    transport.deliver(report(1, 5));
    await call;
    await settle();
    assert.deepEqual(seen, []);
  });

  test("of a request that nobody listens to goes without a token, even one that the caller put in", async () => {
    const { peer, messages } = setUp();
    void peer.request("a", { _meta: { progressToken: 1, b: 2 } }, { timeoutMs: Infinity });
    await settle();
    assert.deepEqual(messages()[0], { jsonrpc: "2.0", id: 1, method: "a", params: { _meta: { b: 2 } } });
  });

  test("goes on after a callback that throws or rejects", async () => {
    const log: unknown[] = [];
    const { transport, peer, answer } = setUp({ log: ({ level, message }) => log.push([level, message]) });
    let turn = 0;
    const call = peer.request("a", {}, {
      onProgress: () => {
        if (turn++ === 0) throw new Error("first");
        return Promise.reject(new Error("second"));
      },
    });
    transport.deliver(report(1, 1));
    transport.deliver(report(1, 2));
    answer(1);
    await call;
    await settle();
    assert.deepEqual(log, [["error", "onProgress failed"], ["error", "onProgress failed"]]);
  });

  test("resets the timeout, with a token even where there is no callback (case 42)", async () => {
    const { host, transport, peer, messages } = setUp();
    const call = peer.request("a", {}, { timeoutMs: 60_000, resetTimeoutOnProgress: true });
    await settle();
    assert.deepEqual(messages()[0], { jsonrpc: "2.0", id: 1, method: "a", params: { _meta: { progressToken: 1 } } });
    for (let tick = 1; tick <= 9; tick++) {
      await host.advance(50_000);
      transport.deliver(report(1, tick));
    }
    await host.advance(59_999);
    assert.equal(await stateOf(call), "pending");
    const rejected = assert.rejects(call, { code: "timeout", message: /60000 ms/ });
    await host.advance(1);
    await rejected;
    assert.equal(host.liveTimers, 0);
  });

  test("that does not grow is ignored, and keeps no call alive", async () => {
    const { host, transport, peer } = setUp();
    const seen: unknown[] = [];
    const call = peer.request("a", {}, { timeoutMs: 100, resetTimeoutOnProgress: true, onProgress: ({ progress }) => seen.push(progress) });
    const rejected = assert.rejects(call, { code: "timeout", message: /100 ms/ });
    for (const value of [-1, 2]) transport.deliver(report(1, value));
    for (const value of [2, 1, NaN]) {
      await host.advance(30);
      transport.deliver(report(1, value));
    }
    await host.advance(10);
    await rejected;
    assert.deepEqual(seen, [-1, 2]);
  });

  test("does not reset the timeout where that was not asked for", async () => {
    const { host, transport, peer } = setUp();
    const rejected = assert.rejects(peer.request("a", {}, { timeoutMs: 100, onProgress: () => {} }), { code: "timeout" });
    await host.advance(60);
    transport.deliver(report(1, 1));
    await host.advance(40);
    await rejected;
  });

  for (const [name, options, boundMs] of [
    ["of the call", { maxTotalTimeoutMs: 250 }, 250],
    ["of the peer", {}, 500],
  ] as const) {
    test(`keeps a call alive only up to the absolute maximum ${name}`, async () => {
      const { host, transport, peer } = setUp({ maxTotalTimeoutMs: 500 });
      const call = peer.request("a", {}, { timeoutMs: 100, resetTimeoutOnProgress: true, ...options });
      const rejected = assert.rejects(call, { code: "timeout", message: new RegExp(`${boundMs} ms`) });
      for (let clock = 0; clock < boundMs; clock += 50) {
        assert.equal(peer.stats().pending, 1, `still waiting at ${clock} ms`);
        await host.advance(50);
        transport.deliver(report(1, clock + 1));
      }
      await rejected;
    });
  }
});

describe("a subscription", () => {
  test("ends when the server cancels the request that opened it; no other request of ours does", async () => {
    const { transport, peer } = setUp();
    const listening = peer.request("subscriptions/listen", {}, { timeoutMs: Infinity });
    const other = peer.request("tools/list");
    for (const requestId of [1, 2]) transport.deliver({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
    await assert.rejects(listening, { code: "closed" });
    assert.equal(await stateOf(other), "pending");
  });
});

describe("middleware for our own requests", () => {
  test("sees and changes what goes out, and what comes back", async () => {
    const { peer, messages, answer } = setUp();
    peer.useOutgoing((next) => async (call) => ({ ...(await next({ ...call, params: { ...call.params, seen: call.method } })), wrapped: true }));
    const call = peer.request("a");
    await settle();
    answer(1, { x: 1 });
    assert.deepEqual(await call, { x: 1, wrapped: true });
    assert.deepEqual(messages()[0], { jsonrpc: "2.0", id: 1, method: "a", params: { seen: "a" } });
  });

  test("rejects the call with what it throws", async () => {
    const { peer } = setUp();
    peer.useOutgoing(() => () => {
      throw new LocalError("refused", "not today");
    });
    await assert.rejects(peer.request("a"), { code: "refused" });
  });
});
