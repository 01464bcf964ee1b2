import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import { carryOf } from "../../../src/core/transport/sdk-through.ts";
import { fromSdkTransport, toSdkTransport, type SdkSendOptions, type SdkTransport } from "../../../src/core/transport/sdk-adapters.ts";
import type { Arrival, Route, Transport } from "../../../src/core/transport/transport.ts";
import { settle } from "../../support/fake-host.ts";
import { transportContract } from "../../support/transport-contract.ts";

transportContract({
  name: "an SDK transport made of ours and taken back",
  backPressure: true,
  async open() {
    const [inner, far] = memoryPair({ limits: { maxQueuedFrames: 8 } });
    return { near: fromSdkTransport(toSdkTransport(inner)), far };
  },
});

const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" }) as const;

/** A wrapped transport that a test drives from below. */
function scriptedSdk(overrides: Partial<SdkTransport> = {}) {
  const sent: { message: unknown; options: SdkSendOptions | undefined }[] = [];
  const calls: string[] = [];
  const sdk: SdkTransport = {
    async start() {
      calls.push("start");
    },
    async send(message, options) {
      sent.push({ message, options });
    },
    async close() {
      calls.push("close");
      sdk.onclose?.();
    },
    ...overrides,
  };
  return { sdk, sent, calls };
}

/** One of ours that keeps what it is told, and delivers what it is given. */
function scriptedOurs(arrivals: Arrival[]): Transport & { sent: { message: unknown; route: Route | undefined }[] } {
  const sent: { message: unknown; route: Route | undefined }[] = [];
  return {
    sent,
    async send(frame, route) {
      sent.push({ message: frame.message, route });
    },
    async receive() {
      return arrivals.shift();
    },
    async close() {},
  };
}

test("a wrapped transport is started once, by the first use, with its slots filled before", async () => {
  const { sdk, calls } = scriptedSdk({
    async start() {
      calls.push(sdk.onmessage === undefined ? "start without onmessage" : "start");
    },
  });
  const transport = fromSdkTransport(sdk);
  await settle();
  assert.deepEqual(calls, []);
  void transport.receive();
  await transport.send({ message: ping(1) });
  assert.deepEqual(calls, ["start"]);
  await transport.close();
});

test("what was in the slots of a wrapped transport is still called", async () => {
  const log: string[] = [];
  const { sdk } = scriptedSdk({ onmessage: () => log.push("message"), onerror: () => log.push("error"), onclose: () => log.push("close") });
  const transport = fromSdkTransport(sdk);
  sdk.onmessage?.(ping(1));
  sdk.onerror?.(new TypeError("odd"));
  sdk.onclose?.();
  assert.deepEqual(log, ["message", "error", "close"]);
  assert.deepEqual((await transport.receive())?.frame.message, ping(1));
  assert.equal(await transport.receive(), undefined);
});

test("related and carried send options cross both adapters as they are", async () => {
  const options = { relatedRequestId: 7, resumptionToken: "t", onresumptiontoken: () => {}, later: { added: true } };
  const { sdk, sent } = scriptedSdk();
  await toSdkTransport(fromSdkTransport(sdk)).send(ping(1), options);
  await toSdkTransport(fromSdkTransport(sdk)).send(ping(2));
  assert.deepEqual(sent, [{ message: ping(1), options }, { message: ping(2), options: {} }] as never);
});

test("related is a route of its own on our side", async () => {
  const ours = scriptedOurs([]);
  await toSdkTransport(ours).send(ping(1), { relatedRequestId: "a" });
  const route = ours.sent[0]?.route;
  assert.equal(route?.related, "a");
  const { sdk, sent } = scriptedSdk();
  await fromSdkTransport(sdk).send({ message: ping(1) }, { related: "a" });
  assert.deepEqual(sent, [{ message: ping(1), options: { relatedRequestId: "a" } }]);
});

test("what a message came with is told as far as we have a place for it, and given back as it is", async () => {
  const { sdk } = scriptedSdk();
  const inner = fromSdkTransport(sdk);
  const extra = {
    authInfo: { token: "s3cret", clientId: "app", scopes: ["read"], extra: { sub: "ann" } },
    requestInfo: { headers: { "Mcp-Session-Id": "s1", Accept: ["a", "b"] } },
    closeSSEStream: () => {},
  };
  sdk.onmessage?.(ping(1), extra);
  const arrival = await inner.receive();
  assert.deepEqual(arrival?.from.principal, { type: "user", id: "ann", claims: { scopes: ["read"] } });
  assert.deepEqual([...(arrival?.from.headers ?? [])], [["mcp-session-id", "s1"], ["accept", "a, b"]]);
  assert.equal(arrival?.from.transport, "http");
  assert.equal(JSON.stringify(arrival).includes("s3cret"), false);

  const outer = toSdkTransport(scriptedOurs([arrival!]));
  const given = new Promise((resolve) => (outer.onmessage = (_message, back) => resolve(back)));
  await outer.start();
  assert.equal(await given, extra);
});

test("headers may be a WHATWG Headers object, and a client without a subject is a service", async () => {
  const { sdk } = scriptedSdk();
  const inner = fromSdkTransport(sdk);
  sdk.onmessage?.(ping(1), { authInfo: { clientId: "app" }, requestInfo: { headers: new Headers({ "X-One": "1" }) } });
  const arrival = await inner.receive();
  assert.deepEqual([...(arrival?.from.headers ?? [])], [["x-one", "1"]]);
  assert.deepEqual(arrival?.from.principal, { type: "service", id: "app" });
});

test("a pushed message is a copy of its own, and one that is no JSON is reported and dropped", async () => {
  const { sdk } = scriptedSdk();
  const errors: string[] = [];
  const transport = fromSdkTransport(sdk, { onError: (error) => errors.push(error.message) });
  const message = { ...ping(1), params: { a: 1 } };
  sdk.onmessage?.(message);
  message.params.a = 2;
  sdk.onmessage?.("text");
  sdk.onmessage?.({ ...ping(2), params: { a: Number.NaN } });
  sdk.onmessage?.(ping(3));
  assert.deepEqual((await transport.receive())?.frame.message, { ...ping(1), params: { a: 1 } });
  assert.deepEqual((await transport.receive())?.frame.message, ping(3));
  assert.equal(errors.length, 2);
});

test("a wrapped transport that pushes past the bound is closed, after what is within it was pulled", async () => {
  const { sdk, calls } = scriptedSdk();
  const transport = fromSdkTransport(sdk, { limits: { maxQueuedFrames: 2 } });
  for (let id = 1; id <= 3; id++) sdk.onmessage?.(ping(id));
  assert.deepEqual((await transport.receive())?.frame.message, ping(1));
  assert.deepEqual((await transport.receive())?.frame.message, ping(2));
  await assert.rejects(transport.receive(), { code: "limit_exceeded" });
  assert.deepEqual(calls, ["close"]);
});

test("a wrapped transport that does not start rejects every use with closed", async () => {
  const { sdk } = scriptedSdk({ start: () => Promise.reject(new TypeError("no such host")) });
  const transport = fromSdkTransport(sdk);
  await assert.rejects(transport.send({ message: ping(1) }), { code: "closed", message: /no such host/ });
  await assert.rejects(transport.receive(), { code: "closed", message: /no such host/ });
  await transport.close();
});

test("a failed send of the wrapped transport rejects with closed and its cause, and the connection stays", async () => {
  const cause = new TypeError("503");
  let failing = true;
  const { sdk } = scriptedSdk({ send: () => (failing ? Promise.reject(cause) : Promise.resolve()) });
  const transport = fromSdkTransport(sdk);
  await assert.rejects(transport.send({ message: ping(1) }), { code: "closed", cause });
  failing = false;
  await transport.send({ message: ping(2) });
});

test("close survives a wrapped transport that fails to close", async () => {
  const { sdk } = scriptedSdk({ close: () => Promise.reject(new TypeError("stuck")) });
  const errors: string[] = [];
  const transport = fromSdkTransport(sdk, { onError: (error) => errors.push(error.message) });
  const pending = transport.receive();
  await transport.close();
  assert.equal(await pending, undefined);
  assert.match(errors.join(), /stuck/);
});

test("the version that initialize agreed on is told to the wrapped transport, and no other result is", async () => {
  const versions: string[] = [];
  const { sdk } = scriptedSdk({ setProtocolVersion: (version) => versions.push(version) });
  const transport = fromSdkTransport(sdk);
  await transport.send({ message: { jsonrpc: "2.0", id: 0, method: "initialize", params: {} } });
  sdk.onmessage?.({ jsonrpc: "2.0", id: 1, result: { protocolVersion: "other" } });
  sdk.onmessage?.({ jsonrpc: "2.0", id: 0, result: { protocolVersion: "2025-06-18" } });
  sdk.onmessage?.({ jsonrpc: "2.0", id: 0, result: { protocolVersion: "again" } });
  assert.deepEqual(versions, ["2025-06-18"]);
});

test("our transport in the SDK's shape pushes in order, reports a throwing onmessage, and closes once", async () => {
  const from = { transport: "memory", connection: "m" } as const;
  const sdk = toSdkTransport(scriptedOurs([1, 2, 3].map((id) => ({ frame: { message: ping(id) }, from }))));
  const log: unknown[] = [];
  sdk.onmessage = (message) => {
    log.push((message as { id: number }).id);
    if (log.length === 2) throw new TypeError("handler");
  };
  sdk.onerror = (error) => log.push(error.message);
  sdk.onclose = () => log.push("closed");
  await sdk.start();
  await assert.rejects(sdk.start(), { code: "conflict" });
  await settle();
  await sdk.close();
  assert.deepEqual(log, [1, 2, "handler", 3, "closed"]);
});

test("a broken connection is an error, then a close, in the SDK's shape", async () => {
  const ours: Transport = { send: async () => {}, receive: () => Promise.reject(new TypeError("broken")), close: async () => {} };
  const sdk = toSdkTransport(ours);
  const log: string[] = [];
  sdk.onerror = (error) => log.push(error.message);
  sdk.onclose = () => log.push("closed");
  await sdk.start();
  await settle();
  assert.deepEqual(log, ["broken", "closed"]);
});

test("slots that throw stop neither the teardown nor the close", async () => {
  const throwing = () => {
    throw new TypeError("slot");
  };
  const { sdk } = scriptedSdk({ onclose: throwing });
  const transport = fromSdkTransport(sdk, { onError: throwing });
  const pending = transport.receive();
  await transport.close();
  assert.equal(await pending, undefined);
  const outer = toSdkTransport({ send: async () => {}, receive: () => Promise.reject(new TypeError("broken")), close: async () => {} });
  outer.onclose = throwing;
  outer.onerror = throwing;
  await outer.start();
  await settle();
  await outer.close();
});

test("the transport it is built around shows its session through", async () => {
  const versions: string[] = [];
  const { sdk } = scriptedSdk({ setProtocolVersion: (version) => versions.push(version) });
  const outer = toSdkTransport(scriptedOurs([]), { around: sdk });
  assert.equal(outer.sessionId, undefined);
  sdk.sessionId = "s1";
  assert.equal(outer.sessionId, "s1");
  outer.setProtocolVersion?.("2025-06-18");
  assert.deepEqual(versions, ["2025-06-18"]);
});

test("a broken request that is pushed is answered with its one error, a broken response arrives as an error, the rest is dropped and reported", async () => {
  const { sdk, sent } = scriptedSdk();
  const errors: string[] = [];
  const transport = fromSdkTransport(sdk, { onError: ({ message }) => errors.push(message), limits: { maxMessageBytes: 1000 } });
  let pending = transport.receive();
  const requests = [
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: null },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params: ["x"] },
    { jsonrpc: "2.0", id: 3, method: 5 },
    { jsonrpc: "2.0", id: 4, method: "m", result: {} },
    { jsonrpc: "2.0", id: 5, method: "m", params: { f() {} } },
    { jsonrpc: "2.0", id: 6, method: "m", params: { text: "x".repeat(1000) } },
    { jsonrpc: "2.0", id: 7 },
  ];
  const responses = [
    { jsonrpc: "2.0", id: 11, result: {}, error: { code: 1, message: "both" } },
    { jsonrpc: "2.0", id: 12, result: "text" },
    { jsonrpc: "2.0", id: 13, error: { code: "x" } },
    { jsonrpc: "2.0", id: 14, result: { at: new Date(0) } },
  ];
  const hopeless = [null, 5, "x", [], {}, { jsonrpc: "2.0", id: 1.5, method: "ping" }, { jsonrpc: "2.0", id: null, result: 1 }];
  for (const pushed of [...requests, ...hopeless, ...responses, ping(99)]) sdk.onmessage?.(pushed);
  await settle();
  assert.deepEqual(
    sent.map(({ message }) => [(message as { id: number }).id, (message as { error: { code: number } }).error.code]),
    [1, 2, 3, 4, 5, 6, 7].map((id) => [id, -32600]),
  );
  // What has nothing but an id, or a result beside its method, may have been meant for an answer.
  for (const id of [4, 7, 11, 12, 13, 14]) {
    const arrival = await pending;
    const { error, ...rest } = arrival?.frame.message as { id: number; error: { code: number; data: unknown } };
    assert.deepEqual([rest, error.code, error.data, arrival?.synthetic], [{ jsonrpc: "2.0", id }, -32600, { delivery: "unknown" }, true]);
    pending = transport.receive();
  }
  assert.deepEqual((await pending)?.frame.message, ping(99));
  assert.equal(errors.length, requests.length + hopeless.length + responses.length);
  await transport.close();
});

test("an answer to a broken request that cannot be sent is reported, and the connection stays", async () => {
  const { sdk } = scriptedSdk({
    send: () => {
      throw new TypeError("no way out");
    },
  });
  const errors: string[] = [];
  const transport = fromSdkTransport(sdk, { onError: ({ message }) => errors.push(message) });
  const pending = transport.receive();
  sdk.onmessage?.({ jsonrpc: "2.0", id: 1, method: "m", params: 5 });
  sdk.onmessage?.(ping(2));
  assert.deepEqual((await pending)?.frame.message, ping(2));
  await settle();
  assert.match(errors[1] ?? "", /failed to send: .*no way out/);
  await transport.close();
});

test("a cancelled stateless request ends its own stream where the wrapped transport has one for each, and nowhere else", async () => {
  const request = (id: number, version: string) =>
    ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "t", _meta: { "io.modelcontextprotocol/protocolVersion": version } } }) as const;
  const cancelled = (requestId: number) => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }) as const;
  const open = async (overrides: Partial<SdkTransport>) => {
    const { sdk, sent } = scriptedSdk(overrides);
    const transport = fromSdkTransport(sdk);
    for (const message of [request(1, "2026-07-28"), request(2, "2026-07-28"), ping(3)]) await transport.send({ message });
    sdk.onmessage?.({ jsonrpc: "2.0", id: 2, result: {} });
    for (const id of [1, 2, 3]) await transport.send({ message: cancelled(id) });
    const cancellations = sent.flatMap(({ message }) => ("params" in (message as object) && "requestId" in (message as ReturnType<typeof cancelled>).params ? [(message as ReturnType<typeof cancelled>).params.requestId] : []));
    return { aborted: sent.slice(0, 3).map(({ options }) => options?.requestSignal?.aborted), cancellations };
  };
  assert.deepEqual(await open({ hasPerRequestStream: true }), { aborted: [true, false, undefined], cancellations: [2, 3] });
  assert.deepEqual(await open({}), { aborted: [undefined, undefined, undefined], cancellations: [1, 2, 3] });
});

test("a signal that a message came with is left to it", async () => {
  const { sdk, sent } = scriptedSdk({ hasPerRequestStream: true });
  const transport = fromSdkTransport(sdk);
  const requestSignal = new AbortController().signal;
  const params = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };
  const message = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params } as const;
  await transport.send({ message }, { carry: carryOf({ requestSignal }, message) });
  assert.equal(sent[0]?.options?.requestSignal, requestSignal);
});
