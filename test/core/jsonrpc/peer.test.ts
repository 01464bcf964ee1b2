import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LocalError } from "../../../src/core/base/errors.ts";
import type { IncomingRequest } from "../../../src/core/jsonrpc/incoming.ts";
import { createPeer, type IncomingNotification, type PeerOptions } from "../../../src/core/jsonrpc/peer.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { linkedTransports, scriptedTransport } from "../../support/scripted-transport.ts";

const QUIET = { pending: 0, incoming: 0, running: 0, notifying: 0, answering: 0, lateResponses: 0, unknownResponses: 0, refused: 0 };

function setUp(options: Partial<PeerOptions> = {}) {
  const host = fakeHost();
  const transport = scriptedTransport();
  const log: string[] = [];
  const peer = createPeer(transport, { host, handler: () => ({}), log: ({ level, message }) => log.push(`${level}: ${message}`), ...options });
  return { host, transport, peer, log };
}

describe("two peers", () => {
  test("ask each other over one connection, with the same ids", async () => {
    const [left, right] = linkedTransports();
    const host = fakeHost();
    const server = createPeer(right, { host, handler: async ({ params, request }) => ({ sum: Number(params.a) + Number((await request("other")).b) }) });
    const client = createPeer(left, { host, handler: () => ({ b: 2 }) });
    assert.deepEqual(await client.request("sum", { a: 1 }), { sum: 3 });
    await client.close();
    assert.equal(await server.closed, undefined);
    assert.deepEqual([client.stats(), server.stats(), host.liveTimers], [QUIET, QUIET, 0]);
  });
});

describe("notifications", () => {
  test("reach onNotification in order, but for cancellation and progress", async () => {
    const seen: IncomingNotification[] = [];
    const { transport } = setUp({ onNotification: (notification) => void seen.push(notification) });
    for (const method of ["a", "notifications/cancelled", "notifications/progress", "notifications/initialized"]) transport.deliver({ jsonrpc: "2.0", method });
    transport.deliver({ jsonrpc: "2.0", method: "b", params: { x: 1 } }, { related: 3 });
    await settle();
    assert.deepEqual(seen.map(({ method, params, related }) => [method, params, related]), [
      ["a", {}, undefined],
      ["notifications/initialized", {}, undefined],
      ["b", { x: 1 }, 3],
    ]);
  });

  test("whose handler fails are logged, and the pump goes on", async () => {
    let turn = 0;
    const { transport, peer, log } = setUp({
      onNotification: () => {
        if (turn++ === 0) throw new Error("sync");
        return Promise.reject(new Error("async"));
      },
    });
    transport.deliver({ jsonrpc: "2.0", method: "a" });
    transport.deliver({ jsonrpc: "2.0", method: "b" });
    transport.deliver({ jsonrpc: "2.0", id: 1, method: "m" });
    await settle();
    assert.deepEqual(log, ["error: the handler of a failed", "error: the handler of b failed"]);
    assert.deepEqual([transport.sent.length, peer.stats().notifying], [1, 0]);
  });

  test("that cannot be sent reject, but never as an unhandled rejection", async () => {
    const { peer } = setUp();
    await peer.close();
    const sent = peer.notify("n");
    await settle();
    await assert.rejects(sent, { code: "closed", details: { delivery: "none" } });
  });

  test("survive a log that throws", async () => {
    const { transport } = setUp({
      onNotification: () => assert.fail("handler"),
      log: () => assert.fail("log"),
    });
    transport.deliver({ jsonrpc: "2.0", method: "a" });
    transport.deliver({ jsonrpc: "2.0", id: 1, method: "m" });
    await settle();
    assert.equal(transport.sent.length, 1);
  });
});

describe("the end of a connection", () => {
  const broken = new LocalError("limit_exceeded", "a frame too far");
  const ways: [string, (parts: ReturnType<typeof setUp>) => void, LocalError | undefined][] = [
    ["close()", ({ peer }) => void peer.close(), undefined],
    ["close(why)", ({ peer }) => void peer.close(broken), broken],
    ["the end of the transport", ({ transport }) => transport.end(), undefined],
    ["a broken transport", ({ transport }) => transport.end(broken), broken],
  ];
  for (const [name, end, why] of ways) {
    test(`by ${name} rejects what waits, aborts what runs, and leaves nothing behind`, async () => {
      let running: IncomingRequest | undefined;
      let finish: ((result: object) => void) | undefined;
      const parts = setUp({
        handler: (request) => {
          running = request;
          void running.signal;
          return new Promise<object>((resolve) => (finish = resolve));
        },
      });
      const { host, transport, peer } = parts;
      transport.deliver({ jsonrpc: "2.0", id: 1, method: "m" });
      await settle();
      const waiting = assert.rejects(peer.request("a"), (error) => {
        assert.ok(error instanceof LocalError);
        assert.deepEqual([error.code, error.details, error.cause], ["closed", { delivery: "unknown" }, why]);
        return true;
      });
      await settle();
      end(parts);
      await waiting;
      assert.equal(await peer.closed, why);
      const reason = running?.signal.reason;
      assert.ok(reason instanceof LocalError && reason.code === "closed");
      finish?.({ late: true });
      await settle();
      assert.deepEqual(transport.sent.map(({ message }) => "method" in message && message.method), ["a"]);
      assert.deepEqual([peer.stats(), host.liveTimers, transport.closes], [QUIET, 0, 1]);
    });
  }

  test("comes once, however often close is called", async () => {
    const { transport, peer } = setUp();
    await Promise.all([peer.close(broken), peer.close(), peer.close(new LocalError("aborted", "other"))]);
    assert.equal(await peer.closed, broken);
    assert.deepEqual([transport.closes, transport.closedWith], [1, broken]);
  });

  test("refuses what is asked afterwards", async () => {
    const { peer, host, transport } = setUp();
    await peer.close();
    await assert.rejects(peer.request("a"), { code: "closed", details: { delivery: "none" } });
    assert.deepEqual([transport.sent.length, host.liveTimers, peer.stats().pending], [0, 0, 0]);
  });

  test("is seen though the transport throws something odd, or fails to close", async () => {
    const { transport, peer, log } = setUp();
    transport.close = () => Promise.reject(new Error("stuck"));
    transport.end("odd");
    const why = await peer.closed;
    assert.deepEqual([why?.code, why?.cause], ["closed", "odd"]);
    assert.deepEqual(log, ["error: the transport did not close cleanly"]);
  });

  test("may be brought about by a handler", async () => {
    let close: (() => Promise<void>) | undefined;
    const { transport, peer } = setUp({ handler: async () => close?.() });
    close = peer.close;
    transport.deliver({ jsonrpc: "2.0", id: 1, method: "m" });
    await peer.closed;
    await settle();
    assert.deepEqual(transport.sent, []);
  });
});
