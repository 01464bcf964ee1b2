import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { memoryEventStore } from "../../../src/core/http/event-store.ts";
import { releaseStream } from "../../../src/core/http/http-peer.ts";
import { settle } from "../../support/fake-host.ts";
import { openSession, send, statelessCall, type SseEvent } from "../../support/http-exchange.ts";
import { served } from "./kit.ts";

const methods = (events: readonly SseEvent[]) => events.flatMap(({ data }) => (data === undefined || data === "" ? [] : [data["method"] ?? data["id"]]));
const lastId = (events: readonly SseEvent[]) => events.findLast(({ id }) => id !== undefined)?.id;
const hold = { name: "hold", arguments: { key: "k" }, _meta: { progressToken: 1 } };
const resumable = (options = {}) => served({ eventStore: memoryEventStore(), ...options });

describe("a stream with an event store", () => {
  it("begins with an event without data that has an id and says when to come back, for clients that know what that is", async () => {
    for (const [version, primed] of [["2025-11-25", true], ["2025-06-18", false]] as const) {
      const { http, held } = resumable({ retryMs: 700 });
      const session = await openSession(http.handle, version);
      const call = session.request(1, "tools/call", hold);
      await settle();
      await held.get("k")!.context.reportProgress(1);
      const events = await call.events();
      assert.deepEqual(events[0], primed ? { id: "1-1", retry: 700, data: "" } : { id: "1-1", data: events[0]?.data });
      assert.equal(events[0]?.data === "", primed);
      assert.deepEqual(methods(events), ["notifications/progress"]);
    }
  });

  it("is gone on with after a cut, from the last event that the client has, and ends with the answer", async () => {
    const { http, held } = resumable();
    const session = await openSession(http.handle);
    const call = session.request("a", "tools/call", hold);
    await settle();
    const { context, finish } = held.get("k")!;
    await context.reportProgress(1);
    const id = lastId(await call.events());
    call.abort();
    await context.reportProgress(2);
    const resumed = session.get(id);
    assert.equal(await resumed.header("content-type"), "text/event-stream");
    await context.reportProgress(3);
    finish("done");
    const events = await resumed.events();
    assert.deepEqual(methods(events), ["notifications/progress", "notifications/progress", "a"]);
    assert.equal(await resumed.ended(), true);
    assert.equal(new Set([id, ...events.flatMap((event) => event.id ?? [])]).size, 4);
  });

  it("that was over before the client came back is read to its end, as often as wanted", async () => {
    const { http, held } = resumable();
    const session = await openSession(http.handle);
    const call = session.request("a", "tools/call", hold);
    await settle();
    await held.get("k")!.context.reportProgress(1);
    const id = lastId(await call.events());
    call.abort();
    held.get("k")!.finish("done");
    await settle();
    for (let again = 0; again < 2; again++) {
      const resumed = session.get(id);
      const events = await resumed.events();
      assert.deepEqual(methods(events), ["a"]);
      assert.equal(await resumed.ended(), true);
      assert.equal(await session.get(lastId(events)).status(), 400, "or a client that waits for more would ask for ever");
    }
  });

  it("whose request is cancelled ends, and is not resumed for an answer that will not come", async () => {
    const { http, held } = resumable();
    const session = await openSession(http.handle);
    const call = session.request("a", "tools/call", hold);
    await settle();
    await held.get("k")!.context.reportProgress(1);
    const id = lastId(await call.events());
    await session.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "a" } }).status();
    assert.equal(await call.ended(), true);
    assert.equal(await session.get(id).status(), 400);
    const next = session.request("a", "tools/call", { name: "echo", arguments: { text: "again" } });
    assert.equal(await next.status(), 200, "its id is free");
    assert.equal(http.stats().requests, 0);
  });

  it("that a cancelled request never opened is given no id to come back with", async () => {
    const { http } = resumable();
    const session = await openSession(http.handle, "2025-11-25");
    const call = session.request("a", "tools/call", hold);
    await settle();
    await session.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "a" } }).status();
    assert.equal(await call.status(), 200);
    assert.equal(await call.ended(), true);
    assert.ok((await call.events()).every(({ id, data }) => id === undefined && data === undefined));
  });

  it("replays its own messages only, and those of its own session only", async () => {
    const { http, held, server } = resumable();
    const session = await openSession(http.handle);
    const other = await openSession(http.handle);
    const call = session.request("a", "tools/call", hold);
    const another = session.request("b", "tools/call", { ...hold, arguments: { key: "l" } });
    await settle();
    for (const key of ["k", "l"]) await held.get(key)!.context.reportProgress(1);
    const id = lastId(await call.events());
    await another.events();
    call.abort();
    another.abort();
    server.tool({ name: "t", inputSchema: { type: "object" } }, () => "");
    held.get("l")!.finish("of b");
    held.get("k")!.finish("of a");
    await settle();
    assert.deepEqual(methods(await session.get(id).events()), ["a"]);
    assert.equal(await other.get(id).status(), 400);
  });

  it("of what belongs to no request is resumed too, with an id and without one", async () => {
    const { http, server } = resumable();
    const session = await openSession(http.handle);
    const change = (name: string) => server.tool({ name, inputSchema: { type: "object" } }, () => "");
    const first = session.get();
    await first.events();
    change("t");
    const id = lastId(await first.events());
    first.abort();
    change("u");
    await settle();
    const second = session.get();
    const missed = await second.events();
    assert.equal(methods(missed).length, 1);
    assert.notEqual(lastId(missed), id);
    assert.deepEqual(await session.get(id).events(), missed, "the same event again, for a client that never saw it");
  });

  it("cannot be resumed from an id that was never given, or whose successors are gone", async () => {
    const { http, held } = served({ eventStore: memoryEventStore({ limits: { maxStoredEvents: 2 } }) });
    const session = await openSession(http.handle);
    for (const id of ["", "x", "1-1", "0-5", "-1-2", "1e3-1", "9999999999999999-1"]) assert.equal(await session.get(id).status(), 400, id);
    const call = session.request("a", "tools/call", hold);
    await settle();
    for (let step = 1; step <= 5; step++) await held.get("k")!.context.reportProgress(step);
    const events = await call.events();
    call.abort();
    assert.equal(await session.get(events[1]?.id).status(), 400);
    assert.deepEqual(methods(await session.get(events[3]?.id).events()).length, 2);
  });

  it("that is over cannot be resumed any more once what followed is gone", async () => {
    const { http, held, server } = served({ eventStore: memoryEventStore({ limits: { maxStoredEvents: 1 } }) });
    const session = await openSession(http.handle);
    const call = session.request("a", "tools/call", hold);
    await settle();
    await held.get("k")!.context.reportProgress(1);
    const id = lastId(await call.events());
    call.abort();
    held.get("k")!.finish("done");
    await settle();
    server.tool({ name: "t", inputSchema: { type: "object" } }, () => "");
    await settle();
    assert.equal(await session.get(id).status(), 400);
  });

  it("is not what a stateless request gets, whatever it says", async () => {
    const { http, held } = resumable();
    const call = send(http.handle, statelessCall(1, "tools/call", hold, { "last-event-id": "1-1" }));
    await settle();
    assert.equal(releaseStream(held.get("k")!.context.from), false);
    await held.get("k")!.context.reportProgress(1);
    assert.ok((await call.events()).every(({ id, retry }) => id === undefined && retry === undefined));
  });
});

describe("releaseStream", () => {
  it("ends the connection with a time to come back, and the request goes on; the answer is fetched by its event id", async () => {
    const { http, held } = resumable();
    const session = await openSession(http.handle);
    const call = session.request("a", "tools/call", hold);
    await settle();
    const { context, finish } = held.get("k")!;
    assert.equal(releaseStream(context.from, { retryMs: 250 }), true);
    const events = await call.events();
    assert.deepEqual(events, [{ id: "1-1", retry: 1000, data: "" }, { retry: 250 }]);
    assert.equal(await call.ended(), true);
    assert.equal(context.coreSignal.aborted, false);
    const empty = session.get("1-1");
    assert.deepEqual(await empty.events(), []);
    assert.equal(releaseStream(context.from, { retryMs: 300 }), true);
    assert.deepEqual(await empty.events(), [{ retry: 300 }]);
    assert.equal(await empty.ended(), true);
    assert.equal(releaseStream(context.from), false, "there is no connection to end");
    finish("done");
    await settle();
    const polled = session.get("1-1");
    assert.deepEqual(methods(await polled.events()), ["a"]);
    assert.equal(await polled.ended(), true);
    assert.equal(releaseStream(context.from), false);
  });

  it("does nothing where the client could not come back", async () => {
    for (const [server, version] of [[served(), "2025-11-25"], [resumable(), "2025-06-18"]] as const) {
      const session = await openSession(server.http.handle, version);
      const call = session.request("a", "tools/call", hold);
      await settle();
      assert.equal(releaseStream(server.held.get("k")!.context.from), false);
      server.held.get("k")!.finish("done");
      assert.equal(((await call.json()) as JsonObject)["id"], "a");
    }
    assert.equal(releaseStream({ transport: "memory", connection: "m" }), false);
  });

  it("happens of itself after a while, where the server is told so", async () => {
    const { http, held, host } = resumable({ releaseAfterMs: 10_000 });
    const session = await openSession(http.handle);
    const own = session.get();
    await own.events();
    const call = session.request("a", "tools/call", hold);
    await host.advance(6_000);
    assert.equal((await call.events()).length, 1);
    await host.advance(12_000);
    assert.deepEqual((await call.events()).at(-1), { retry: 1000 });
    assert.equal(await call.ended(), true);
    assert.equal(await own.ended(), true);
    held.get("k")!.finish("done");
    await settle();
    assert.deepEqual(methods(await session.get("1-1").events()), ["a"]);
  });
});
