import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError } from "../../../src/core/base/errors.ts";
import { createChain } from "../../../src/core/chain/chain.ts";
import { guardTransport } from "../../../src/core/guard/guard.ts";
import { relay, type Relay, type RelayOptions } from "../../../src/core/guard/relay.ts";
import { allow, deny } from "../../../src/core/interceptor/verdict.ts";
import { validator } from "../../../src/core/interceptor/define.ts";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import type { Route } from "../../../src/core/transport/transport.ts";
import type { Frame } from "../../../src/core/wire/frame.ts";
import type { Message, RequestId } from "../../../src/core/wire/message.ts";
import { fakeHost, settle, type FakeHost } from "../../support/fake-host.ts";
import { call, notice, textResult } from "../../support/guarded-pair.ts";
import { scriptedTransport, type ScriptedTransport } from "../../support/scripted-transport.ts";

/** A relay whose client and server are the test. */
interface Rig {
  readonly host: FakeHost;
  readonly relay: Relay;
  readonly log: string[];
  readonly down: ScriptedTransport;
  readonly up: ScriptedTransport;
  client(...messages: unknown[]): Promise<void>;
  server(...messages: unknown[]): Promise<void>;
  /** What each side has been sent so far. */
  toClient(): Message[];
  toServer(): Message[];
}

function rig(options: RelayOptions = {}): Rig {
  const host = fakeHost();
  const down = scriptedTransport();
  const up = scriptedTransport();
  const log: string[] = [];
  const running = relay(down, up, { host, log: ({ level, message }) => void log.push(`${level}: ${message}`), ...options });
  const deliver = (to: ScriptedTransport) => async (...messages: unknown[]) => {
    for (const message of messages) to.deliver(message);
    await settle();
  };
  const sent = (to: ScriptedTransport) => () => to.sent.map(({ message }) => message);
  return { host, relay: running, log, down, up, client: deliver(down), server: deliver(up), toClient: sent(down), toServer: sent(up) };
}

const error = (message: Message | undefined) => {
  assert.ok(message !== undefined && "error" in message, `an error, not ${JSON.stringify(message)}`);
  return message.error;
};
const cancel = (requestId: RequestId, reason = "enough") => notice("notifications/cancelled", { requestId, reason });
const withToken = (id: RequestId, token: string | number): Message => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "slow", _meta: { progressToken: token } } });
const progress = (progressToken: string | number, step: number) => notice("notifications/progress", { progressToken, progress: step });

/** Every test ends so: nothing is left that could fire or wait. */
async function finish(r: Rig): Promise<void> {
  await r.relay.close();
  assert.equal(r.host.liveTimers, 0);
  assert.equal(r.down.closes, 1);
  assert.equal(r.up.closes, 1);
}

test("a relay carries requests, answers and notifications both ways as they came, text and lane included", async () => {
  const r = rig();
  const text = '{"id":1, "jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"n":1.10}}}';
  const frames: { frame: Frame; route: Route | undefined }[] = [];
  r.up.send = async (frame, route) => void frames.push({ frame, route });
  const message = JSON.parse(text) as Message;
  r.down.deliver(message, { frame: { message, text }, related: 7 });
  await settle();
  assert.deepEqual(frames, [{ frame: { message, text }, route: { related: 7 } }]);

  const fromServer = [textResult(1, "hi"), notice("notifications/message", { level: "info" }), { jsonrpc: "2.0", id: 1, method: "roots/list" }];
  await r.server(...fromServer);
  assert.deepEqual(r.toClient(), fromServer);
  const fromClient = [{ jsonrpc: "2.0", id: 1, result: { roots: [] } }, notice("notifications/roots/list_changed")];
  await r.client(...fromClient);
  assert.deepEqual(frames.slice(1).map(({ frame }) => frame.message), fromClient);
  await finish(r);
});

test("a request that comes while the relay ends is answered at once, and nothing is left that waits for it", async () => {
  const r = rig();
  await r.client(call(1));
  const { send } = r.down;
  let accept = () => {};
  r.down.send = async (frame) => {
    await send(frame);
    // A guard may hold an answer, and let go of requests meanwhile.
    if (!("method" in frame.message) && frame.message.id === 1) await new Promise<void>((resolve) => (accept = resolve));
  };
  const closed = r.relay.close();
  await settle();
  await r.client(call(2));
  assert.deepEqual(r.toServer(), [call(1)]);
  const [first, second] = r.toClient();
  assert.equal(error(first).message, "The relay was closed before the answer came");
  assert.deepEqual(error(second), { code: -32603, message: "The relay was closed", data: { delivery: "none" } });
  accept();
  await closed;
  await finish(r);
});

test("a relay between memory pairs ends both when the client closes, and tells whose end it was", async () => {
  const host = fakeHost();
  const [client, down] = memoryPair();
  const [up, server] = memoryPair();
  const running = relay(down, up, { host });
  await client.send({ message: call(1) });
  assert.deepEqual((await server.receive())?.frame.message, call(1));
  await server.send({ message: textResult(1, "done") });
  assert.deepEqual((await client.receive())?.frame.message, textResult(1, "done"));
  await client.close();
  assert.deepEqual(await running.ended, { by: "client" });
  assert.equal(await server.receive(), undefined);
  assert.equal(host.liveTimers, 0);
});

test("where the server ends in mid-call, each waiting request is answered once, and says how the server ended", async () => {
  const r = rig();
  await r.client(call(1), call("1"), { jsonrpc: "2.0", id: "init", method: "initialize", params: {} });
  await r.server(textResult(1, "in time"));
  const details = { code: 3, signal: null, stderr: "the secret of the server" };
  r.up.end(new LocalError("closed", 'the server process "x" exited with code 3; its last line on stderr: the secret of the server', { details }));
  const end = await r.relay.ended;
  assert.equal(end.by, "server");
  assert.equal(end.error?.code, "closed");
  assert.deepEqual(r.toClient().map((message) => "id" in message && message.id), [1, "1", "init"]);
  for (const message of r.toClient().slice(1)) {
    assert.deepEqual(error(message), { code: -32603, message: "The server exited with code 3 before the answer came", data: { delivery: "unknown" } });
  }
  assert.ok(r.log.some((line) => line.startsWith("error: the server's side broke") && line.includes("exited with code 3")));
  await finish(r);
});

test("a server that ends in peace, or by a signal, is told apart in the answers", async () => {
  for (const [cause, expected] of [
    [undefined, "The server ended before the answer came"],
    [new LocalError("closed", "gone", { details: { code: null, signal: "SIGKILL" } }), "The server was ended by SIGKILL before the answer came"],
    [new TypeError("socket"), "The server failed before the answer came"],
  ] as const) {
    const r = rig();
    await r.client(call(1));
    r.up.end(cause);
    await r.relay.ended;
    assert.equal(error(r.toClient()[0]).message, expected);
    await finish(r);
  }
});

test("a client that has ended still gets the answers that come within drainMs", async () => {
  const r = rig({ drainMs: 5000 });
  await r.client(call(1), call(2));
  r.down.end();
  await r.host.advance(4000);
  assert.equal(r.up.closes, 0);
  await r.server(textResult(2, "b"));
  await r.server(textResult(1, "a"));
  assert.deepEqual(await r.relay.ended, { by: "client" });
  assert.deepEqual(r.toClient(), [textResult(2, "b"), textResult(1, "a")]);
  assert.equal(r.host.now(), 4000);
  await finish(r);
});

test("after drainMs the relay answers what the server has not, and closes", async () => {
  const r = rig({ drainMs: 5000 });
  await r.client(call(1), call(2));
  r.down.end();
  await settle();
  await r.server(textResult(1, "a"));
  await r.host.advance(4999);
  assert.equal(r.up.closes, 0);
  await r.host.advance(1);
  assert.deepEqual(await r.relay.ended, { by: "client" });
  assert.equal(r.toClient().length, 2);
  assert.deepEqual(error(r.toClient()[1]).data, { delivery: "unknown" });
  await finish(r);
});

test("where the server dies while a client that has ended is served, the answers say how", async () => {
  const r = rig();
  await r.client(call(1));
  r.down.end();
  await settle();
  r.up.end(new LocalError("closed", "dead", { details: { code: 3, signal: null } }));
  assert.deepEqual(await r.relay.ended, { by: "client" });
  assert.equal(error(r.toClient()[0]).message, "The server exited with code 3 before the answer came");
  assert.equal(r.toClient().length, 1);
  await finish(r);
});

test("a client whose connection broke is not waited for, and gets no answers", async () => {
  const r = rig();
  await r.client(call(1));
  r.down.end(new LocalError("closed", "reset"));
  const end = await r.relay.ended;
  assert.deepEqual([end.by, end.error?.message, r.host.now()], ["client", "reset", 0]);
  assert.deepEqual(r.toClient(), []);
  await finish(r);
});

test("an unanswered initialize is answered at its own timeout, is never cancelled, and its late answer goes nowhere", async () => {
  const r = rig({ initializeTimeoutMs: 1000, requestTimeoutMs: 100 });
  await r.client({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} });
  await r.host.advance(999);
  assert.deepEqual(r.toClient(), []);
  await r.host.advance(1);
  assert.deepEqual(error(r.toClient()[0]), { code: -32603, message: "The server did not answer initialize within 1000 ms", data: { delivery: "unknown" } });
  assert.equal(r.toServer().length, 1);
  await r.server({ jsonrpc: "2.0", id: 0, result: { protocolVersion: "2025-06-18" } });
  assert.equal(r.toClient().length, 1);
  await finish(r);
});

test("a client cannot give up initialize: its cancellation goes on, and the answer still reaches it", async () => {
  const r = rig();
  const answer = { jsonrpc: "2.0", id: 0, result: {} };
  await r.client({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} }, cancel(0));
  await r.server(answer);
  assert.deepEqual(r.toClient(), [answer]);
  await finish(r);
});

test("a request without an answer is answered once at its timeout and cancelled upstream, and a late answer is dropped", async () => {
  const r = rig({ requestTimeoutMs: 1000 });
  await r.client(call(9), call("9"));
  await r.server(textResult("9", "in time"));
  await r.host.advance(1000);
  assert.deepEqual(r.toServer().slice(2), [cancel(9, "timeout")]);
  await r.server(textResult(9, "late"), textResult(9, "later still"));
  await r.host.advance(100_000);
  assert.equal(r.toClient().length, 2);
  assert.equal(error(r.toClient()[1]).message, "The server did not answer tools/call within 1000 ms");
  assert.equal(r.toServer().length, 3);
  assert.equal(r.log.filter((line) => line.includes("nobody waits for")).length, 2);
  await finish(r);
});

test("progress starts a request's time anew, for its own token alone, up to the absolute maximum", async () => {
  const r = rig({ requestTimeoutMs: 1000, maxRequestMs: 2500 });
  await r.client(withToken(1, "t"), withToken(2, 7));
  for (let step = 1; step <= 2; step++) {
    await r.host.advance(900);
    await r.server(progress("t", step), progress("7", step));
  }
  assert.deepEqual(r.toClient().filter((message) => "id" in message).map((message) => "id" in message && message.id), [2]);
  await r.host.advance(699);
  assert.equal(r.toClient().filter((message) => "error" in message).length, 1);
  await r.host.advance(1);
  assert.equal(error(r.toClient().at(-1)).message, "The server did not answer tools/call within 2500 ms");
  await r.server(progress("t", 3));
  await r.host.advance(10_000);
  assert.equal(r.toClient().filter((message) => "error" in message).length, 2);
  await finish(r);
});

test("a long call with progress outlives many timeouts (case 42)", async () => {
  const r = rig({ requestTimeoutMs: 60_000 });
  await r.client(withToken(1, 1));
  for (let step = 1; step <= 9; step++) {
    await r.host.advance(50_000);
    await r.server(progress(1, step));
  }
  await r.server(textResult(1, "done"));
  assert.deepEqual(r.toClient().at(-1), textResult(1, "done"));
  assert.equal(r.toServer().length, 1);
  await finish(r);
});

test("a subscription has no deadline, and ends when the server cancels it", async () => {
  const r = rig({ requestTimeoutMs: 1000, drainMs: 5000 });
  await r.client({ jsonrpc: "2.0", id: 3, method: "subscriptions/listen", params: { _meta: { progressToken: 1 } } }, call(4));
  await r.server(textResult(4, "x"), progress(1, 1));
  await r.host.advance(10_000_000);
  assert.equal(r.toClient().length, 2);
  await r.server(cancel(3));
  r.down.end();
  // Nothing is open any more: the end does not wait.
  await r.relay.ended;
  assert.equal(r.host.now(), 10_000_000);
  await finish(r);
});

test("an open subscription does not keep the relay once its client has ended", async () => {
  const r = rig();
  await r.client({ jsonrpc: "2.0", id: 3, method: "subscriptions/listen", params: {} }, call(4));
  r.down.end();
  await settle();
  assert.equal(r.up.closes, 0);
  await r.server(textResult(4, "x"));
  await r.relay.ended;
  assert.equal(r.host.now(), 0);
  await finish(r);
});

test("a server's cancellation of a request of its own does not end the client's with the same id", async () => {
  const r = rig();
  await r.client(call(1));
  await r.server({ jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params: {} }, cancel(1), textResult(1, "done"));
  assert.deepEqual(r.toClient().at(-1), textResult(1, "done"));
  await finish(r);
});

test("a cancellation goes up at once, by its typed id, and the answer of a cancelled request goes nowhere (cases 39, 40)", async () => {
  const r = rig({ requestTimeoutMs: 1000 });
  await r.client(call(101), call("101"), cancel(101));
  assert.deepEqual(r.toServer().at(-1), cancel(101));
  await r.server(textResult("101", "the other one"), textResult(101, "too late"));
  await r.server({ jsonrpc: "2.0", id: 101, error: { code: 0, message: "request cancelled" } });
  assert.deepEqual(r.toClient(), [textResult("101", "the other one")]);
  await r.host.advance(100_000);
  assert.equal(r.toClient().length, 1);
  await finish(r);
});

test("a cancellation of what is unknown or finished goes on without an error", async () => {
  const r = rig();
  await r.client(call(1));
  await r.server(textResult(1, "done"));
  await r.client(cancel(1), cancel("never"), notice("notifications/cancelled"), notice("notifications/cancelled", { requestId: {} }));
  assert.equal(r.toServer().length, 5);
  assert.deepEqual(r.toClient(), [textResult(1, "done")]);
  await finish(r);
});

test("a second request with an id in flight is refused and never reaches the server; the first is answered", async () => {
  const r = rig();
  await r.client(call(1, "slow"), call(1, "fast"));
  assert.deepEqual(r.toServer(), [call(1, "slow")]);
  assert.equal(error(r.toClient()[0]).code, -32600);
  await r.server(textResult(1, "slow done"));
  await r.client(call(1, "again"));
  await r.server(textResult(1, "again done"));
  assert.deepEqual(r.toClient().slice(1), [textResult(1, "slow done"), textResult(1, "again done")]);
  await finish(r);
});

test("answers to what was never asked are dropped; an error without an id goes on", async () => {
  const r = rig();
  const nobodys = { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } };
  await r.client(call(1));
  await r.server(textResult("1", "wrong type"), textResult(2, "never asked"), nobodys, textResult(1, "right"));
  assert.deepEqual(r.toClient(), [nobodys, textResult(1, "right")]);
  await finish(r);
});

test("more open requests than the limit are refused, not queued", async () => {
  const r = rig({ limits: { maxPendingRequests: 2 } });
  await r.client(call(1), call(2), call(3));
  assert.equal(r.toServer().length, 2);
  assert.deepEqual(error(r.toClient()[0]), { code: -32603, message: "Too many requests wait for an answer", data: { delivery: "none" } });
  await r.server(textResult(1, "a"));
  await r.client(call(3));
  assert.equal(r.toServer().length, 3);
  await finish(r);
});

test("a request that the server's transport refuses is answered, and its id is free again", async () => {
  for (const code of ["limit_exceeded", "not_json"] as const) {
    const r = rig();
    r.up.onSend = async () => Promise.reject(new LocalError(code, "it does not fit"));
    await r.client(call(1));
    assert.deepEqual(error(r.toClient()[0]), { code: -32603, message: "The request could not be passed on: it does not fit", data: { delivery: "none" } });
    r.up.onSend = undefined;
    await r.client(call(1), notice("notifications/initialized"));
    await r.server(textResult(1, "fits"));
    assert.deepEqual(r.toClient()[1], textResult(1, "fits"));
    await finish(r);
  }
});

test("an answer that the client's transport refuses becomes an error that fits; a server's request is answered to the server", async () => {
  const r = rig();
  r.down.onSend = async (message) => {
    if (JSON.stringify(message).length > 200) throw new LocalError("limit_exceeded", "the message has 300 bytes");
  };
  await r.client(call(1));
  await r.server(textResult(1, "x".repeat(300)), { jsonrpc: "2.0", id: 5, method: "sampling/createMessage", params: { text: "x".repeat(300) } });
  assert.deepEqual(error(r.toClient()[0]), { code: -32603, message: "The answer could not be passed on: the message has 300 bytes" });
  assert.equal(r.toClient().length, 1);
  assert.deepEqual(error(r.toServer()[1]).data, { delivery: "none" });
  await finish(r);
});

test("sends to a side that is gone are answered by that side's end, once", async () => {
  const r = rig();
  r.up.onSend = async () => Promise.reject(new LocalError("closed", "EPIPE"));
  await r.client(call(1), notice("notifications/initialized"));
  assert.deepEqual(r.toClient(), []);
  r.up.end(new LocalError("closed", "dead", { details: { code: 1, signal: null } }));
  await r.relay.ended;
  assert.equal(r.toClient().length, 1);
  assert.equal(error(r.toClient()[0]).message, "The server exited with code 1 before the answer came");
  await finish(r);
});

test("the owner's close answers what waits, closes both sides, and may come twice", async () => {
  const r = rig();
  await r.client(call(1));
  await Promise.all([r.relay.close(), r.relay.close()]);
  assert.deepEqual(await r.relay.ended, { by: "owner" });
  assert.deepEqual(error(r.toClient()[0]), { code: -32603, message: "The relay was closed before the answer came", data: { delivery: "unknown" } });
  assert.equal(r.toClient().length, 1);
  await finish(r);
});

test("a client that takes nothing delays the end by drainMs at most", async () => {
  const r = rig({ drainMs: 5000 });
  r.down.onSend = () => new Promise(() => {});
  await r.client(call(1));
  await r.server(textResult(1, "stuck"));
  r.up.end();
  await r.host.advance(5000);
  assert.deepEqual(await r.relay.ended, { by: "server" });
  await finish(r);
});

test("frames on their way are bounded by count: past it the relay stops pulling, and goes on when there is room", async () => {
  const r = rig({ limits: { maxQueuedFrames: 3 } });
  const accept: (() => void)[] = [];
  r.up.onSend = () => new Promise((resolve) => accept.push(resolve));
  for (let id = 1; id <= 5; id++) r.down.deliver(call(id));
  await settle();
  assert.equal(accept.length, 3);
  accept.shift()?.();
  await settle();
  assert.equal(accept.length, 3);
  for (let turn = 0; turn < 5; turn++) {
    accept.shift()?.();
    await settle();
  }
  assert.deepEqual(r.toServer().map((message) => "id" in message && message.id), [1, 2, 3, 4, 5]);
  await finish(r);
});

test("answers of the relay's own that nobody takes are bounded too: it stops pulling from whoever provokes them", async () => {
  const r = rig({ limits: { maxQueuedFrames: 3 } });
  let offered = 0;
  r.down.onSend = () => (offered++, new Promise(() => {}));
  for (let turn = 0; turn < 20; turn++) r.down.deliver(call(1));
  await settle();
  assert.deepEqual([offered, r.toServer().length], [3, 1]);
  r.up.end();
  await r.host.advance(5000);
  await r.relay.ended;
  assert.equal(r.host.liveTimers, 0);
});

test("frames on their way are bounded by bytes", async () => {
  const r = rig({ limits: { maxQueuedBytes: 100 } });
  let accepted = 0;
  r.up.onSend = () => (accepted++, new Promise(() => {}));
  for (let id = 1; id <= 3; id++) r.down.deliver(call(id), { frame: { message: call(id), text: "x".repeat(60) } });
  await settle();
  // One may pass the bound, the next waits.
  assert.equal(accepted, 2);
  r.up.onSend = undefined;
  r.up.end();
  await r.host.advance(5000);
  await r.relay.ended;
  assert.equal(r.host.liveTimers, 0);
});

test("a cancellation gets past a request that a guard holds, which then never reaches the server", async () => {
  const host = fakeHost();
  const down = scriptedTransport();
  const up = scriptedTransport();
  const chain = createChain({ host });
  chain.add(validator({ name: "slow", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => new Promise<boolean>(() => {})));
  const running = relay(down, guardTransport(up, { role: "client", host, chain: { current: () => chain } }), { host });
  down.deliver(call(101));
  await settle();
  down.deliver(cancel(101));
  down.deliver(notice("notifications/roots/list_changed"));
  await settle();
  assert.deepEqual(up.sent.map(({ message }) => message), [notice("notifications/roots/list_changed")]);
  await running.close();
  assert.deepEqual(down.sent, []);
  assert.equal(host.liveTimers, 0);
});

test("an answer that a guard on the client's side still judges when the server or the client ends is not lost", async () => {
  for (const ending of ["server", "client"] as const) {
    const host = fakeHost();
    const down = scriptedTransport();
    const up = scriptedTransport();
    const chain = createChain({ host });
    const verdicts: ((valid: boolean) => void)[] = [];
    chain.add(validator({ name: "slow", hooks: [{ events: ["tools/call"], phase: "response" }] }, () => new Promise<boolean>((resolve) => verdicts.push(resolve))));
    const running = relay(guardTransport(down, { role: "server", host, chain: { current: () => chain } }), up, { host });
    down.deliver(call(1));
    await settle();
    up.deliver(textResult(1, "judged"));
    await settle();
    (ending === "server" ? up : down).end();
    await settle();
    assert.equal(verdicts.length, 1);
    verdicts[0]?.(true);
    assert.deepEqual(await running.ended, { by: ending });
    assert.deepEqual(down.sent.map(({ message }) => message), [textResult(1, "judged")]);
    assert.equal(host.liveTimers, 0);
  }
});

test("an answer that a guard on the client's side could not send is one error for the client", async () => {
  for (const phase of ["request", "response"] as const) {
    const host = fakeHost();
    const down = scriptedTransport();
    const up = scriptedTransport();
    const chain = createChain({ host });
    chain.add(validator({ name: "v", hooks: [{ events: ["tools/call"], phase }] }, () => true));
    down.onSend = async (message) => {
      if (JSON.stringify(message).length > 250) throw new LocalError("limit_exceeded", "the message has 300 bytes");
    };
    const running = relay(guardTransport(down, { role: "server", host, chain: { current: () => chain } }), up, { host });
    down.deliver(call(1));
    await settle();
    up.deliver(textResult(1, "x".repeat(300)));
    await settle();
    assert.deepEqual(down.sent.map(({ message }) => error(message)), [{ code: -32603, message: "The answer could not be sent", data: { reason: "limit_exceeded" } }], phase);
    await running.close();
    assert.equal(host.liveTimers, 0);
  }
});

test("with a guard on either side a request gets one answer, whoever gives it", async () => {
  for (const side of ["client", "server"] as const) {
    const host = fakeHost();
    const down = scriptedTransport();
    const up = scriptedTransport();
    const chain = createChain({ host });
    chain.add(
      validator({ name: "names", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => (payload.name === "rm" ? deny("no") : allow())),
    );
    const guard = { role: side, host, chain: { current: () => chain } };
    const running = relay(side === "server" ? guardTransport(down, guard) : down, side === "client" ? guardTransport(up, guard) : up, { host, requestTimeoutMs: 1000 });
    for (const message of [call(1, "rm"), call(2, "echo"), call(2, "echo"), call(3, "echo")]) down.deliver(message);
    await settle();
    up.deliver(textResult(2, "done"));
    await host.advance(1000);
    up.deliver(textResult(3, "late"));
    await settle();
    const answers = down.sent.map(({ message }) => ("id" in message ? [message.id, "error" in message ? message.error.code : "result"] : []));
    assert.deepEqual(answers.sort(), [[1, -32602], [2, -32600], [2, "result"], [3, -32603]], side);
    assert.deepEqual(up.sent.map(({ message }) => ("id" in message ? message.id : message)), [2, 3, cancel(3, "timeout")]);
    await running.close();
    assert.equal(host.liveTimers, 0);
  }
});
