import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LocalError, RpcError } from "../../../src/core/base/errors.ts";
import type { IncomingRequest } from "../../../src/core/jsonrpc/incoming.ts";
import { createPeer, type PeerOptions } from "../../../src/core/jsonrpc/peer.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { scriptedTransport } from "../../support/scripted-transport.ts";

function setUp(handler: PeerOptions["handler"], options: Partial<PeerOptions> = {}) {
  const host = fakeHost();
  const transport = scriptedTransport();
  const log: string[] = [];
  const peer = createPeer(transport, { host, handler, log: ({ level, message }) => log.push(`${level}: ${message}`), ...options });
  return {
    host,
    transport,
    peer,
    log,
    ask: (id: unknown, method = "m", params?: object) => transport.deliver({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) }),
    cancel: (requestId: unknown, reason?: string) => transport.deliver({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, reason } }),
    sent: async () => {
      await settle();
      return transport.sent.map(({ message }) => message);
    },
  };
}

/** Handlers that end when the test says so, by request id. */
function heldHandlers() {
  const held = new Map<unknown, { request: IncomingRequest; resolve(result: unknown): void; reject(error: unknown): void }>();
  return {
    held,
    handler: (request: IncomingRequest) => new Promise((resolve, reject) => held.set(request.id, { request, resolve, reject })),
    get: (id: unknown) => held.get(id) ?? assert.fail(`no handler runs for ${String(id)}`),
  };
}

describe("a request of the peer's gets one answer", () => {
  const error = (code: number, message: string, data?: unknown) => ({ error: { code, message, ...(data === undefined ? {} : { data }) } });
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const spring = (): never => assert.fail("trap");
  const trap: object = new Proxy({}, { get: spring, has: spring, ownKeys: spring, getPrototypeOf: spring });
  const settlesTwice = (resolve: (value: object) => void, reject: (error: unknown) => void) => {
    resolve({ a: 1 });
    resolve({ a: 2 });
    reject(1);
  };

  const rows: [string, PeerOptions["handler"], object][] = [
    ["the result", () => ({ a: 1 }), { result: { a: 1 } }],
    ["the result of a promise", async () => ({ a: 1 }), { result: { a: 1 } }],
    ["{} for nothing", () => undefined, { result: {} }],
    ["a thrown RpcError, with its data", () => Promise.reject(new RpcError(-32602, "bad", { at: "/x" })), error(-32602, "bad", { at: "/x" })],
    ["a thrown RpcError of a sync handler", () => { throw new RpcError(7, "seven"); }, error(7, "seven")],
    ["a generic error for any other throw", () => { throw new Error("secret"); }, error(-32603, "Internal error")],
    ["a generic error for a LocalError", () => { throw new LocalError("not_found", "secret"); }, error(-32603, "Internal error")],
    ["a generic error for a throw of nothing", () => Promise.reject(undefined), error(-32603, "Internal error")],
    ["a generic error for a proxy that throws on every trap", () => { throw trap; }, error(-32603, "Internal error")],
    ["the same of a promise", () => Promise.reject(trap), error(-32603, "Internal error")],
    ["a generic error for an RpcError whose members throw", () => { throw Object.defineProperty(new RpcError(1, "x"), "toJson", { get: spring }); }, error(-32603, "Internal error")],
    ["a generic error for an RpcError whose code is no integer", () => { throw new RpcError(0.5, "half"); }, error(-32603, "Internal error")],
    ...[null, 1, "text", true, [1]].map((value): [string, () => unknown, object] => [
      `a generic error for the result ${JSON.stringify(value)}`, () => value, error(-32603, "Internal error"),
    ]),
    ["a generic error for a result that JSON cannot carry", () => circular, error(-32603, "Internal error")],
    ["a generic error for a `then` that throws", () => ({ get then() { throw new Error("trap"); } }), error(-32603, "Internal error")],
    ["the first outcome of a thenable that settles twice", () => ({ then: settlesTwice }), { result: { a: 1 } }],
  ];
  for (const [name, handler, expected] of rows) {
    test(name, async () => {
      const { peer, ask, sent } = setUp(handler);
      ask(1);
      assert.deepEqual(await sent(), [{ jsonrpc: "2.0", id: 1, ...expected }]);
      assert.deepEqual([peer.stats().incoming, peer.stats().running, peer.stats().answering], [0, 0, 0]);
    });
  }

  test("with the exception's text only where its owner wants that", async () => {
    const { ask, sent } = setUp(() => { throw new Error("why"); }, { exposeErrors: true });
    ask(1);
    assert.deepEqual(await sent(), [{ jsonrpc: "2.0", id: 1, ...error(-32603, "Internal error: why") }]);
  });

  test("under its own id, 0 and text included", async () => {
    const { ask, sent } = setUp(({ id }) => ({ id }));
    for (const id of [0, "", "1", 1]) ask(id);
    assert.deepEqual(await sent(), [0, "", "1", 1].map((id) => ({ jsonrpc: "2.0", id, result: { id } })));
  });

  test("an error in place of a result that the transport refuses", async () => {
    const { transport, ask, sent, peer } = setUp(() => ({ big: true }));
    transport.onSend = (message) => ("result" in message ? Promise.reject(new LocalError("limit_exceeded", "too big")) : Promise.resolve());
    ask(1);
    assert.deepEqual(await sent(), [{ jsonrpc: "2.0", id: 1, ...error(-32603, "Internal error") }]);
    assert.equal(peer.stats().answering, 0);
  });

  test("and the handler of another request never waits for it", async () => {
    const { handler, get } = heldHandlers();
    const { ask, sent } = setUp(handler);
    ask(1);
    ask(2);
    await settle();
    get(2).resolve({});
    assert.deepEqual(await sent(), [{ jsonrpc: "2.0", id: 2, result: {} }]);
  });
});

describe("request ids", () => {
  test("in use are refused, and the first request stays as it was (case 12)", async () => {
    const { handler, get, held } = heldHandlers();
    const { peer, ask, sent } = setUp(handler);
    ask(1, "slow");
    ask(1, "fast");
    ask("1", "other");
    assert.deepEqual(await sent(), [{ jsonrpc: "2.0", id: 1, error: { code: -32600, message: "the request id 1 is in use" } }]);
    assert.equal(held.size, 2);
    assert.equal(get(1).request.method, "slow");
    assert.equal(get(1).request.signal.aborted, false);
    get(1).resolve({ slow: true });
    get("1").resolve({ other: true });
    assert.deepEqual((await sent()).slice(1), [{ jsonrpc: "2.0", id: 1, result: { slow: true } }, { jsonrpc: "2.0", id: "1", result: { other: true } }]);
    assert.equal(peer.stats().refused, 1);
  });

  test("are free again once answered, or cancelled", async () => {
    const { handler, get } = heldHandlers();
    const { ask, cancel, sent } = setUp(handler);
    ask(1);
    await settle();
    const first = get(1);
    cancel(1);
    ask(1);
    await settle();
    first.resolve({ late: true });
    get(1).resolve({ second: true });
    await settle();
    ask(1);
    await settle();
    get(1).resolve({ third: true });
    assert.deepEqual(await sent(), [{ jsonrpc: "2.0", id: 1, result: { second: true } }, { jsonrpc: "2.0", id: 1, result: { third: true } }]);
  });
});

describe("a cancelled request", () => {
  for (const [name, outcome] of [
    ["a result", (held: { resolve(v: unknown): void }) => held.resolve({})],
    ["an error", (held: { reject(e: unknown): void }) => held.reject(new RpcError(0, "cancelled"))],
  ] as const) {
    test(`gets no answer though its handler ends with ${name} (case 40)`, async () => {
      const handlers = heldHandlers();
      const { peer, ask, cancel, sent, log } = setUp(handlers.handler);
      ask(99);
      await settle();
      const { request } = handlers.get(99);
      const reasons: unknown[] = [];
      request.signal.onAbort((reason) => reasons.push(reason));
      cancel(99, "enough");
      await settle();
      assert.equal(peer.stats().incoming, 0);
      assert.equal(peer.stats().running, 1);
      assert.ok(reasons[0] instanceof LocalError && reasons[0].code === "aborted" && reasons[0].cause === "enough");
      await request.reportProgress(1);
      outcome(handlers.get(99) as never);
      assert.deepEqual(await sent(), []);
      assert.equal(peer.stats().running, 0);
      assert.deepEqual(log, []);
    });
  }

  test("is found by value and type; other cancellations are ignored", async () => {
    const handlers = heldHandlers();
    const { transport, ask, cancel, sent } = setUp(handlers.handler);
    ask(1);
    for (const id of ["1", 2, null, undefined, {}, true]) cancel(id);
    transport.deliver({ jsonrpc: "2.0", method: "notifications/cancelled" });
    await settle();
    assert.equal(handlers.get(1).request.signal.aborted, false);
    handlers.get(1).resolve({});
    assert.equal((await sent()).length, 1);
  });

  test("aborts a signal that is first read afterwards", async () => {
    const handlers = heldHandlers();
    const { ask, cancel } = setUp(handlers.handler);
    ask(1);
    cancel(1);
    await settle();
    assert.equal(handlers.get(1).request.signal.aborted, true);
  });

  test("goes on if it is initialize, which nobody may cancel", async () => {
    const handlers = heldHandlers();
    const { ask, cancel, sent } = setUp(handlers.handler);
    ask(1, "initialize");
    cancel(1);
    await settle();
    handlers.get(1).resolve({});
    assert.equal((await sent()).length, 1);
  });

  test("survives a listener that throws", async () => {
    const handlers = heldHandlers();
    const { ask, cancel, sent } = setUp(handlers.handler);
    ask(1);
    await settle();
    handlers.get(1).request.signal.onAbort(() => { throw new Error("listener"); });
    cancel(1);
    ask(2);
    await settle();
    handlers.get(2).resolve({});
    assert.equal((await sent()).length, 1);
  });
});

describe("the bound on requests in flight", () => {
  test("is kept: what comes above it is answered at once, and the pump pulls on", async () => {
    const handlers = heldHandlers();
    const { ask, cancel, sent, peer } = setUp(handlers.handler, { limits: { maxIncomingRequests: 2 } });
    for (const id of [1, 2, 3]) ask(id);
    assert.deepEqual(await sent(), [{ jsonrpc: "2.0", id: 3, error: { code: -32603, message: "too many requests in flight" } }]);
    // A cancelled handler that goes on still costs what it costs.
    cancel(1);
    ask(4);
    assert.equal((await sent()).length, 2);
    handlers.get(1).resolve({});
    await settle();
    ask(5);
    await settle();
    assert.equal(handlers.get(5).request.id, 5);
    assert.equal(peer.stats().refused, 2);
  });

  test("counts answers that the peer does not take; a peer that asks on and on is cut off", async () => {
    const { transport, peer, ask } = setUp(() => ({}), { limits: { maxIncomingRequests: 2 } });
    transport.onSend = () => new Promise(() => {});
    for (let id = 1; id <= 4; id++) ask(id);
    await settle();
    assert.deepEqual([peer.stats().answering, peer.stats().refused], [4, 2]);
    ask(5);
    assert.equal((await peer.closed)?.code, "limit_exceeded");
  });

  test("holds for notification handlers too: what comes above it is dropped", async () => {
    const release: (() => void)[] = [];
    const { transport, peer, log } = setUp(() => ({}), {
      limits: { maxIncomingRequests: 2 },
      onNotification: () => new Promise<void>((resolve) => release.push(resolve)),
    });
    for (let turn = 0; turn < 3; turn++) transport.deliver({ jsonrpc: "2.0", method: "n" });
    await settle();
    assert.equal(peer.stats().notifying, 2);
    assert.deepEqual(log, ["warning: too many notifications at once; one was dropped"]);
    for (const done of release) done();
    await settle();
    assert.equal(peer.stats().notifying, 0);
  });
});

describe("an incoming request", () => {
  test("that is to be dropped reaches nobody, holds no id, and gets no answer", async () => {
    const seen: string[] = [];
    const { transport, peer, ask, sent } = setUp(({ method }) => void seen.push(method), { drops: (method) => method === "no" });
    for (const method of ["no", "yes", "no"]) ask(1, method);
    assert.deepEqual(await sent(), [{ jsonrpc: "2.0", id: 1, result: {} }]);
    assert.deepEqual([seen, peer.stats().refused, transport.sent.length], [["yes"], 0, 1]);
  });

  test("shows id, method, params and sender, and survives being spread", async () => {
    const seen: unknown[] = [];
    const { transport, ask, sent } = setUp((request) => {
      const { id, method, params, from, related, signal } = { ...request };
      seen.push(id, method, params, from.connection, related, signal.aborted);
    });
    ask("a", "x/y", { n: 1 });
    transport.deliver({ jsonrpc: "2.0", id: 2, method: "z" }, { related: 5 });
    await sent();
    assert.deepEqual(seen, ["a", "x/y", { n: 1 }, "scripted", undefined, false, 2, "z", {}, "scripted", 5, false]);
  });

  test("aborts its signal once the answer is out", async () => {
    let signal: IncomingRequest["signal"] | undefined;
    const { ask, sent } = setUp((request) => void (signal = request.signal));
    ask(1);
    await sent();
    assert.equal(signal?.aborted, true);
  });

  test("sends notifications and requests in its own exchange", async () => {
    const { transport, ask, sent } = setUp(async ({ notify, request }) => {
      await notify("n", { a: 1 });
      return { answer: await request("ask", { b: 2 }) };
    });
    ask("r");
    await settle();
    transport.deliver({ jsonrpc: "2.0", id: 1, result: { yes: true } });
    assert.deepEqual(await sent(), [
      { jsonrpc: "2.0", method: "n", params: { a: 1 } },
      { jsonrpc: "2.0", id: 1, method: "ask", params: { b: 2 } },
      { jsonrpc: "2.0", id: "r", result: { answer: { yes: true } } },
    ]);
    assert.deepEqual(transport.sent.map(({ route }) => route), [{ related: "r" }, { related: "r" }, undefined]);
  });

  test("may notify without looking whether that worked", async () => {
    const handlers = heldHandlers();
    const { transport, ask } = setUp(handlers.handler);
    ask(1);
    await settle();
    transport.onSend = () => Promise.reject(new LocalError("not_json", "no"));
    const refused = handlers.get(1).request.notify("n");
    await settle();
    await assert.rejects(refused, { code: "not_json" });
  });

  test("notifies nobody after it was answered, cancelled or cut off", async () => {
    const handlers = heldHandlers();
    const { peer, ask, cancel, sent } = setUp(handlers.handler);
    for (const id of [1, 2, 3]) ask(id);
    await settle();
    handlers.get(1).resolve({});
    cancel(2);
    await settle();
    for (const id of [1, 2]) assert.equal(await handlers.get(id).request.notify("late", {}), undefined);
    await handlers.get(3).request.notify("in time");
    await peer.close();
    await handlers.get(3).request.notify("late");
    assert.deepEqual(await sent(), [{ jsonrpc: "2.0", id: 1, result: {} }, { jsonrpc: "2.0", method: "in time" }]);
  });

  test("gives up what it asks when it is cancelled", async () => {
    const { peer, ask, cancel, sent } = setUp(({ request }) => request("ask"));
    ask("r");
    await settle();
    cancel("r");
    assert.deepEqual((await sent()).slice(1), [{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "given up by the caller" } }]);
    assert.deepEqual([peer.stats().pending, peer.stats().running], [0, 0]);
  });

  test("reports progress only where it was asked for, while it is in flight, and only growing", async () => {
    const handlers = heldHandlers();
    const { ask, sent } = setUp(handlers.handler);
    ask(1, "m", { _meta: { progressToken: "t" } });
    ask(2);
    ask(3, "m", { _meta: { progressToken: {} } });
    await settle();
    for (const id of [2, 3]) await handlers.get(id).request.reportProgress(1);
    const { request } = handlers.get(1);
    for (const value of [0, 0.5, 0.5, 0.2, NaN, Infinity]) await request.reportProgress(value);
    await request.reportProgress(1, 2, "half");
    handlers.get(1).resolve({});
    await settle();
    await request.reportProgress(2);
    assert.deepEqual(await sent(), [
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "t", progress: 0 } },
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "t", progress: 0.5 } },
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "t", progress: 1, total: 2, message: "half" } },
      { jsonrpc: "2.0", id: 1, result: {} },
    ]);
  });

  test("passes through middleware that may change it, answer it, or see it fail", async () => {
    const { peer, ask, sent } = setUp(({ params }) => ({ got: params }));
    peer.use((next) => async (request) => (request.method === "own" ? { own: true } : next({ ...request, params: { ...request.params, added: 1 } })));
    peer.use((next) => async (request) => {
      await next(request);
      return next(request);
    });
    ask(1, "own");
    ask(2, "other");
    assert.deepEqual(await sent(), [{ jsonrpc: "2.0", id: 1, result: { own: true } }, { jsonrpc: "2.0", id: 2, error: { code: -32603, message: "Internal error" } }]);
  });
});
