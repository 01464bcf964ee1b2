import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settle } from "../../support/fake-host.ts";
import type { ScriptedCall } from "../../support/scripted-http.ts";
import { failed, inSession, notification, result, rig, standIn } from "./client-kit.ts";

const request = (id: number, method = "tools/call") => ({ jsonrpc: "2.0", id, method, params: {} });
const opened = (id: string, version = "2025-11-25") =>
  [result(0, { protocolVersion: version, capabilities: {}, serverInfo: { name: "s", version: "1" } }), { headers: { "mcp-session-id": id } }] as const;
const session = (call: ScriptedCall) => [call.headers.get("mcp-session-id"), call.headers.get("mcp-protocol-version")];

describe("a session over HTTP", () => {
  it("opens without a version header, and names the agreed version and the session in all that follows", async () => {
    const { http, post, stream, done } = await inSession({}, "2025-06-18");
    const [initialize, initialized] = http.calls;
    assert.deepEqual(session(initialize!), [undefined, undefined]);
    assert.equal(initialize!.headers.get("accept"), "application/json, text/event-stream");
    assert.deepEqual(session(initialized!), ["s1", "2025-06-18"]);
    assert.equal(stream.method, "GET");
    assert.equal(stream.headers.get("accept"), "text/event-stream");
    assert.deepEqual(session(stream), ["s1", "2025-06-18"]);
    const call = await post(request(1));
    assert.deepEqual(session(call), ["s1", "2025-06-18"]);
    assert.equal(call.headers.has("mcp-method"), false);
    await done();
    const last = http.calls.at(-1);
    assert.equal(last?.method, "DELETE");
    assert.deepEqual(session(last!), ["s1", "2025-06-18"]);
  });

  it("may have no id; then there is nothing to delete", async () => {
    const { post, http, arrived, done } = rig();
    (await post({ ...request(0, "initialize") })).json(opened("")[0]);
    await arrived();
    (await post(notification("notifications/initialized"))).respond(202);
    assert.deepEqual(session(await http.next()), [undefined, "2025-11-25"]);
    await done();
    assert.equal(http.calls.some(({ method }) => method === "DELETE"), false);
  });

  it("ends within a bounded time where the server does not answer the DELETE", async () => {
    const { transport, host } = await inSession();
    let closed = false;
    void transport.close().then(() => (closed = true));
    await host.advance(1_999);
    assert.equal(closed, false);
    await host.advance(1);
    assert.equal(closed, true);
    assert.equal(host.liveTimers, 0);
  });

  it("lets nothing overtake notifications/initialized, though its send does not wait", async () => {
    const { post, transport, http, arrived, done } = rig();
    (await post(request(0, "initialize"))).json(...opened("s1"));
    await arrived();
    await transport.send({ message: notification("notifications/initialized") as never });
    await transport.send({ message: request(1) as never });
    const initialized = await http.next();
    assert.equal(await http.waiting(), 0);
    initialized.respond(202);
    const methods = [(await http.next()).method, (await http.next()).method];
    assert.deepEqual(methods.sort(), ["GET", "POST"]);
    await done();
  });

  it("does not wait for ever for a server that does not take notifications/initialized", async () => {
    const { post, transport, http, host, arrived, logged, done } = rig();
    (await post(request(0, "initialize"))).json(...opened("s1"));
    await arrived();
    await post(notification("notifications/initialized"));
    await transport.send({ message: request(1) as never });
    await host.advance(9_999);
    assert.equal(await http.waiting(), 0);
    await host.advance(1);
    assert.equal(await http.waiting(), 2, "the stream, and the request");
    assert.equal(logged.length, 1);
    await done();
  });

  it("brings requests of the server on the stream of a request, and takes the answers as POSTs", async () => {
    const { post, arrived, done } = await inSession();
    const stream = (await post(request(1))).stream();
    stream.message({ jsonrpc: "2.0", id: "q", method: "sampling/createMessage", params: {} });
    const [asked] = await arrived();
    assert.equal(asked?.related, 1);
    const answer = await post(result("q", { role: "assistant" }));
    assert.deepEqual(answer.body, result("q", { role: "assistant" }));
    assert.deepEqual(session(answer), ["s1", "2025-11-25"]);
    answer.respond(202);
    stream.message(result(1));
    assert.deepEqual((await arrived()).map(({ frame }) => frame.message), [result(1)]);
    await done();
  });

  it("keeps what has no answer in order within its lane, and lets no lane wait for another", async () => {
    const { transport, http, done } = await inSession();
    const send = (message: object, related?: string) => transport.send({ message: message as never }, related === undefined ? undefined : { related });
    await send(notification("notifications/progress", { progressToken: "a", progress: 1 }), "a");
    await send(result("a"), "a");
    await send(result("b"), "b");
    const first = await http.next();
    const other = await http.next();
    assert.deepEqual([first.body["method"], other.body["id"]], ["notifications/progress", "b"]);
    assert.equal(await http.waiting(), 0);
    first.respond(202);
    assert.equal((await http.next()).body["id"], "a");
    await done();
  });

  it("takes batches apart in 2025-03-26, and in no other revision", async () => {
    for (const [version, fine] of [["2025-03-26", true], ["2025-06-18", false]] as const) {
      const { post, arrived, done } = await inSession({}, version);
      (await post(request(1))).json([notification("notifications/message", { level: "info", data: 1 }), result(1)]);
      const got = await arrived();
      if (fine) assert.deepEqual(got.map(({ frame, related }) => [related, "method" in frame.message]), [[1, true], [1, false]]);
      else assert.equal(standIn(got[0]!.frame.message).delivery, "unknown");
      await done();
    }
  });

  it("sends a cancellation, and then waits for the stream no longer", async () => {
    const { post, transport, http, arrived, done } = await inSession();
    const call = await post(request(1));
    const stream = call.stream();
    await transport.send({ message: notification("notifications/cancelled", { requestId: 1 }) as never });
    const cancel = await http.next();
    assert.equal(cancel.body["method"], "notifications/cancelled");
    assert.equal(stream.cancelled, false, "the connection says nothing of it in these revisions");
    cancel.respond(202);
    await settle();
    assert.equal(stream.cancelled, true);
    assert.deepEqual(await arrived(), []);
    assert.equal(await http.waiting(), 0, "a stream that was given up is not resumed");
    await done();
  });
});

describe("the stream of the server's own messages", () => {
  it("brings messages that belong to no request", async () => {
    const { stream, arrived, done } = await inSession();
    stream.stream().message(notification("notifications/tools/list_changed"));
    const [arrival] = await arrived();
    assert.deepEqual([arrival?.related, arrival?.frame.message], [undefined, notification("notifications/tools/list_changed")]);
    await done();
  });

  it("is not asked for again where the server has none, and requests go on", async () => {
    for (const status of [405, 404, 400, 501]) {
      const { stream, post, http, host, only, done } = await inSession();
      stream.respond(status);
      await host.advance(120_000);
      assert.equal(await http.waiting(), 0);
      (await post(request(1))).json(result(1));
      assert.deepEqual(await only(), result(1));
      await done();
    }
  });

  it("is opened again at once where the server asks for no wait, but only once: then it is not asked without a pause", async () => {
    const { stream, http, host, done } = await inSession();
    let current = stream.stream();
    for (const ms of [0, 100, 100]) {
      current.write("retry: 0\nid: e\ndata:\n\n");
      await settle();
      current.end();
      if (ms > 0) {
        await host.advance(ms - 1);
        assert.equal(await http.waiting(), 0);
      }
      await host.advance(ms === 0 ? 0 : 1);
      current = (await http.next()).stream();
    }
    await done();
  });

  it("is opened again after a cut, from where it was, when the server wants it; other channels see nothing of that", async () => {
    const { stream, http, host, post, only, done } = await inSession();
    const first = stream.stream();
    first.write("retry: 2500\nid: e1\ndata:\n\n: hb\n\n");
    await settle();
    first.cut();
    await host.advance(2_499);
    assert.equal(await http.waiting(), 0);
    await host.advance(1);
    const second = await http.next();
    assert.deepEqual([second.method, second.headers.get("last-event-id")], ["GET", "e1"]);
    second.respond(409);
    (await post(request(1))).json(result(1));
    assert.deepEqual(await only(), result(1));
    await host.advance(2_500);
    const third = await http.next();
    assert.equal(third.headers.get("last-event-id"), "e1");
    const stream3 = third.stream();
    stream3.message(notification("notifications/x"));
    assert.deepEqual(await only(), notification("notifications/x"));
    await done();
    assert.equal(stream3.cancelled, true);
  });

  it("goes on though only comments come, and is tried more and more seldom while nothing does", async () => {
    const { stream, http, host, done } = await inSession();
    stream.fail("none");
    const waits: number[] = [];
    for (let count = 0; count < 7; count++) {
      let waited = 0;
      while ((await http.waiting()) === 0) {
        await host.advance(1_000);
        waited += 1_000;
      }
      waits.push(waited);
      (await http.next()).respond(503);
    }
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    await host.advance(30_000);
    const open = (await http.next()).stream();
    open.write(": hb\n\n");
    await settle();
    open.end();
    await host.advance(1_000);
    assert.equal(await http.waiting(), 1);
    await done();
  });

  it("starts afresh where the server no longer knows the event", async () => {
    const { stream, http, host, done } = await inSession();
    const first = stream.stream();
    first.write("id: gone\ndata:\n\n");
    first.end();
    await host.advance(1_000);
    const second = await http.next();
    assert.equal(second.headers.get("last-event-id"), "gone");
    second.respond(400);
    assert.equal((await http.next()).headers.has("last-event-id"), false);
    await done();
  });

  it("may bring the response to a request whose own stream is gone", async () => {
    const { stream, post, arrived, done } = await inSession();
    const call = await post(request(1));
    stream.stream().message(result(1));
    assert.deepEqual((await arrived()).map(({ frame }) => frame.message), [result(1)]);
    assert.equal(call.aborted, true);
    await done();
  });
});

describe("a cut stream of a request", () => {
  it("is resumed by GET from its last event, after the wait that the server asked for, and the request is not sent again", async () => {
    const { post, http, host, arrived, done } = await inSession();
    const stream = (await post(request(1))).stream();
    stream.write("id: p0\nretry: 500\ndata:\n\n");
    stream.message(notification("notifications/progress", { progressToken: 1, progress: 1 }), "p1");
    await settle();
    stream.end();
    await host.advance(499);
    assert.equal(await http.waiting(), 0);
    await host.advance(1);
    const resumed = await http.next();
    assert.deepEqual([resumed.method, resumed.headers.get("last-event-id"), ...session(resumed)], ["GET", "p1", "s1", "2025-11-25"]);
    const rest = resumed.stream();
    rest.message(notification("notifications/progress", { progressToken: 1, progress: 2 }), "p2");
    rest.cut();
    // The wait still holds.
    await host.advance(500);
    const again = await http.next();
    assert.equal(again.headers.get("last-event-id"), "p2");
    again.stream().message(result(1), "p3");
    const got = await arrived();
    assert.deepEqual(got.map(({ related }) => related), [1, 1, 1]);
    assert.deepEqual(got[2]?.frame.message, result(1));
    await done();
  });

  it("fails its request alone where there is nothing to resume from, and says that it may have been served", async () => {
    const { post, http, host, only, done } = await inSession();
    (await post(request(1))).stream().cut();
    assert.equal(standIn(await only()).delivery, "unknown");
    await host.advance(60_000);
    assert.equal(await http.waiting(), 0);
    (await post(request(2))).json(result(2));
    assert.deepEqual(await only(), result(2));
    await done();
  });

  it("is not resumed where the server says that it cannot be, or the session is gone", async () => {
    for (const status of [400, 404, 405]) {
      const { post, http, host, only, done } = await inSession();
      const stream = (await post(request(1))).stream();
      stream.write("id: p0\ndata:\n\n");
      await settle();
      stream.cut();
      await host.advance(1_000);
      (await http.next()).respond(status);
      assert.equal(standIn(await only()).delivery, "unknown");
      assert.equal(await http.waiting(), 0, "a call that may have run is never sent again");
      await done();
    }
  });

  it("is given up after a number of tries in which nothing came", async () => {
    const { post, http, host, arrived, done } = await inSession({ maxReconnects: 2 });
    const stream = (await post(request(1))).stream();
    stream.write("id: p0\ndata:\n\n");
    await settle();
    stream.cut();
    let tries = 0;
    for (; tries < 10; tries++) {
      await host.advance(30_000);
      if ((await http.waiting()) === 0) break;
      (await http.next()).fail("none");
    }
    assert.equal(tries, 3);
    const [arrival] = await arrived();
    assert.match(standIn(arrival!.frame.message).message, /could not be resumed/);
    await done();
  });

  it("goes on being polled as long as anything is heard", async () => {
    const { post, http, host, only, done } = await inSession({ maxReconnects: 1 });
    let stream = (await post(request(1))).stream();
    stream.write("id: p0\nretry: 10\ndata:\n\n");
    for (let count = 0; count < 20; count++) {
      await settle();
      stream.end();
      await host.advance(10);
      stream = (await http.next()).stream();
      stream.write(": still at it\n\n");
    }
    stream.message(result(1));
    assert.deepEqual(await only(), result(1));
    await done();
  });
});

describe("a lost session", () => {
  it("is not one whose 404 has the result of the call: that was served, and is not sent again", async () => {
    const { post, http, arrived, done } = await inSession();
    (await post(request(1))).json({ jsonrpc: "2.0", id: 1, result: {} }, { status: 404 });
    const [arrival] = await arrived();
    assert.match(JSON.stringify(arrival?.frame.message), /"delivery":"unknown"/);
    assert.equal(await http.waiting(), 0);
    await done();
  });

  it("is not sent again what the server has read, unless its error is about the session or the request as such", async () => {
    const again: readonly (readonly [code: number, message: string, data?: object])[] = [
      [-32001, "Session not found"],
      [-32000, "No valid session ID"],
      [-32600, "Not Found"],
      [-32000, "It is about to end", { reason: "draining", delivery: "none" }],
    ];
    for (const [code, message, data] of again) {
      const { post, http, only, done } = await inSession();
      (await post(request(1))).json({ jsonrpc: "2.0", id: 1, error: { code, message, data } }, { status: 404 });
      (await http.next()).json(...opened("s2"));
      (await http.next()).respond(202);
      const next = [await http.next(), await http.next()].find(({ method }) => method === "POST") ?? assert.fail("it is sent again");
      next.json(result(1));
      assert.deepEqual(await only(), result(1), message);
      await done();
    }
    for (const [code, message] of [[-32603, "The order was placed, and the receipt not found"], [-32000, "No such item"], [-32602, "Unknown tool"], [404, "Not found"]] as const) {
      const { post, http, only, done } = await inSession();
      (await post(request(1))).json(failed(1, code, message), { status: 404 });
      assert.deepEqual(await only(), failed(1, code, message), "it is the answer");
      (await http.next()).json(...opened("s2"));
      (await http.next()).respond(202);
      assert.equal((await http.next()).method, "GET", "a 404 asks for another session in any case");
      assert.equal(await http.waiting(), 0, message);
      await done();
    }
  });

  it("is not one whose 404 says that there is no such method", async () => {
    const { post, http, only, done } = await inSession();
    (await post(request(1))).json(failed(1, -32601, "Method not found"), { status: 404 });
    assert.deepEqual([await only(), await http.waiting()], [failed(1, -32601, "Method not found"), 0]);
    await done();
  });

  it("is opened anew once for all that find it lost, and what was refused is sent again once", async () => {
    const { post, http, arrived, logged, done } = await inSession();
    const calls = [await post(request(1)), await post(request(2)), await post(request(3, "tools/list"))];
    for (const call of calls) call.json(failed(null, -32001, "Session not found"), { status: 404 });
    const again = await http.next();
    assert.equal(again.body["method"], "initialize");
    assert.deepEqual(session(again), [undefined, undefined]);
    assert.equal(await http.waiting(), 0, "one handshake for all");
    again.json(...opened("s2"));
    const initialized = await http.next();
    assert.deepEqual([initialized.body["method"], ...session(initialized)], ["notifications/initialized", "s2", "2025-11-25"]);
    assert.equal(await http.waiting(), 0);
    initialized.respond(202);
    const following = [await http.next(), await http.next(), await http.next(), await http.next()];
    assert.deepEqual(following.map((call) => session(call)[0]), ["s2", "s2", "s2", "s2"]);
    assert.equal(following.filter(({ method }) => method === "GET").length, 1, "the stream is opened again, too");
    for (const call of following) if (call.method === "POST") call.json(result(call.body["id"] as number));
    assert.deepEqual((await arrived()).map(({ frame }) => "id" in frame.message && frame.message.id).sort(), [1, 2, 3], "the handshake stays inside");
    assert.equal(logged.filter(({ level }) => level === "warning").length, 1);
    await done();
  });

  it("is not opened a second time by a request that comes late with the same news", async () => {
    const { post, http, arrived, done } = await inSession();
    const [one, two] = [await post(request(1)), await post(request(2))];
    one.respond(404);
    (await http.next()).json(...opened("s2"));
    (await http.next()).respond(202);
    await settle();
    two.respond(404);
    const bodies = [];
    while ((await http.waiting()) > 0) bodies.push(await http.next());
    assert.deepEqual(bodies.filter(({ method }) => method === "POST").map((call) => [call.body["id"], session(call)[0]]), [[1, "s2"], [2, "s2"]]);
    assert.deepEqual(await arrived(), []);
    await done();
  });

  it("makes a request fail that is refused in the new session as well", async () => {
    const { post, http, only, done } = await inSession();
    (await post(request(1))).respond(404);
    (await http.next()).json(...opened("s2"));
    (await http.next()).respond(202);
    await http.next();
    (await http.next()).respond(404);
    assert.deepEqual([standIn(await only()).delivery, await http.waiting()], ["none", 0]);
    await done();
  });

  it("makes requests fail where it cannot be opened anew; the next one tries again", async () => {
    const { post, http, only, done } = await inSession();
    for (const refuse of [(call: ScriptedCall) => call.fail("none"), (call: ScriptedCall) => call.json(...opened("s9", "2024-11-05"))]) {
      (await post(request(1))).respond(404);
      refuse(await http.next());
      const said = standIn(await only());
      assert.equal(said.delivery, "none");
      assert.match(said.message, /lost the session/);
    }
    (await post(request(1))).respond(404);
    (await http.next()).json(...opened("s2"));
    await done();
  });

  it("does not send again what belongs to the old session: answers and notifications", async () => {
    const { post, http, logged, done } = await inSession();
    (await post(result("q"))).respond(404);
    (await http.next()).json(...opened("s2"));
    (await http.next()).respond(202);
    assert.equal((await http.next()).method, "GET");
    assert.equal(await http.waiting(), 0);
    assert.match(logged[0]?.message ?? "", /refused/);
    await done();
  });

  it("that the server may still hear of has the answers to what it asked, under its own id", async () => {
    const { post, transport, http, stream, arrived, done } = await inSession();
    stream.stream().message({ jsonrpc: "2.0", id: "q", method: "roots/list" });
    await arrived();
    (await post(request(1))).respond(404);
    (await http.next()).json(...opened("s2"));
    (await http.next()).respond(202);
    const calls = [await http.next(), await http.next()];
    await transport.send({ message: result("q") as never });
    await transport.send({ message: result("other") as never });
    const answers = [await http.next(), await http.next()];
    assert.deepEqual(answers.map((call) => [call.body["id"], session(call)[0]]), [["q", "s1"], ["other", "s2"]]);
    for (const answer of answers) answer.respond(404);
    for (const call of calls) if (call.method === "POST") call.json(result(1));
    await settle();
    assert.equal((await http.next()).body["method"], "initialize", "the new one is lost as well");
    await done();
  });

  it("is found lost by its stream too, once that has been there, and the owner is told", async () => {
    const told: unknown[] = [];
    const { http, host, stream, done } = await inSession({ renewed: (failure) => told.push(failure?.code) });
    stream.stream().end();
    await host.advance(1_000);
    (await http.next()).respond(404);
    (await http.next()).json(...opened("s2"));
    (await http.next()).respond(202);
    const again = await http.next();
    assert.deepEqual([again.method, session(again)[0]], ["GET", "s2"]);
    assert.deepEqual(told, [undefined]);
    again.respond(404);
    await host.advance(60_000);
    assert.equal(await http.waiting(), 0, "a server need not have one");
    await done();
  });

  it("that cannot be opened in its revision any more is told to the owner as a failure", async () => {
    const told: unknown[] = [];
    const { post, http, only, done } = await inSession({ renewed: (failure) => told.push(failure?.details) });
    (await post(request(1))).respond(404);
    (await http.next()).json(...opened("s9", "2024-11-05"));
    assert.equal(standIn(await only()).delivery, "none");
    assert.deepEqual(told, [{ delivery: "none" }]);
    await done();
  });

  it("has nothing to do with a 404 where there is no session", async () => {
    const { post, only, http, arrived, done } = rig();
    (await post(request(0, "initialize"))).json(opened("")[0]);
    await arrived();
    (await post(request(1))).respond(404);
    assert.deepEqual([standIn(await only()).httpStatus, await http.waiting()], [404, 0]);
    await done();
  });
});
