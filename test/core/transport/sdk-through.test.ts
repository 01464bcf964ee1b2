import assert from "node:assert/strict";
import { test } from "node:test";
import { guardTransport } from "../../../src/core/guard/guard.ts";
import { createChain } from "../../../src/core/chain/chain.ts";
import { fromSdkTransport, toSdkTransport, type SdkSendOptions, type SdkTransport } from "../../../src/core/transport/sdk-adapters.ts";
import type { Route, Transport } from "../../../src/core/transport/transport.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";

const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "t" } }) as const;

class TheirError extends Error {}

/** As a transport of theirs is: a class with private state, a getter, and methods and members that no interface names. */
class TheirTransport implements SdkTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: unknown, extra?: unknown) => void) | undefined;
  #session: string | undefined = "s1";
  versions: string[] = [];
  readonly sent: { message: unknown; options: SdkSendOptions | undefined }[] = [];
  failing: { start?: Error; send?: Error } = {};
  hasPerRequestStream = true;
  get sessionId(): string | undefined {
    return this.#session;
  }
  async start(): Promise<void> {
    if (this.failing.start !== undefined) throw this.failing.start;
  }
  async send(message: unknown, options?: SdkSendOptions): Promise<void> {
    if (this.failing.send !== undefined) throw this.failing.send;
    this.sent.push({ message, options });
  }
  async close(): Promise<void> {
    this.onclose?.();
  }
  setSupportedProtocolVersions(versions: string[]): void {
    this.versions = versions;
  }
  async terminateSession(): Promise<void> {
    this.#session = undefined;
  }
}

function around(between: (transport: Transport) => Transport = (transport) => transport) {
  const raw = new TheirTransport();
  const outer = toSdkTransport(between(fromSdkTransport(raw)), { around: raw });
  return { raw, outer };
}

test("all but the verbs and slots of a transport shows through, its class and private state included", async () => {
  const { raw, outer } = around();
  assert.ok(outer instanceof TheirTransport);
  assert.equal(outer.constructor, TheirTransport);
  assert.equal(outer.sessionId, "s1");
  await outer.terminateSession();
  assert.deepEqual([raw.sessionId, outer.sessionId], [undefined, undefined]);
  outer.setSupportedProtocolVersions(["2025-06-18"]);
  assert.deepEqual(raw.versions, ["2025-06-18"]);
  outer.versions = [];
  assert.deepEqual(raw.versions, []);
  assert.equal(outer.terminateSession, outer.terminateSession);
  assert.ok("onmessage" in outer && "terminateSession" in outer && !("other" in outer));
});

test("slots are the outer transport's own, and can be set, read and deleted there", () => {
  const { raw, outer } = around();
  const below = raw.onmessage;
  const slot = () => {};
  outer.onmessage = slot;
  assert.equal(outer.onmessage, slot);
  assert.equal(raw.onmessage, below);
  delete outer.onmessage;
  assert.equal(outer.onmessage, undefined);
  assert.equal(raw.onmessage, below);
});

test("a slot of the outer transport may be an accessor, and what is pushed goes through it", async () => {
  const { raw, outer } = around();
  const seen: unknown[] = [];
  let slot: SdkTransport["onmessage"];
  Object.defineProperty(outer, "onmessage", { configurable: true, get: () => (message: unknown) => (seen.push(message), slot?.(message)), set: (listener) => (slot = listener) });
  const got: unknown[] = [];
  outer.onmessage = (message) => void got.push(message);
  assert.equal(typeof Object.getOwnPropertyDescriptor(outer, "onmessage")?.get, "function");
  await outer.start();
  raw.onmessage?.(call(1));
  await settle();
  assert.deepEqual([seen, got], [[call(1)], [call(1)]]);
  await outer.close();
});

test("start and send reject with what the wrapped transport has thrown", async () => {
  const starting = around();
  starting.raw.failing.start = new TheirError("no start");
  await assert.rejects(starting.outer.start(), (error) => error === starting.raw.failing.start);
  const sending = around();
  await sending.outer.start();
  sending.raw.failing.send = new TheirError("no send");
  await assert.rejects(sending.outer.send(call(1)), (error) => error === sending.raw.failing.send);
});

test("what the wrapped transport reports is told above as well", async () => {
  const { raw, outer } = around();
  const heard: Error[] = [];
  outer.onerror = (error) => heard.push(error);
  await outer.start();
  const error = new TheirError("odd");
  raw.onerror?.(error);
  assert.deepEqual(heard, [error]);
  await outer.close();
});

test("aborting a request's own stream is a cancellation to who is in between, and is not sent", async () => {
  const passed: unknown[] = [];
  const { raw, outer } = around((inner) => ({
    ...inner,
    send(frame, route) {
      passed.push("method" in frame.message ? frame.message.method : "answer");
      return inner.send(frame, route);
    },
  }));
  await outer.start();
  const abort = new AbortController();
  await outer.send(call(1), { requestSignal: abort.signal });
  abort.abort();
  await settle();
  assert.deepEqual(passed, ["tools/call", "notifications/cancelled"]);
  assert.deepEqual(raw.sent.map(({ message }) => (message as { method: string }).method), ["tools/call"]);
});

test("an abort after the answer, the end, or a send that failed, is nothing any more", async () => {
  for (const how of ["answer", "close", "failure"] as const) {
    const passed: unknown[] = [];
    const { raw, outer } = around((inner) => ({ ...inner, send: (frame, route) => (passed.push(frame.message), inner.send(frame, route)) }));
    await outer.start();
    const abort = new AbortController();
    if (how === "failure") raw.failing.send = new TheirError("503");
    await outer.send(call(1), { requestSignal: abort.signal }).catch(() => {});
    if (how === "answer") raw.onmessage?.({ jsonrpc: "2.0", id: 1, result: {} });
    if (how === "close") await outer.close();
    await settle();
    delete raw.failing.send;
    abort.abort();
    await settle();
    assert.equal(passed.length, 1, how);
  }
});

test("an answer goes in the lane of what it answers, so it does not overtake what was sent for that", async () => {
  const routes: (Route | undefined)[] = [];
  const { raw, outer } = around((inner) => ({
    ...inner,
    send(frame, route) {
      routes.push(route);
      return inner.send(frame, route);
    },
  }));
  await outer.start();
  await outer.send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } }, { relatedRequestId: 7 });
  await outer.send({ jsonrpc: "2.0", id: 7, result: {} });
  assert.deepEqual(routes.map((route) => route?.related), [7, 7]);
  // Below, the options are those that were given.
  assert.deepEqual(raw.sent.map(({ options }) => options), [{ relatedRequestId: 7 }, {}]);
});

test("a request that the transport below does not take leaves nothing in the guard", async () => {
  const raw = new TheirTransport();
  const host = fakeHost();
  const chain = createChain({ host });
  const guard = guardTransport(fromSdkTransport(raw), { role: "client", host, chain: { current: () => chain } });
  raw.failing.send = new TheirError("503");
  await assert.rejects(guard.send({ message: call(1) }), { code: "closed" });
  assert.equal(guard.inFlight, 0);
  delete raw.failing.send;
  await guard.send({ message: call(1) });
  assert.equal(guard.inFlight, 1);
  await guard.close();
  assert.equal(guard.inFlight, 0);
});
