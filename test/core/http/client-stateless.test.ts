import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import type { Message } from "../../../src/core/wire/message.ts";
import { settle } from "../../support/fake-host.ts";
import { failed, modern, notification, result, rig, standIn, STATELESS, URL_OF_SERVER } from "./client-kit.ts";

describe("a request of 2026-07-28 over HTTP", () => {
  it("is a POST under headers that follow from it, and its JSON answer arrives with its exact text", async () => {
    const { post, arrived, done } = rig({ headers: { "X-Tenant": "7" } });
    const call = await post(modern(1, "tools/call", { name: "café", arguments: {} }));
    assert.equal(call.method, "POST");
    assert.equal(call.url, URL_OF_SERVER);
    assert.deepEqual(Object.fromEntries(call.headers), {
      "x-tenant": "7",
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-method": "tools/call",
      "mcp-protocol-version": STATELESS,
      "mcp-name": "=?base64?Y2Fmw6k=?=",
    });
    const text = '{"jsonrpc":"2.0", "id":1, "result":{"n":1.10,"big":12345678901234567890}}';
    call.json(text);
    const [arrival] = await arrived();
    assert.equal(arrival?.frame.text, text);
    assert.equal(arrival?.related, 1);
    assert.equal(arrival?.from.transport, "http");
    await done();
  });

  it("sends the text of its frame as it is", async () => {
    const { http, transport, done } = rig();
    const text = '{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":1.10}}';
    await transport.send({ message: JSON.parse(text) as Message, text });
    assert.equal((await http.next()).text, text);
    await done();
  });

  it("computes its headers from the frame that goes out, whatever its params were before", async () => {
    const { post, done } = rig();
    const call = await post(modern(1, "tools/call", { name: "search" }));
    assert.equal(call.headers.get("mcp-name"), "search");
    await done();
  });

  it("gets what a stream brings, in order, the response last", async () => {
    const { post, arrived, host, done } = rig();
    const stream = (await post(modern("a", "tools/call", { name: "t" }))).stream({ type: "Text/Event-Stream; charset=utf-8" });
    stream.write(": hb\n\nid: 7\ndata:\n\nevent: ping\ndata: {}\n\ndata: {\"type\":\"heartbeat\"}\n\n");
    stream.message(notification("notifications/progress", { progressToken: 1, progress: 1 }));
    const before = await arrived();
    assert.deepEqual(before.map(({ related, frame }) => [related, "method" in frame.message && frame.message.method]), [["a", "notifications/progress"]]);
    stream.message(result("a", { ok: true }));
    const [answer] = await arrived();
    assert.deepEqual(answer?.frame.message, result("a", { ok: true }));
    assert.equal(stream.cancelled, false);
    await host.advance(1_000);
    assert.equal(stream.cancelled, true, "a stream that stays open after its response is cut");
    await done();
  });

  it("takes application/json in any case and with parameters", async () => {
    const { post, only, done } = rig();
    (await post(modern(1, "x"))).json(result(1), { type: "Application/JSON ; charset=UTF-8" });
    assert.deepEqual(await only(), result(1));
    await done();
  });

  it("reads bare JSON that is called an event stream", async () => {
    const { post, only, done } = rig();
    const stream = (await post(modern(1, "tools/list"))).stream();
    stream.write("\n {\"jsonrpc\":\"2.0\",\"id\":1,");
    stream.write('"result":{"tools":[]}}');
    stream.end();
    assert.deepEqual(await only(), result(1, { tools: [] }));
    await done();
  });

  it("drops requests of the server, which cannot be answered", async () => {
    const { post, transport, arrived, logged, done } = rig();
    const stream = (await post(modern(1, "x"))).stream();
    stream.message({ jsonrpc: "2.0", id: 5, method: "sampling/createMessage", params: {} });
    assert.deepEqual(await arrived(), []);
    assert.equal(logged.length, 1);
    await assert.rejects(transport.send({ message: result(5) as never }), { code: "invalid_message" });
    await done();
  });

  it("gives errors that come with a status, and those without an id that are about it", async () => {
    for (const [status, error] of [[404, failed(1, -32601)], [400, failed(1, -32022)], [400, failed(null, -32020)], [400, { jsonrpc: "2.0", error: { code: -32602, message: "no" } }]] as const) {
      const { post, only, done } = rig();
      (await post(modern(1, "x"))).json(error, { status });
      const message = await only();
      assert.equal("id" in message && message.id, 1);
      assert.deepEqual("error" in message && message.error, (error as JsonObject)["error"]);
      await done();
    }
  });

  it("is never sent again after an input_required result, an error or a failure", async () => {
    const { post, only, http, done } = rig();
    const wants = result(1, { resultType: "input_required", requestState: "opaque", inputRequests: {} });
    (await post(modern(1, "tools/call", { name: "t" }))).json(wants);
    assert.deepEqual(await only(), wants);
    (await post(modern(2, "tools/call", { name: "t" }))).fail("unknown");
    await only();
    assert.equal(await http.waiting(), 0);
    await done();
  });
});

describe("a request of 2026-07-28 that gets no answer", () => {
  const cases: [name: string, answer: (call: Awaited<ReturnType<ReturnType<typeof rig>["post"]>>) => void, delivery: string, status?: number][] = [
    ["the server is not reached", (call) => call.fail("none"), "none"],
    ["the connection breaks before the answer", (call) => call.fail("unknown"), "unknown"],
    ["the stream is cut", (call) => call.stream().cut(), "unknown"],
    ["the stream ends", (call) => call.stream().end(), "unknown"],
    ["the stream has an event id and is cut", (call) => { const stream = call.stream(); stream.write("id: 1\ndata:\n\n"); stream.cut(); }, "unknown"],
    ["the status refuses it", (call) => call.respond(404, { text: "<html>", type: "text/html" }), "none", 404],
    ["the status refuses it, with an error for an id of its own", (call) => call.json({ jsonrpc: "2.0", id: "server-error", error: { code: -32600, message: "Missing session ID" } }, { status: 400 }), "none", 400],
    ["the status refuses it, with a result for it", (call) => call.json({ jsonrpc: "2.0", id: call.body["id"] as number, result: {} }, { status: 404 }), "unknown", 404],
    ["the door does not open", (call) => call.json(failed(null, -32600), { status: 403 }), "none", 403],
    ["the server failed", (call) => call.respond(502), "unknown", 502],
    ["it is redirected", (call) => call.respond(307, { headers: { location: "http://elsewhere/" } }), "none", 307],
    ["it is taken for a notification", (call) => call.respond(202), "unknown", 202],
    ["the type is another", (call) => call.respond(200, { text: "hi", type: "text/plain" }), "unknown", 200],
    ["the answer is another's", (call) => call.json(result("1")), "unknown"],
    ["the answer is no JSON", (call) => call.json("{"), "unknown"],
    ["the answer has a key twice", (call) => call.json('{"jsonrpc":"2.0","id":1,"result":{},"result":{}}'), "unknown"],
    ["the answer is too large", (call) => call.json(result(1, { x: "x".repeat(2_000) })), "unknown"],
    ["an event is too large", (call) => call.stream().message(result(1, { x: "x".repeat(4_000) })), "unknown"],
    ["the answer is a batch", (call) => call.json([result(1)]), "unknown"],
  ];
  for (const [name, answer, delivery, status] of cases) {
    it(`has an error stand in where ${name}, which says whether it may have been served`, async () => {
      const { post, arrived, http, done } = rig({ limits: { maxMessageBytes: 1_000 } });
      answer(await post(modern(1, "tools/call", { name: "t" })));
      const [arrival, ...more] = await arrived();
      assert.deepEqual(more, []);
      assert.equal(arrival?.synthetic, true);
      const said = standIn(arrival.frame.message);
      assert.deepEqual([said.delivery, said.httpStatus], [delivery, status]);
      assert.equal(await http.waiting(), 0, "nothing is sent again");
      await done();
    });
  }
});

describe("cancelling a request of 2026-07-28 over HTTP", () => {
  it("closes its stream, sends nothing, and lets nothing of it arrive", async () => {
    const { post, transport, http, arrived, done } = rig();
    const call = await post(modern(1, "tools/call", { name: "slow" }));
    const stream = call.stream();
    await settle();
    await transport.send({ message: notification("notifications/cancelled", { requestId: 1 }) as never });
    stream.message(result(1));
    assert.deepEqual(await arrived(), []);
    assert.equal(call.aborted, true);
    assert.equal(stream.cancelled, true);
    assert.equal(await http.waiting(), 0);
    await done();
  });

  it("gives up a request that has no answer yet, and is nothing where it has one already", async () => {
    const { post, transport, http, arrived, done } = rig();
    const call = await post(modern(1, "x"));
    await transport.send({ message: notification("notifications/cancelled", { requestId: 1 }) as never });
    assert.equal(call.aborted, true);
    await transport.send({ message: notification("notifications/cancelled", { requestId: "1" }) as never });
    assert.equal(await http.waiting(), 0);
    assert.deepEqual(await arrived(), []);
    await done();
  });
});

describe("a notification of 2026-07-28 over HTTP", () => {
  it("names the version of the requests before it, and only a refusal is logged", async () => {
    const { post, arrived, logged, done } = rig();
    (await post(modern(1, "x"))).json(result(1));
    await arrived();
    const call = await post(notification("notifications/custom"));
    assert.equal(call.headers.get("mcp-protocol-version"), STATELESS);
    assert.equal(call.headers.get("mcp-method"), "notifications/custom");
    call.respond(202, { text: "ok", type: "text/plain" });
    await settle();
    assert.deepEqual(logged, []);
    (await post(notification("notifications/custom"))).respond(400);
    await settle();
    assert.equal(logged.length, 1);
    await done();
  });
});

describe("tools with mirrored parameters", () => {
  const tool = (name: string, header: unknown) => ({ name, inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": header } } } });

  it("are left out of lists where they are invalid, with a warning; the rest of the text stays", async () => {
    const { post, arrived, logged, done } = rig();
    const call = await post(modern(1, "tools/list"));
    const good = JSON.stringify(tool("good", "Region"));
    call.json(`{"jsonrpc":"2.0","id":1, "result":{"n":1.10,"tools":[${JSON.stringify(tool("bad", "a b"))}, ${good}]}}`);
    const [arrival] = await arrived();
    assert.match(arrival?.frame.text ?? "", /"n":1\.10/);
    assert.deepEqual(JSON.parse(arrival?.frame.text ?? ""), arrival?.frame.message);
    assert.equal(arrival?.frame.text?.includes('"bad"'), false);
    assert.equal(arrival?.frame.text?.includes(good), true);
    assert.deepEqual(logged.map(({ level, details }) => [level, details?.["tool"]]), [["warning", "bad"]]);
    const called = await post(modern(2, "tools/call", { name: "good", arguments: { region: "世界" } }));
    assert.equal(called.headers.get("mcp-param-region"), "=?base64?5LiW55WM?=");
    await done();
  });

  it("leave the exact text of a list alone that has none that is invalid", async () => {
    const { post, arrived, done } = rig();
    const text = `{"jsonrpc":"2.0","id":1,"result":{"tools":[ ${JSON.stringify(tool("good", "Region"))} ]}}`;
    (await post(modern(1, "tools/list"))).json(text);
    assert.equal((await arrived())[0]?.frame.text, text);
    await done();
  });

  it("are listed again, page by page, where the headers of a call are refused; the call is sent once more with those that it lacked", async () => {
    const { post, http, only, arrived, done } = rig();
    const first = await post(modern(1, "tools/call", { name: "t", arguments: { region: "eu" } }));
    assert.equal(first.headers.has("mcp-param-region"), false);
    first.json(failed(1, -32020), { status: 400 });
    const second = await post(modern(2, "tools/call", { name: "t", arguments: { region: "us" } }));
    const list = second.body["method"] === "tools/list" ? second : await http.next();
    const other = list === second ? await http.next() : second;
    assert.equal(list.body["method"], "tools/list");
    other.json(failed(2, -32020), { status: 400 });
    list.json(result(String(list.body["id"]), { tools: [], nextCursor: "c" }));
    const page = await http.next();
    assert.equal((page.body["params"] as JsonObject)["cursor"], "c");
    page.json(result(String(page.body["id"]), { tools: [tool("t", "Region")] }));
    const again = [await http.next(), await http.next()];
    assert.deepEqual(again.map(({ headers }) => headers.get("mcp-param-region")).sort(), ["eu", "us"]);
    assert.deepEqual(await arrived(), []);
    again[0]!.json(failed(again[0]!.body["id"] as number, -32020), { status: 400 });
    assert.equal(await http.waiting(), 0, "one retry, and no more");
    const message = await only();
    assert.equal("error" in message && message.error.code, -32020);
    await done();
  });

  it("do not send a call again where the new list changes nothing", async () => {
    const { post, http, only, done } = rig();
    (await post(modern(1, "tools/call", { name: "t" }))).json(failed(1, -32020), { status: 400 });
    const list = await http.next();
    list.json(result(String(list.body["id"]), { tools: [] }));
    const message = await only();
    assert.equal("error" in message && message.error.code, -32020);
    assert.equal(await http.waiting(), 0);
    await done();
  });

  it("are remembered up to a limit, the ones listed last", async () => {
    for (const [names, kept] of [[["a", "b"], true], [["a", "b", "c"], false]] as const) {
      const { post, arrived, done } = rig({ limits: { maxMirroredTools: 2 } });
      (await post(modern(1, "tools/list"))).json(result(1, { tools: names.map((name) => tool(name, "Region")) }));
      await arrived();
      const call = await post(modern(2, "tools/call", { name: "a", arguments: { region: "eu" } }));
      assert.equal(call.headers.has("mcp-param-region"), kept);
      await done();
    }
  });
});

describe("the limits of an HTTP transport", () => {
  it("refuse a message that is too large, a request too many, and an id in use; each has not been sent", async () => {
    const { transport, post, http, done } = rig({ limits: { maxMessageBytes: 500, maxPendingRequests: 2 } });
    await assert.rejects(transport.send({ message: modern(9, "x", { x: "x".repeat(500) }) as never }), { code: "limit_exceeded" });
    await post(modern(1, "x"));
    await assert.rejects(transport.send({ message: modern(1, "x") as never }), { code: "invalid_message" });
    await post(modern("1", "x"));
    await assert.rejects(transport.send({ message: modern(3, "x") as never }), { code: "limit_exceeded" });
    assert.equal(await http.waiting(), 0);
    await done();
    await assert.rejects(transport.send({ message: modern(4, "x") as never }), { code: "closed" });
  });

  it("stop the reading of streams while nobody takes what they bring", async () => {
    const { httpTransport } = await import("../../../src/core/http/http-client.ts");
    const { scriptedHttp } = await import("../../support/scripted-http.ts");
    const http = scriptedHttp();
    const transport = httpTransport({ url: URL_OF_SERVER, send: http.send, limits: { maxQueuedFrames: 2 } });
    await transport.send({ message: modern(1, "x") as never });
    const stream = (await http.next()).stream();
    for (let count = 0; count < 10; count++) {
      stream.message(notification("notifications/progress", { progressToken: 1, progress: count }));
      await settle();
    }
    for (let count = 0; count < 10; count++) {
      const arrival = await transport.receive();
      assert.deepEqual(arrival?.frame.message, notification("notifications/progress", { progressToken: 1, progress: count }));
    }
    await transport.close();
    assert.equal(await transport.receive(), undefined);
  });
});
