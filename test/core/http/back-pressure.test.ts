import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { memoryEventStore } from "../../../src/core/http/event-store.ts";
import { settle } from "../../support/fake-host.ts";
import { openSession, send, statelessCall } from "../../support/http-exchange.ts";
import { served } from "./kit.ts";

const hold = { name: "hold", arguments: { key: "k" }, _meta: { progressToken: 1 } };
const BIG = "x".repeat(1_000);
const limits = { maxStreamChars: 3_000 };

/** Sends until it has to wait; gives how much went, and what became of the one that waits. */
async function fill(notify: () => Promise<void>): Promise<{ sent: number; outcome: () => "waits" | "sent" | "refused" }> {
  for (let sent = 0; sent < 50; sent++) {
    let state: "waits" | "sent" | "refused" = "waits";
    const outcome = () => state;
    notify().then(() => (state = "sent"), () => (state = "refused"));
    await settle();
    if (outcome() !== "sent") return { sent, outcome };
  }
  return { sent: 50, outcome: () => "sent" };
}

describe("a reader that takes nothing", () => {
  it("finds each change of a list or a resource once when it begins to read, and each other message", async () => {
    const { http, connections } = served();
    const session = await openSession(http.handle);
    const notify = (method: string, params?: JsonObject) => connections[0]!.notify(method, params);
    for (let round = 0; round < 100; round++) {
      await notify("notifications/tools/list_changed");
      await notify("notifications/resources/updated", { uri: "a" });
      await notify("notifications/resources/updated", { uri: "b" });
      await notify("notifications/x", { round });
    }
    const stream = session.get();
    const methods = (await stream.events()).map(({ data }) => (data as JsonObject)["method"]);
    const counts = ["notifications/tools/list_changed", "notifications/resources/updated", "notifications/x"].map((method) => methods.filter((one) => one === method).length);
    assert.deepEqual(counts, [1, 2, 100]);
    await notify("notifications/tools/list_changed");
    assert.equal((await stream.events()).length, 104, "once it is taken it is news again");
  });

  it("makes a stateless handler wait at the limit, and is cut off after a while, which cancels its request", async () => {
    const { http, held, host } = served({ limits });
    const call = send(http.handle, statelessCall(1, "tools/call", hold));
    await settle();
    const { context } = held.get("k")!;
    const { sent, outcome } = await fill(() => context.notify("notifications/message", { level: "info", data: BIG }));
    assert.equal(sent, 2);
    assert.equal(outcome(), "waits");
    await host.advance(29_000);
    assert.equal(call.wasCut, false);
    await host.advance(3_000);
    assert.equal(call.wasCut, true);
    assert.equal(context.coreSignal.aborted, true);
    assert.equal(outcome(), "refused");
    await settle();
    assert.deepEqual(http.stats(), { sessions: 0, stateless: 0, requests: 0, waiting: 0 });
  });

  it("that begins to read again gets everything, in order, and those who waited go on", async () => {
    const { http, held } = served({ limits });
    const call = send(http.handle, statelessCall(1, "tools/call", hold));
    await settle();
    const { context, finish } = held.get("k")!;
    let step = 0;
    const { sent, outcome } = await fill(() => context.notify("notifications/message", { level: "info", data: `${step++}${BIG}` }));
    finish("done");
    await settle();
    const steps = (await call.events()).flatMap(({ data }) => (data === undefined || data === "" ? [] : [(data["params"] as { data: string } | undefined)?.data[0]]));
    assert.deepEqual(steps, [...Array.from({ length: sent + 1 }, (_, index) => String(index)), undefined]);
    assert.equal(outcome(), "sent");
    assert.equal(await call.ended(), true);
  });

  it("is cut off at the limit where it can resume, and nothing waits for it, or is lost", async () => {
    const { http, held } = served({ limits, eventStore: memoryEventStore() });
    const session = await openSession(http.handle);
    const call = session.request(1, "tools/call", hold);
    await settle();
    const { context, finish } = held.get("k")!;
    const { sent } = await fill(() => context.notify("notifications/message", { level: "info", data: BIG }));
    assert.equal(sent, 50);
    assert.equal(call.wasCut, true);
    finish("done");
    await settle();
    assert.equal((await session.get("1-1").events()).length, 51);
  });

  it("of a session's own stream keeps what it has not taken for the next one, and others are not held up", async () => {
    const { http, host, server } = served({ limits });
    const slow = await openSession(http.handle);
    const quick = await openSession(http.handle);
    const stalled = slow.get();
    await stalled.response;
    const stream = quick.get();
    for (let index = 0; index < 20; index++) {
      server.tool({ name: `t${index}`, inputSchema: { type: "object" } }, () => "");
      await stream.events();
    }
    assert.equal((await stream.events()).length, 20);
    await host.advance(32_000);
    assert.equal(stalled.wasCut, true);
    assert.equal(http.stats().sessions, 2);
    assert.ok((await slow.get().events()).length > 0);
    assert.equal((await stream.events()).length, 20);
  });

  it("makes those wait who send to a session that has no stream, up to its end", async () => {
    const { http, held, connections } = served({ limits });
    const session = await openSession(http.handle);
    void session.request(1, "tools/call", hold).response;
    await settle();
    const { sent, outcome } = await fill(() => connections[0]!.notify("notifications/x", { data: BIG }));
    assert.equal(sent, 2);
    assert.equal(outcome(), "waits");
    await session.remove().status();
    await settle();
    assert.equal(outcome(), "refused");
    assert.equal(held.size, 0);
  });
});
