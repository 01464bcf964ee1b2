import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import type { Authenticate } from "../../../src/core/http/authentication.ts";
import { createHttpServer } from "../../../src/core/http/http-server.ts";
import { META } from "../../../src/core/wire/versions.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { initializeCall, openSession, send, statelessCall } from "../../support/http-exchange.ts";
import { served } from "./kit.ts";

const list = statelessCall(1, "tools/list");
const withHeaders = (headers: Record<string, string | undefined>) => ({ ...list, headers: { ...list.headers, ...headers } });

describe("an HTTP server", () => {
  const refusals: [name: string, headers: Record<string, string | undefined>, status: number][] = [
    ["another type", { "content-type": "text/plain" }, 415],
    ["no type", { "content-type": undefined }, 415],
    ["another charset", { "content-type": "application/json; charset=latin1" }, 415],
    ["a compressed body", { "content-encoding": "gzip" }, 415],
    ["a body compressed twice", { "content-encoding": "identity, gzip" }, 415],
    ["a client that takes no streams", { accept: "application/json" }, 406],
    ["a client that takes streams alone", { accept: "text/event-stream" }, 406],
    ["a body that says it is too long", { "content-length": "17000000" }, 413],
  ];
  for (const [name, headers, status] of refusals) {
    it(`refuses ${name} with ${status}, and does not read the body`, async () => {
      const { http } = served();
      const call = send(http.handle, withHeaders(headers));
      assert.equal(await call.status(), status);
      assert.equal(call.bodyRead, false);
      assert.ok((await call.json())["error"]);
    });
  }

  it("takes any spelling of its types, and a client that says nothing of what it takes", async () => {
    const { http } = served();
    for (const headers of [{ "content-type": "Application/JSON; charset=utf-8" }, { accept: undefined }, { accept: "*/*" }, { "content-encoding": "Identity" }]) {
      assert.equal(await send(http.handle, withHeaders(headers)).status(), 200);
    }
  });

  it("stops reading a body that grows past the limit", async () => {
    const { http } = served({ limits: { maxMessageBytes: 400 } });
    assert.equal(await send(http.handle, statelessCall(1, "tools/list", { x: "y".repeat(400) })).status(), 413);
    assert.equal(await send(http.handle, list).status(), 200);
  });

  it("answers other methods with 405 and says which there are", async () => {
    const call = send(served().http.handle, { method: "PUT" });
    assert.equal(await call.status(), 405);
    assert.equal(await call.header("allow"), "POST, GET, DELETE");
  });

  it("answers so many requests at once, streams among them, and others with 503", async () => {
    const { http } = served({ limits: { maxHttpRequests: 2 } });
    const session = await openSession(http.handle);
    const stream = session.get();
    await stream.events();
    const held = session.request(1, "tools/call", { name: "hold", arguments: { key: "k" } });
    await settle();
    assert.equal(await send(http.handle, list).status(), 503);
    stream.abort();
    held.abort();
    await settle();
    assert.equal(await send(http.handle, list).status(), 200);
  });

  it("serves nothing more once it closes, but lets answers on their way arrive", async () => {
    const { http, held, host } = served();
    const call = send(http.handle, statelessCall(1, "tools/call", { name: "hold", arguments: { key: "k" } }));
    const late = send(http.handle, statelessCall(2, "tools/call", { name: "hold", arguments: { key: "l" } }));
    const session = await openSession(http.handle);
    const stream = session.get();
    await stream.events();
    const closed = http.close();
    assert.equal(await send(http.handle, list).status(), 503);
    assert.equal(await stream.ended(), true);
    held.get("k")!.finish("in time");
    assert.equal(await call.status(), 200);
    await host.advance(1_000);
    assert.equal(await late.status(), 503);
    await closed;
    assert.equal(http.close(), http.close());
    assert.equal(await http.accept(), undefined);
    assert.deepEqual(http.stats(), { sessions: 0, stateless: 0, requests: 0, waiting: 0 });
    assert.equal(host.liveTimers, 0);
  });

  it("that takes nothing new refuses each request under its id, and says that it was not served", async () => {
    const { http, held } = served();
    const session = await openSession(http.handle);
    const old = await openSession(http.handle, "2025-03-26");
    const ended = await openSession(http.handle);
    await ended.remove().status();
    const running = session.request("r", "tools/call", { name: "hold", arguments: { key: "k" } });
    const slow = session.request("s", "tools/call", { name: "hold", arguments: { key: "s" } });
    await settle();
    http.drain();
    const error = { code: -32603, message: "The server is about to end; try again", data: { reason: "draining", delivery: "none" } };
    const refused = (id: unknown) => ({ jsonrpc: "2.0", id, error });
    for (const [name, call, id, status] of [
      ["a handshake", send(http.handle, initializeCall()), "init", 503],
      ["a stateless request", send(http.handle, statelessCall(7, "tools/list")), 7, 503],
      ["a request of a session", session.request(8, "tools/list"), 8, 503],
      ["a request of a session that has ended", ended.request("9", "tools/list"), "9", 404],
      ["a stream for what belongs to no request", session.get(), null, 503],
    ] as const) {
      assert.deepEqual([await call.status(), await call.json()], [status, refused(id)], name);
      assert.equal(await call.header("retry-after"), status === 503 ? "5" : undefined, name);
    }
    const batch = await old.post([{ jsonrpc: "2.0", id: 1, method: "ping" }, { jsonrpc: "2.0", id: 2, method: "ping" }]).response;
    assert.deepEqual(JSON.parse(String(batch.body)), [refused(1), refused(2)]);
    assert.equal(await session.post("{").status(), 400);
    // What a client says in the exchange of a call that goes on.
    assert.equal(await session.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "s" } }).status(), 202);
    await settle();
    assert.equal(held.has("s"), false);
    assert.equal((await slow.text()).includes("result"), false);
    held.get("k")!.finish("in time");
    assert.equal(await running.status(), 200);
    http.drain(true);
    assert.equal(await session.request(10, "tools/list").status(), 404, "its client opens another one");
    assert.equal(await send(http.handle, initializeCall()).status(), 503);
    await http.close();
    assert.deepEqual([await session.request(11, "tools/list").status(), await send(http.handle, statelessCall(12, "tools/list")).status()], [404, 503]);
    assert.deepEqual(await send(http.handle, statelessCall(12, "tools/list")).json(), refused(12));
  });

  it("that ends says of what it took and does not answer that nobody knows how far it came", async () => {
    const { http, host } = served();
    const call = send(http.handle, statelessCall(1, "tools/call", { name: "hold", arguments: { key: "k" } }));
    const session = await openSession(http.handle);
    const other = session.request(2, "tools/call", { name: "hold", arguments: { key: "l" } });
    await settle();
    const closed = http.close();
    await host.advance(1_000);
    await closed;
    for (const one of [call, other]) {
      assert.equal(await one.status(), 503);
      assert.deepEqual(((await one.json())["error"] as JsonObject)["data"], { reason: "draining", delivery: "unknown" });
    }
  });

  it("refuses wrong options by name", () => {
    assert.throws(() => createHttpServer({ versions: ["1999-01-01"] }), /versions/);
    assert.throws(() => createHttpServer({ limits: { maxSessions: 0 } }), /maxSessions/);
    assert.throws(() => createHttpServer({ keepAliveMs: 0 }), /keepAliveMs/);
    assert.throws(() => createHttpServer({ sessionIdleMs: Number.NaN }), /sessionIdleMs/);
    for (const sessionPrefix of ["a b", "\n", "x".repeat(65)]) assert.throws(() => createHttpServer({ sessionPrefix }), /sessionPrefix/);
  });

  it("begins ids of sessions as it is told, and leaves the rest to chance", async () => {
    const { http } = served({ sessionPrefix: "a-7." });
    const ids = await Promise.all([1, 2].map(() => send(http.handle, initializeCall()).header("mcp-session-id")));
    for (const id of ids) assert.match(id ?? "", /^a-7\.[0-9a-f]{32}$/);
    assert.notEqual(ids[0], ids[1]);
  });

  it("has a stateless message answered elsewhere once its caller is known, and serves what is to be served here", async () => {
    const { http } = served({
      authenticate: ({ token }) => (token === undefined ? { challenge: {} } : { principal: { type: "user", id: token } }),
      passOn: (_request, { message }) => ("id" in message && message.id === 7 ? Promise.resolve({ status: 418, headers: [] }) : undefined),
    });
    const bearer = { authorization: "Bearer a" };
    const status = (id: number, headers: Record<string, string>) => send(http.handle, statelessCall(id, "tools/list", {}, headers)).status();
    assert.deepEqual([await status(7, bearer), await status(8, bearer), await status(7, {})], [418, 200, 401]);
    assert.equal(http.stats().requests, 0);
  });

  it("lets nothing wait for ever where nobody accepts", async () => {
    const host = fakeHost();
    const http = createHttpServer({ host, limits: { maxHttpRequests: 1 } });
    const notification = { headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "x" }, body: { jsonrpc: "2.0", method: "x" } };
    assert.equal(await send(http.handle, notification).status(), 202);
    assert.equal(await send(http.handle, notification).status(), 503);
    assert.equal(http.stats().waiting, 1);
    await http.close();
  });
});

describe("authentication", () => {
  const users: Authenticate = ({ token }) => {
    if (token === undefined) return { challenge: {} };
    const [iss, id, scope] = token.split(".");
    if (iss === "throw") throw new RangeError("secret detail");
    if (iss === "bad") return { challenge: { error: "invalid_token", description: 'it is "old"\r\nX: y' } };
    if (scope === "none") return { challenge: { error: "insufficient_scope", scope: "files:read" } };
    return { principal: { type: "user", id: id ?? "", claims: { iss } } };
  };
  const guarded = () => served({ authenticate: users, resourceMetadata: "https://s.example/.well-known/oauth-protected-resource" });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it("challenges a caller without a token with 401 and says where tokens are to be had, before it reads the body", async () => {
    const { http } = guarded();
    for (const headers of [{}, { authorization: "Basic x" }, { authorization: "Bearer a b" }, { authorization: "Bearer" }]) {
      const call = send(http.handle, withHeaders(headers));
      assert.equal(await call.status(), 401);
      assert.equal(await call.header("www-authenticate"), 'Bearer resource_metadata="https://s.example/.well-known/oauth-protected-resource"');
      assert.equal(call.bodyRead, false);
    }
  });

  it("says what is wrong with a token, 403 where it is good for something else, and lets no text break out of the header", async () => {
    const { http } = guarded();
    const bad = send(http.handle, withHeaders(bearer("bad")));
    assert.equal(await bad.status(), 401);
    assert.match((await bad.header("www-authenticate")) ?? "", /^Bearer error="invalid_token", error_description="it is \\"old\\"X: y", resource_metadata=/);
    const scope = send(http.handle, withHeaders(bearer("i.a.none")));
    assert.equal(await scope.status(), 403);
    assert.match((await scope.header("www-authenticate")) ?? "", /error="insufficient_scope", scope="files:read"/);
  });

  it("lets nobody in when the hook fails, and tells nothing of why", async () => {
    const { http } = guarded();
    const call = send(http.handle, withHeaders(bearer("throw")));
    assert.equal(await call.status(), 500);
    assert.ok(!JSON.stringify(await call.json()).includes("secret"));
  });

  it("hands the verified principal to handlers", async () => {
    const { http, held } = guarded();
    send(http.handle, statelessCall(1, "tools/call", { name: "hold", arguments: { key: "k" } }, bearer("i.alice")));
    await settle();
    assert.deepEqual(held.get("k")!.context.from.principal, { type: "user", id: "alice", claims: { iss: "i" } });
  });

  it("binds a session to issuer and subject, not to the token: a fresh one goes on, anybody else's looks like no session", async () => {
    const { http } = guarded();
    const session = await openSession(http.handle, "2025-11-25", bearer("i.alice.1"));
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    assert.equal(await session.post(ping, bearer("i.alice.2")).status(), 200);
    for (const token of ["i.bob", "j.alice"]) {
      const foreign = session.post(ping, bearer(token));
      assert.equal(await foreign.status(), 404);
      const unknown = session.post(ping, { ...bearer(token), "mcp-session-id": "0" });
      assert.deepEqual(await foreign.json(), await unknown.json());
      for (const method of ["GET", "DELETE"]) {
        assert.equal(await send(http.handle, { method, headers: { ...bearer(token), "mcp-session-id": session.id } }).status(), 404);
      }
    }
    assert.equal(await session.post(ping).status(), 200);
    const messages: JsonObject = await send(http.handle, initializeCall("2025-11-25", {})).json();
    assert.ok(messages["error"]);
  });

  it("keeps one caller's half-answered question from another, who has its state", async () => {
    const { http, server } = guarded();
    server.tool({ name: "ask", inputSchema: { type: "object" } }, async (_args, { elicit }) => {
      const { action } = await elicit({ message: "Sure?", requestedSchema: { type: "object", properties: {} } });
      return action;
    });
    const _meta = { [META.clientCapabilities]: { elicitation: {} } };
    const first = await send(http.handle, statelessCall(1, "tools/call", { name: "ask", _meta }, bearer("i.alice"))).json();
    const asked = first["result"] as JsonObject;
    assert.equal(asked["resultType"], "input_required");
    const [key] = Object.keys(asked["inputRequests"] as JsonObject);
    const again = { name: "ask", _meta, requestState: asked["requestState"], inputResponses: { [key!]: { action: "accept", content: {} } } };
    const stolen = await send(http.handle, statelessCall(2, "tools/call", again, bearer("i.bob"))).json();
    assert.ok(stolen["error"] !== undefined, "another principal has no use for the state");
    const own = await send(http.handle, statelessCall(3, "tools/call", again, bearer("i.alice"))).json();
    assert.deepEqual((own["result"] as JsonObject)["content"], [{ type: "text", text: "accept" }]);
  });

  it("lets no list be reused for another caller, unless the server says so", async () => {
    const { http } = guarded();
    const { result } = await send(http.handle, statelessCall(1, "tools/list", {}, bearer("i.alice"))).json();
    assert.equal((result as JsonObject)["cacheScope"], "private");
    assert.equal((result as JsonObject)["ttlMs"], 0);
  });
});
