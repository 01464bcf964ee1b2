import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { memoryEventStore } from "../../../src/core/http/event-store.ts";
import { settle } from "../../support/fake-host.ts";
import { initializeCall, openSession, send, statelessCall, type SseEvent } from "../../support/http-exchange.ts";
import { served } from "./kit.ts";

const codeOf = (message: JsonObject) => (message["error"] as { code: number }).code;
const textOf = (message: JsonObject) => ((message["result"] as JsonObject)["content"] as [{ text: string }])[0].text;
const dataOf = (events: readonly SseEvent[]) => events.flatMap(({ data }) => (data === undefined || data === "" ? [] : [data]));
const call = (key: string) => ({ name: "hold", arguments: { key } });

describe("a session", () => {
  it("that ends owes each request an error, as JSON, as the last message of a stream, or for each of a batch", async () => {
    for (const waitMs of [0, 6_000]) {
      const { http, host } = served();
      const session = await openSession(http.handle, "2025-03-26");
      const one = session.request(1, "tools/call", call("a"));
      const batch = session.post([2, 3].map((id) => ({ jsonrpc: "2.0", id, method: "tools/call", params: call(String(id)) })));
      await host.advance(waitMs);
      assert.equal(await session.remove().status(), 204);
      const answers = [...(waitMs === 0 ? [await one.json()] : dataOf(await one.events())), ...dataOf(await batch.events())];
      assert.deepEqual(answers.map((answer) => [answer["id"], codeOf(answer)]), [1, 2, 3].map((id) => [id, -32603]));
      assert.equal(await batch.ended(), true);
    }
  });

  it("begins with initialize, and its id comes with the answer alone", async () => {
    const { http, host } = served();
    const opened = send(http.handle, initializeCall());
    assert.equal(await opened.status(), 200);
    assert.match((await opened.header("mcp-session-id")) ?? "", /^[0-9a-f]{32}$/);
    const session = await openSession(http.handle);
    const echoed = session.request(1, "tools/call", { name: "echo", arguments: { text: "hi" } });
    assert.equal(textOf(await echoed.json()), "hi");
    assert.equal(await echoed.header("mcp-session-id"), undefined);
    assert.equal(http.stats().sessions, 2);
    await http.close();
    assert.deepEqual(http.stats(), { sessions: 0, stateless: 0, requests: 0, waiting: 0 });
    assert.equal(host.liveTimers, 0);
  });

  it("does not come of an initialize that fails, or whose client leaves before it knows the id", async () => {
    const { http } = served();
    const failed = send(http.handle, { body: { jsonrpc: "2.0", id: 1, method: "initialize", params: {} } });
    assert.equal(codeOf(await failed.json()), -32602);
    assert.equal(await failed.header("mcp-session-id"), undefined);
    assert.equal(http.stats().sessions, 0);
    const slow = served();
    slow.server.use(() => () => new Promise(() => {}));
    const left = send(slow.http.handle, initializeCall());
    await settle();
    assert.equal(slow.http.stats().sessions, 1);
    left.abort();
    await settle();
    assert.equal(slow.http.stats().sessions, 0);
  });

  it("does not come of a revision that the endpoint does not take, whatever the server agrees on", async () => {
    const logged: string[] = [];
    const { http } = served({ versions: ["2025-03-26"], log: ({ message }) => logged.push(message) }, { versions: ["2025-11-25", "2025-03-26"] });
    const refused = send(http.handle, initializeCall());
    assert.equal(codeOf(await refused.json()), -32603);
    assert.equal(await refused.header("mcp-session-id"), undefined);
    assert.equal(http.stats().sessions, 0);
    assert.match(logged.join(), /agreed on 2025-11-25/);
  });

  it("that is unknown, ended or somebody else's is answered 404, and a missing id 400", async () => {
    const { http } = served();
    const session = await openSession(http.handle);
    assert.equal(await session.remove().status(), 204);
    assert.equal(await session.request(1, "tools/list").status(), 404);
    assert.equal(await session.get().status(), 404);
    assert.equal(await session.remove().status(), 404);
    assert.equal(await send(http.handle, { body: { jsonrpc: "2.0", id: 1, method: "tools/list" } }).status(), 400);
    for (const method of ["GET", "DELETE"]) assert.equal(await send(http.handle, { method }).status(), 400);
    assert.equal(http.stats().sessions, 0);
  });

  it("takes any revision of its era in the version header, none at all, and refuses others with 400; initialize is not vetoed by it", async () => {
    const { http } = served();
    for (const version of ["1999-01-01", "2026-07-28"]) {
      assert.equal(await send(http.handle, initializeCall("2025-06-18", { "mcp-protocol-version": version })).status(), 200);
    }
    const session = await openSession(http.handle, "2025-06-18");
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    for (const version of [undefined, "2025-06-18", " 2025-03-26 "]) assert.equal(await session.post(list, { "mcp-protocol-version": version }).status(), 200);
    const refused = session.post(list, { "mcp-protocol-version": "1999-01-01" });
    assert.equal(await refused.status(), 400);
    assert.equal(codeOf(await refused.json()), -32022);
  });

  it("gives an older server's answer to an unknown version where there are no stateless revisions", async () => {
    const { http } = served({ versions: ["2025-11-25"] });
    const probe = send(http.handle, { headers: { "mcp-protocol-version": "2026-07-28" }, body: { jsonrpc: "2.0", id: 1, method: "server/discover" } });
    assert.equal(await probe.status(), 400);
    assert.equal(codeOf(await probe.json()), -32600);
  });

  it("refuses a second request with an id in flight, and leaves the first untouched; 1 and \"1\" are two", async () => {
    const { http, held } = served();
    const session = await openSession(http.handle);
    const first = session.request(1, "tools/call", call("a"));
    await settle();
    const second = session.request(1, "tools/call", { name: "echo", arguments: { text: "x" } });
    assert.equal(await second.status(), 400);
    assert.equal(codeOf(await second.json()), -32600);
    assert.equal(textOf(await session.request("1", "tools/call", { name: "echo", arguments: { text: "y" } }).json()), "y");
    held.get("a")!.finish("of a");
    assert.equal(textOf(await first.json()), "of a");
    assert.equal(textOf(await session.request(1, "tools/call", { name: "echo", arguments: { text: "z" } }).json()), "z");
  });

  it("goes on with a call whose client has disconnected: that is no cancellation", async () => {
    for (const eventStore of [undefined, memoryEventStore()]) {
      const { http, held, host } = served(eventStore === undefined ? {} : { eventStore });
      const session = await openSession(http.handle);
      for (const long of [false, true]) {
        const left = session.request(1, "tools/call", call("k"));
        await host.advance(long ? 6_000 : 0);
        left.abort();
        await settle();
        const { context, finish } = held.get("k")!;
        assert.equal(context.coreSignal.aborted, false);
        await context.notify("notifications/message", { level: "info", data: "x" }).catch(() => {});
        finish("done");
        await settle();
        held.clear();
      }
      assert.equal(textOf(await session.request(1, "tools/call", { name: "echo", arguments: { text: "on" } }).json()), "on");
      await http.close();
    }
  });

  it("ends the POST of a request that is cancelled, without an answer, and holds nothing more of it", async () => {
    const { http, held } = served();
    const session = await openSession(http.handle);
    const cancelled = session.request(1, "tools/call", call("k"));
    await settle();
    const { context } = held.get("k")!;
    assert.equal(await session.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }).status(), 202);
    await settle();
    assert.equal(context.coreSignal.aborted, true);
    assert.equal(await cancelled.header("content-type"), "text/event-stream");
    assert.deepEqual(dataOf(await cancelled.events()), []);
    assert.equal(await cancelled.ended(), true);
    assert.equal(http.stats().requests, 0);
    assert.equal(await session.request(1, "tools/call", { name: "echo", arguments: { text: "hi" } }).status(), 200);
  });

  it("takes a cancellation of what is not its own, and goes on with what is", async () => {
    const { http, held } = served();
    const [session, other] = [await openSession(http.handle), await openSession(http.handle)];
    const asked = session.request(1, "tools/call", call("k"));
    await settle();
    const cancel = (requestId: unknown) => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
    for (const id of ["1", 2, null, [1]]) assert.equal(await session.post(cancel(id)).status(), 202);
    assert.equal(await other.post(cancel(1)).status(), 202);
    held.get("k")!.finish("done");
    assert.equal(textOf(await asked.json()), "done");
  });

  it("that ends while a body comes is none any more", async () => {
    const { http, host } = served();
    const session = await openSession(http.handle);
    const late = session.request(1, "tools/call", call("k"));
    const notification = session.post({ jsonrpc: "2.0", method: "notifications/x" });
    const ended = session.remove();
    assert.equal(await ended.status(), 204);
    assert.equal(await late.status(), 404);
    assert.equal(await notification.status(), 404);
    await host.advance(2_000);
    assert.equal(host.liveTimers, 0);
  });

  it("asks on the stream of the request that it is about, and takes the answer by another POST", async () => {
    const { http, held } = served();
    const session = await openSession(http.handle);
    const asking = session.request(1, "tools/call", call("k"));
    await settle();
    const asked = held.get("k")!.context.request("sampling/createMessage", { messages: [], maxTokens: 1 });
    const [question] = dataOf(await asking.events());
    assert.equal(question?.["method"], "sampling/createMessage");
    assert.equal(await session.post({ jsonrpc: "2.0", id: question!["id"], result: { answer: 42 } }).status(), 202);
    assert.deepEqual(await asked, { answer: 42 });
    held.get("k")!.finish("done");
    assert.equal(dataOf(await asking.events()).length, 2);
    assert.equal(await asking.ended(), true);
  });

  it("answers a broken response for whoever waits for it, and refuses it with 400", async () => {
    const { http, held } = served();
    const session = await openSession(http.handle);
    const asking = session.request(1, "tools/call", call("k"));
    await settle();
    const asked = held.get("k")!.context.request("sampling/createMessage", { messages: [], maxTokens: 1 });
    asked.catch(() => {});
    const [question] = dataOf(await asking.events());
    assert.equal(await session.post({ jsonrpc: "2.0", id: question!["id"], result: 5 }).status(), 400);
    await assert.rejects(asked, /must be an object/);
  });

  const bodies: [name: string, body: unknown, code: number, id: unknown][] = [
    ["no JSON", "{", -32700, null],
    ["bytes that are no UTF-8", Buffer.from('{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"\xff"}}', "latin1"), -32700, null],
    ["a null id", { jsonrpc: "2.0", id: null, method: "tools/list" }, -32600, null],
    ["a fractional id", { jsonrpc: "2.0", id: 1.5, method: "tools/list" }, -32600, null],
    ["a method of a wrong type", { jsonrpc: "2.0", id: 7, method: 5 }, -32600, 7],
    ["a batch", [{ jsonrpc: "2.0", id: 1, method: "ping" }], -32600, null],
    ["a key given twice", '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","name":"hold"}}', -32600, 7],
  ];
  for (const [name, body, code, id] of bodies) {
    it(`refuses ${name} with 400 and an error`, async () => {
      const { http } = served();
      const session = await openSession(http.handle);
      const refused = session.post(body);
      assert.equal(await refused.status(), 400);
      const message = await refused.json();
      assert.equal(codeOf(message), code);
      assert.equal(message["id"], id);
    });
  }
});

describe("a body", () => {
  it("may have the character that stands for a broken one, and any other", async () => {
    const { http } = served();
    const session = await openSession(http.handle);
    const echoed = session.request(1, "tools/call", { name: "echo", arguments: { text: "\ufffd😀\u2028" } });
    assert.equal(textOf(await echoed.json()), "\ufffd😀\u2028");
  });
});

describe("the stream of a session", () => {
  it("carries what belongs to no request, at once and in order, and says something at once", async () => {
    const { http, server } = served();
    const session = await openSession(http.handle);
    const stream = session.get();
    assert.equal(await stream.status(), 200);
    assert.equal(await stream.text(), ": \n\n");
    server.tool({ name: "t", inputSchema: { type: "object" } }, () => "");
    assert.deepEqual(dataOf(await stream.events()), [{ jsonrpc: "2.0", method: "notifications/tools/list_changed" }]);
    assert.equal(await session.request(1, "ping").status(), 200);
  });

  it("is given what was sent while there was none, and what a client that left had not taken", async () => {
    const { http, server } = served();
    const session = await openSession(http.handle);
    server.tool({ name: "t", inputSchema: { type: "object" } }, () => "");
    await settle();
    const unread = session.get();
    assert.equal(await unread.status(), 200);
    unread.abort();
    const stream = session.get();
    assert.deepEqual(dataOf(await stream.events()), [{ jsonrpc: "2.0", method: "notifications/tools/list_changed" }]);
  });

  it("goes over to a new connection, however dead the old one is, and no message goes to both", async () => {
    const { http, server } = served();
    const session = await openSession(http.handle);
    const old = session.get();
    await old.events();
    const fresh = session.get();
    assert.equal(await fresh.status(), 200);
    assert.equal(await old.ended(), true);
    server.tool({ name: "t", inputSchema: { type: "object" } }, () => "");
    assert.equal(dataOf(await fresh.events()).length, 1);
    assert.equal(dataOf(await old.events()).length, 0);
    old.abort();
    server.tool({ name: "u", inputSchema: { type: "object" } }, () => "");
    assert.equal(dataOf(await fresh.events()).length, 2);
  });

  it("is kept alive by comments, for ever, and keeps its session", async () => {
    const { http, host } = served({ sessionIdleMs: 60_000 });
    const session = await openSession(http.handle);
    const stream = session.get();
    await stream.text();
    for (let minute = 0; minute < 6; minute++) await host.advance(60_000);
    assert.ok(((await stream.text()).match(/: \n\n/g) ?? []).length >= 20);
    assert.equal(http.stats().sessions, 1);
    stream.abort();
    await host.advance(62_000);
    assert.deepEqual(http.stats(), { sessions: 0, stateless: 0, requests: 0, waiting: 0 });
  });

  it("ends with its session", async () => {
    const { http } = served();
    const session = await openSession(http.handle);
    const stream = session.get();
    await stream.text();
    await session.remove().status();
    assert.equal(await stream.ended(), true);
    assert.equal(http.stats().requests, 0);
  });

  it("is refused to a client that does not take one", async () => {
    const { http } = served();
    const session = await openSession(http.handle);
    const refused = send(http.handle, { method: "GET", headers: { accept: "application/json", "mcp-session-id": session.id } });
    assert.equal(await refused.status(), 406);
  });
});

describe("sessions", () => {
  it("end when they have been idle for long, with all that belongs to them", async () => {
    const store = memoryEventStore();
    const { http, host, server } = served({ sessionIdleMs: 60_000, eventStore: store });
    const ids = [];
    for (let index = 0; index < 50; index++) ids.push(await openSession(http.handle));
    server.tool({ name: "t", inputSchema: { type: "object" } }, () => "");
    await settle();
    assert.equal(store.size, 50);
    await host.advance(30_000);
    assert.equal(await ids[7]!.request(1, "ping").status(), 200);
    await host.advance(40_000);
    assert.equal(http.stats().sessions, 1);
    assert.equal(store.size, 1);
    assert.equal(await ids[8]!.request(1, "ping").status(), 404);
    await host.advance(40_000);
    assert.equal(http.stats().sessions, 0);
    assert.equal(store.size, 0);
    await host.advance(1_000);
    assert.equal(host.liveTimers, 0, "the clock stops when nothing is left to watch");
  });

  it("are bounded: a new one takes the place of one unused for a minute, else it is refused with 503", async () => {
    const { http, host } = served({ limits: { maxSessions: 2 } });
    const first = await openSession(http.handle);
    await openSession(http.handle);
    const refused = send(http.handle, initializeCall());
    assert.equal(await refused.status(), 503);
    assert.ok((await refused.header("retry-after")) !== undefined);
    await host.advance(61_000);
    assert.equal(await first.request(1, "ping").status(), 200);
    const third = await openSession(http.handle);
    assert.equal(http.stats().sessions, 2);
    assert.equal(await first.request(2, "ping").status(), 200);
    assert.equal(await third.request(1, "ping").status(), 200);
  });

  it("take no more requests in flight than a peer does", async () => {
    const { http } = served({ limits: { maxIncomingRequests: 2 } });
    const session = await openSession(http.handle);
    void session.request(1, "tools/call", call("a")).response;
    void session.request(2, "tools/call", call("b")).response;
    await settle();
    assert.equal(await session.request(3, "tools/call", call("c")).status(), 503);
  });
});

describe("batches", () => {
  it("are taken in 2025-03-26, each request answered on one stream, which then ends", async () => {
    const { http, held } = served();
    const session = await openSession(http.handle, "2025-03-26");
    const batch = session.post([
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: call("k") },
      { jsonrpc: "2.0", method: "notifications/x" },
      { jsonrpc: "2.0", id: 2, method: "ping" },
      { jsonrpc: "2.0", id: 3, method: 7 },
    ]);
    assert.equal(await batch.header("content-type"), "text/event-stream");
    assert.deepEqual(dataOf(await batch.events()).map(({ id }) => id), [3, 2]);
    assert.equal(await batch.ended(), false);
    held.get("k")!.finish("done");
    assert.deepEqual(dataOf(await batch.events()).map(({ id }) => id), [3, 2, 1]);
    assert.equal(await batch.ended(), true);
  });

  it("without requests are taken with 202; without anything, with nothing readable, or with initialize they are refused", async () => {
    const { http } = served();
    const session = await openSession(http.handle, "2025-03-26");
    assert.equal(await session.post([{ jsonrpc: "2.0", method: "notifications/x" }]).status(), 202);
    const init = { jsonrpc: "2.0", id: 9, method: "initialize", params: {} };
    for (const body of [[], [1], [init], [{ jsonrpc: "2.0", id: 1, method: "ping" }, init]]) {
      const refused = session.post(body);
      assert.equal(await refused.status(), 400, JSON.stringify(body));
      assert.equal(codeOf(await refused.json()), -32600);
    }
    const twice = session.post([{ jsonrpc: "2.0", id: 1, method: "ping" }, { jsonrpc: "2.0", id: 1, method: "ping" }]);
    assert.equal(await twice.status(), 400);
    assert.equal(await send(http.handle, { body: [init] }).status(), 400);
  });

  it("with a message of a stateless revision are refused: nothing would hold it to its routing headers", async () => {
    const { http, held } = served();
    const session = await openSession(http.handle, "2025-03-26");
    const stateless = statelessCall(1, "tools/call", call("k")).body;
    for (const body of [[stateless], [{ jsonrpc: "2.0", id: 2, method: "ping" }, stateless], [{ jsonrpc: "2.0", id: 3, method: "server/discover" }]]) {
      for (const headers of [{}, { "mcp-method": "tools/call", "mcp-name": "echo" }, { "mcp-protocol-version": undefined }]) {
        const refused = session.post(body, headers);
        assert.equal(await refused.status(), 400);
        assert.equal(codeOf(await refused.json()), -32600);
      }
    }
    assert.equal(held.size, 0);
  });

  it("may lose some of what they ask for to cancellation, and end with the rest", async () => {
    const { http, held } = served();
    const session = await openSession(http.handle, "2025-03-26");
    const batch = session.post([1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "tools/call", params: call(`k${id}`) })));
    await settle();
    await session.post([{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }]).status();
    await settle();
    held.get("k2")!.finish("done");
    assert.equal((await batch.json())["id"], 2);
    assert.equal(http.stats().requests, 0);
  });
});
