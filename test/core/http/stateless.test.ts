import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { META } from "../../../src/core/wire/versions.ts";
import { settle } from "../../support/fake-host.ts";
import { send, STATELESS, statelessCall, type FakeCall } from "../../support/http-exchange.ts";
import { served } from "./kit.ts";

const errorOf = (message: JsonObject) => message["error"] as { code: number; message: string; data?: JsonObject };

describe("a stateless POST", () => {
  it("is answered by JSON where the response is all that there is to say", async () => {
    const { http } = served();
    const call = send(http.handle, statelessCall(1, "tools/call", { name: "echo", arguments: { text: "hi" } }));
    assert.equal(await call.status(), 200);
    assert.equal(await call.header("content-type"), "application/json");
    assert.equal(await call.header("mcp-session-id"), undefined);
    const { id, result } = await call.json();
    assert.equal(id, 1);
    assert.deepEqual((result as JsonObject)["content"], [{ type: "text", text: "hi" }]);
    await settle();
    assert.deepEqual(http.stats(), { sessions: 0, stateless: 0, requests: 0, waiting: 0 });
  });

  it("becomes a stream with its first notification, and ends with the response", async () => {
    const { http, held } = served();
    const call = send(http.handle, statelessCall("a", "tools/call", { name: "hold", arguments: { key: "k" }, _meta: { progressToken: 7 } }));
    await settle();
    assert.equal(call.answered, undefined);
    await held.get("k")!.context.reportProgress(1);
    assert.equal(await call.header("content-type"), "text/event-stream");
    assert.equal(await call.header("x-accel-buffering"), "no");
    held.get("k")!.finish("done");
    const events = await call.events();
    assert.deepEqual(events.map(({ data }) => (data as JsonObject)["method"] ?? (data as JsonObject)["id"]), ["notifications/progress", "a"]);
    assert.ok(events.every(({ id }) => id === undefined), "streams of this revision are not resumable");
    assert.equal(await call.ended(), true);
    assert.equal(http.stats().requests, 0);
  });

  it("becomes a stream that is kept alive where the answer takes long", async () => {
    const { http, held, host } = served();
    const call = send(http.handle, statelessCall(1, "tools/call", { name: "hold", arguments: { key: "k" } }));
    await host.advance(4_000);
    assert.equal(call.answered, undefined);
    await host.advance(2_000);
    assert.equal(await call.header("content-type"), "text/event-stream");
    assert.equal(await call.text(), ": \n\n");
    await host.advance(16_000);
    assert.equal(await call.text(), ": \n\n: \n\n");
    held.get("k")!.finish("done");
    assert.equal((await call.events()).length, 1);
    await http.close();
    assert.equal(host.liveTimers, 0);
  });

  it("is told by an error that no answer will come, as JSON or, once there is a stream, as its last message", async () => {
    for (const [waitMs, type] of [[0, "application/json"], [6_000, "text/event-stream"]] as const) {
      const { http, host } = served({ closeGraceMs: 100 });
      const call = send(http.handle, statelessCall(1, "tools/call", { name: "hold", arguments: { key: "k" } }));
      await host.advance(waitMs);
      const closing = http.close();
      await host.advance(100);
      await closing;
      assert.equal(await call.header("content-type"), type);
      const answer = waitMs === 0 ? await call.json() : ((await call.events()).at(-1)?.data as JsonObject);
      assert.deepEqual([answer["id"], errorOf(answer).message], [1, "The server has ended without an answer"]);
      assert.equal(await call.ended(), waitMs > 0);
      assert.equal(host.liveTimers, 0);
    }
  });

  it("is cancelled when the client closes the connection, before or after there is a stream, and nothing more is sent", async () => {
    const { http, held, host } = served();
    for (const long of [false, true]) {
      const call = send(http.handle, statelessCall(1, "tools/call", { name: "hold", arguments: { key: "k" } }));
      await host.advance(long ? 6_000 : 0);
      assert.equal(call.answered !== undefined, long);
      const { context, finish } = held.get("k")!;
      call.abort();
      await settle();
      assert.equal(context.coreSignal.aborted, true);
      assert.equal(held.size, 0);
      finish("too late");
      await settle();
      assert.deepEqual(http.stats(), { sessions: 0, stateless: 0, requests: 0, waiting: 0 });
    }
  });

  it("keeps the answers of two clients apart that use one id at once", async () => {
    const { http, held } = served();
    const first = send(http.handle, statelessCall(0, "tools/call", { name: "hold", arguments: { key: "a" } }));
    const second = send(http.handle, statelessCall(0, "tools/call", { name: "hold", arguments: { key: "b" } }));
    await settle();
    held.get("b")!.finish("of b");
    assert.deepEqual(((await second.json())["result"] as JsonObject)["content"], [{ type: "text", text: "of b" }]);
    assert.equal(first.answered, undefined);
    held.get("a")!.finish("of a");
    assert.deepEqual(((await first.json())["result"] as JsonObject)["content"], [{ type: "text", text: "of a" }]);
  });

  it("takes a notification with 202 and no body", async () => {
    const { http } = served();
    const call = send(http.handle, {
      headers: { "mcp-protocol-version": STATELESS, "mcp-method": "notifications/x" },
      body: { jsonrpc: "2.0", method: "notifications/x" },
    });
    assert.equal(await call.status(), 202);
    assert.equal((await call.response).body, undefined);
    await settle();
    assert.equal(http.stats().stateless, 0);
  });

  const refusals: [name: string, call: FakeCall, status: number, code: number][] = [
    ["an unknown method", statelessCall(1, "no/such"), 404, -32601],
    ["a method that this revision has no more", statelessCall(1, "ping"), 404, -32601],
    ["initialize in the modern form", statelessCall(1, "initialize"), 404, -32601],
    ["a version that nobody speaks", statelessCall(1, "tools/list", { _meta: { [META.protocolVersion]: "v9" } }, { "mcp-protocol-version": "v9" }), 400, -32022],
    ["a version header that differs", statelessCall(1, "tools/list", { _meta: { [META.protocolVersion]: "v9" } }), 400, -32020],
    ["no version header", statelessCall(1, "tools/list", {}, { "mcp-protocol-version": undefined }), 400, -32020],
    ["an older version header on a modern body", statelessCall(1, "tools/list", {}, { "mcp-protocol-version": "2025-11-25" }), 400, -32020],
    ["another method in the header", statelessCall(1, "tools/list", {}, { "mcp-method": "TOOLS/LIST" }), 400, -32020],
    ["no method header", statelessCall(1, "tools/list", {}, { "mcp-method": undefined }), 400, -32020],
    ["a safe name in the header, a dangerous one in the body", statelessCall(1, "tools/call", { name: "danger" }, { "mcp-name": "safe" }), 400, -32020],
    ["a broken Base64 form", statelessCall(1, "tools/call", { name: "café" }, { "mcp-name": "=?base64?!!?=" }), 400, -32020],
    ["a response", { headers: { "mcp-protocol-version": STATELESS }, body: { jsonrpc: "2.0", id: 1, result: {} } }, 400, -32600],
    ["a batch", { headers: { "mcp-protocol-version": STATELESS }, body: [{ jsonrpc: "2.0", id: 1, method: "tools/list" }] }, 400, -32600],
    ["an argument that differs from its header", statelessCall(1, "tools/call", { name: "regional", arguments: { region: "eu" } }, { "mcp-param-region": "us" }), 400, -32020],
    ["an argument without its header", statelessCall(1, "tools/call", { name: "regional", arguments: { region: "eu" } }), 400, -32020],
  ];
  for (const [name, call, status, code] of refusals) {
    it(`refuses ${name}`, async () => {
      const { http } = served();
      const refused = send(http.handle, call);
      assert.equal(await refused.status(), status);
      assert.equal(errorOf(await refused.json()).code, code);
      await settle();
      assert.equal(http.stats().stateless, 0);
    });
  }

  it("takes arguments whose headers repeat them, in either form", async () => {
    const { http } = served();
    for (const region of ["eu", "=?base64?ZXU=?="]) {
      const call = send(http.handle, statelessCall(1, "tools/call", { name: "regional", arguments: { region: "eu" } }, { "mcp-param-region": region }));
      assert.equal(await call.status(), 200);
    }
  });

  it("refuses a request whose _meta lacks what it must have with 400, and leaves other wrong params to 200", async () => {
    const { http } = served();
    const bare: FakeCall = { headers: { "mcp-protocol-version": STATELESS, "mcp-method": "server/discover" }, body: { jsonrpc: "2.0", id: 5, method: "server/discover", params: {} } };
    const lacking = send(http.handle, bare);
    assert.equal(await lacking.status(), 400);
    const message = await lacking.json();
    assert.equal(errorOf(message).code, -32602);
    assert.equal(message["id"], 5);
    for (const params of [undefined, {}, { _meta: {} }, { _meta: { progressToken: 1 } }]) {
      const headers = { "mcp-protocol-version": STATELESS, "mcp-method": "tools/list" };
      const without = send(http.handle, { headers, body: { jsonrpc: "2.0", id: 6, method: "tools/list", ...(params && { params }) } });
      assert.equal(await without.status(), 400);
      assert.equal(errorOf(await without.json()).code, -32602);
    }
    const unknown = send(http.handle, statelessCall(1, "tools/call", { name: "nope" }));
    assert.equal(await unknown.status(), 200);
    assert.equal(errorOf(await unknown.json()).code, -32602);
  });

  it("names the supported versions to a client that asks for another, and to an older one where there is no handshake", async () => {
    const { http } = served({ versions: [STATELESS] });
    const old = send(http.handle, { body: { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: {} } } });
    assert.equal(await old.status(), 400);
    assert.deepEqual(errorOf(await old.json()).data, { supported: [STATELESS], requested: "2025-06-18" });
    for (const method of ["GET", "DELETE"]) {
      const refused = send(http.handle, { method, headers: { "mcp-session-id": "x" } });
      assert.equal(await refused.status(), 405);
      assert.equal(await refused.header("allow"), "POST");
    }
    const call = send(http.handle, statelessCall(1, "tools/list", {}, { "mcp-session-id": "of another era", "last-event-id": "1" }));
    assert.equal(await call.status(), 200);
    assert.equal(await call.header("mcp-session-id"), undefined);
  });

  it("hands handlers the headers without credentials", async () => {
    const { http, held } = served();
    const secret = { authorization: "Bearer s", cookie: "c=1", "mcp-session-id": "s", "proxy-authorization": "p", "x-trace": "t" };
    send(http.handle, statelessCall(1, "tools/call", { name: "hold", arguments: { key: "k" } }, secret));
    await settle();
    const { from } = held.get("k")!.context;
    assert.equal(from.transport, "http");
    assert.equal(from.headers?.get("x-trace"), "t");
    for (const name of ["authorization", "cookie", "mcp-session-id", "proxy-authorization"]) assert.equal(from.headers?.has(name), false, name);
  });

  it("answers 503 where the server ends without an answer", async () => {
    const { http, server } = served();
    const call = send(http.handle, statelessCall(1, "tools/call", { name: "hold", arguments: { key: "k" } }));
    await settle();
    await server.close();
    assert.equal(await call.status(), 503);
    assert.equal((await call.json())["id"], 1);
    assert.equal(http.stats().stateless, 0);
  });

  it("ends a subscription's stream with its answer, and its disconnection ends the subscription", async () => {
    const { http, server } = served();
    const listen = () => send(http.handle, statelessCall(3, "subscriptions/listen", { notifications: { toolsListChanged: true } }));
    const left = listen();
    assert.equal((await left.events()).length, 1);
    left.abort();
    await settle();
    assert.equal(http.stats().stateless, 0);
    const call = listen();
    await call.events();
    server.tool({ name: "new", inputSchema: { type: "object" } }, () => "");
    const methods = (await call.events()).map(({ data }) => (data as JsonObject)["method"]);
    assert.deepEqual(methods, ["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"]);
    await server.close();
    assert.equal(((await call.events()).at(-1)?.data as JsonObject)["id"], 3);
    assert.equal(await call.ended(), true);
  });
});
