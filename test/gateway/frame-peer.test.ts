import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LocalError } from "../../src/core/base/errors.ts";
import { resolveLimits, type Limits } from "../../src/core/base/limits.ts";
import { createSignal } from "../../src/core/base/signal.ts";
import type { Message, NotificationMessage } from "../../src/core/wire/message.ts";
import { createFramePeer } from "../../src/gateway/frame-peer.ts";
import type { FrameRequest } from "../../src/gateway/frame-requests.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { scriptedTransport } from "../support/scripted-transport.ts";

function rig(limits: Partial<Limits> = {}, lingerMs = 0) {
  const host = fakeHost();
  const transport = scriptedTransport();
  const requests: FrameRequest[] = [];
  const heard: NotificationMessage[] = [];
  const logged: string[] = [];
  const peer = createFramePeer({
    transport,
    host,
    limits: resolveLimits(limits),
    log: ({ message }) => logged.push(message),
    lingerMs,
    onRequest: (request) => requests.push(request),
    onNotification: (_frame, message) => heard.push(message),
  });
  const sent = (): Message[] => transport.sent.map(({ message }) => message);
  return { host, transport, requests, heard, logged, peer, sent };
}
const ping = (id: number | string) => ({ jsonrpc: "2.0", id, method: "ping" }) as const;
const done = (id: number | string) => ({ jsonrpc: "2.0", id, result: {} }) as const;
const call = { message: { method: "x" }, timeoutMs: 1_000 } as const;

describe("a peer that keeps the text of messages", () => {
  it("refuses a second request with an id in flight, and answers the first one once", async () => {
    const { transport, requests, sent } = rig();
    transport.deliver(ping(1));
    transport.deliver(ping(1));
    transport.deliver(ping("1"));
    await settle();
    assert.deepEqual(requests.map(({ message }) => message.id), [1, "1"]);
    requests[0]!.answer(done(7));
    requests[0]!.answer(done(8));
    await settle();
    assert.deepEqual(sent().map((message) => ["error" in message, (message as { id: unknown }).id]), [[true, 1], [false, 1]]);
    // The id is free again.
    transport.deliver(ping(1));
    await settle();
    assert.equal(requests.length, 3);
    requests[0]!.answer(done(1));
    requests[0]!.ignore();
    await settle();
    assert.equal(sent().length, 2);
  });

  it("answers requests over its limit at once, and goes on", async () => {
    const { transport, requests, sent } = rig({ maxIncomingRequests: 2 });
    for (const id of [1, 2, 3]) transport.deliver(ping(id));
    await settle();
    const [refusal] = sent() as { id: number; error: { data: unknown } }[];
    assert.deepEqual([refusal?.id, refusal?.error.data], [3, { reason: "overloaded", delivery: "none" }]);
    requests[0]!.answer(done(1));
    await settle();
    transport.deliver(ping(4));
    await settle();
    assert.equal(requests.length, 3);
  });

  it("keeps no more unsent notifications than it may, nor refusals for a peer that takes none", async () => {
    const { transport, peer, logged, sent } = rig({ maxQueuedFrames: 2, maxIncomingRequests: 1 });
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    transport.onSend = () => gate;
    for (let count = 0; count < 5; count++) peer.notify({ jsonrpc: "2.0", method: "notifications/progress" });
    for (let id = 0; id < 10; id++) transport.deliver(ping(id));
    await settle();
    assert.deepEqual(logged, ["a peer takes too little; notifications/progress was dropped"]);
    open();
    await settle();
    assert.equal(sent().filter((message) => "method" in message).length, 2);
    assert.equal(sent().filter((message) => "error" in message).length, 2);
    assert.deepEqual(logged.slice(1), ["3 notifications were dropped, as their peer took too little"]);
  });

  it("keeps of what a peer does not take the latest word on each subject, and tells it before the answer", async () => {
    const { transport, requests, peer, logged, sent } = rig();
    transport.deliver(ping("a"));
    await settle();
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    transport.onSend = () => gate;
    const tell = (method: string, params: object, related?: string) => peer.notify({ jsonrpc: "2.0", method, params: { ...params } }, undefined, related);
    for (let step = 1; step <= 5_000; step++) {
      tell("notifications/progress", { progressToken: "a", progress: step }, "a");
      tell("notifications/progress", { progressToken: "b", progress: step }, "b");
      tell("notifications/tools/list_changed", {});
      tell("notifications/resources/updated", { uri: `mem:///${step % 2}` });
    }
    requests[0]!.answer(done("a"));
    open();
    await settle();
    const told = (of: (message: Message) => boolean) => sent().filter(of).length;
    const isAbout = (name: string, value: string) => (message: Message) => "params" in message && message.params?.[name] === value;
    const ofCall = sent().filter((message) => isAbout("progressToken", "a")(message) || "result" in message);
    const { params } = ofCall.at(-2) as NotificationMessage;
    assert.deepEqual([ofCall.length, params?.["progress"], "result" in ofCall.at(-1)!], [34, 5_000, true]);
    assert.equal(told(isAbout("progressToken", "b")), 33);
    assert.equal(told((message) => "method" in message && message.method === "notifications/tools/list_changed"), 17);
    assert.deepEqual([told(isAbout("uri", "mem:///0")), told(isAbout("uri", "mem:///1"))], [9, 9]);
    assert.deepEqual(logged, []);
  });

  it("drops of a flood what does not fit its bound of characters, but never that a list has changed", async () => {
    const { transport, peer, sent } = rig({ maxStreamChars: 10_000 });
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    transport.onSend = () => gate;
    const text = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"${"x".repeat(1_000)}"}}`;
    const message = JSON.parse(text) as NotificationMessage;
    for (let turn = 0; turn < 100; turn++) peer.notify(message, { message, text });
    peer.notify({ jsonrpc: "2.0", method: "notifications/prompts/list_changed" });
    open();
    await settle();
    assert.deepEqual([sent().length, (sent().at(-1) as NotificationMessage).method], [10, "notifications/prompts/list_changed"]);
  });

  it("takes a response for the request with just that id", async () => {
    const { transport, peer, sent } = rig();
    const answered = peer.request(call);
    transport.deliver(done("1"));
    transport.deliver(done(2));
    transport.deliver(done(1));
    assert.deepEqual((await answered).frame.message, done(1));
    assert.deepEqual(sent(), [{ jsonrpc: "2.0", id: 1, method: "x" }]);
  });

  it("gives up in silence, not while somebody is asked, and says so once", async () => {
    const { host, transport, peer, sent } = rig();
    let asking = true;
    const answered = peer.request({ ...call, maxMs: 10_000, waits: () => asking });
    const late = assert.rejects(answered, { code: "timeout", details: { timeoutMs: 1_000, delivery: "unknown" } });
    await host.advance(3_500);
    assert.equal(sent().length, 1);
    asking = false;
    await host.advance(1_000);
    await late;
    assert.deepEqual(sent().slice(1), [{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "timeout" } }]);
    transport.deliver(done(1));
    await settle();
    assert.equal(host.liveTimers, 0);
  });

  it("cancels what its caller gives up, but for the handshake", async () => {
    const { peer, sent } = rig();
    for (const method of ["initialize", "x"]) {
      const caller = createSignal();
      const answered = peer.request({ message: { method }, timeoutMs: Infinity, signal: caller.signal });
      caller.abort("enough");
      await assert.rejects(answered, { code: "aborted" });
    }
    await settle();
    assert.deepEqual(sent().map((message) => ("method" in message ? message.method : "")), ["initialize", "x", "notifications/cancelled"]);
  });

  it("tells what has certainly not gone out from what may have", async () => {
    const { transport, peer } = rig({ maxPendingRequests: 1 });
    const waiting = assert.rejects(peer.request(call), { code: "closed", details: { delivery: "unknown" } });
    await assert.rejects(peer.request(call), { code: "limit_exceeded", details: { delivery: "none" } });
    transport.end(new LocalError("closed", "broken pipe"));
    await waiting;
    await assert.rejects(peer.request(call), { code: "closed", details: { delivery: "none" } });
    assert.equal((await peer.closed)?.message, "broken pipe");
  });

  it("answers a peer that has nothing more to say, for a bounded time", async () => {
    const { host, transport, requests, peer, sent } = rig({}, 5_000);
    transport.deliver(ping(1));
    transport.deliver(ping(2));
    transport.end();
    await settle();
    requests[0]!.answer(done(1));
    await host.advance(4_999);
    assert.equal(transport.closes, 0);
    await host.advance(1);
    await peer.closed;
    assert.deepEqual([sent(), transport.closes, requests[1]!.signal.aborted], [[done(1)], 1, true]);
    assert.equal(host.liveTimers, 0);
  });

  it("ends once its answers have left, though its peer ends meanwhile", async () => {
    const { host, transport, requests, peer } = rig();
    let open = () => {};
    transport.onSend = () => new Promise((resolve) => (open = resolve));
    transport.deliver(ping(1));
    await settle();
    requests[0]!.answer(done(1));
    const ending = peer.end();
    transport.end();
    await settle();
    assert.equal(transport.closes, 0);
    open();
    await settle();
    assert.equal(transport.closes, 1, "no wait is left");
    await ending;
    assert.equal(host.liveTimers, 0);
  });

  it("lets answers leave before it ends, and no timer after it", async () => {
    const { host, transport, requests, peer, sent } = rig();
    let open = () => {};
    transport.onSend = () => new Promise((resolve) => (open = resolve));
    transport.deliver(ping(1));
    await settle();
    requests[0]!.answer(done(1));
    const ending = peer.end();
    await settle();
    assert.equal(transport.closes, 0);
    open();
    await ending;
    assert.deepEqual([sent(), transport.closes, host.liveTimers], [[done(1)], 1, 0]);
  });
});
