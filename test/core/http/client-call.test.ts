import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseChallenges } from "../../../src/core/http/challenge.ts";
import type { AuthorizationRequest } from "../../../src/core/http/client-call.ts";
import { httpTransport } from "../../../src/core/http/http-client.ts";
import { settle } from "../../support/fake-host.ts";
import { scriptedHttp } from "../../support/scripted-http.ts";
import { inSession, modern, result, rig, standIn, URL_OF_SERVER } from "./client-kit.ts";
import { cpuMs } from "../../support/cpu-time.ts";

describe("the authorization of a client over HTTP", () => {
  it("is asked before each request, and once more after a 401, with the challenge; the request is sent again once", async () => {
    const asked: AuthorizationRequest[] = [];
    const authorize = (request: AuthorizationRequest) => {
      asked.push(request);
      return { Authorization: request.refused === undefined ? "Bearer old" : "Bearer new" };
    };
    const { post, http, only, done } = rig({ authorize, headers: { authorization: "Basic x", "X-A": "1" } });
    const first = await post(modern(1, "x"));
    assert.deepEqual([first.headers.get("authorization"), first.headers.get("x-a")], ["Bearer old", "1"]);
    first.respond(401, { headers: { "www-authenticate": 'Bearer resource_metadata="https://server.example/meta", scope="a b"' } });
    const second = await http.next();
    assert.equal(second.headers.get("authorization"), "Bearer new");
    assert.equal(second.text, first.text);
    assert.deepEqual(asked[0], { url: URL_OF_SERVER });
    assert.equal(asked[1]?.refused?.status, 401);
    assert.equal(asked[1]?.refused?.challenges[0]?.parameters.get("resource_metadata"), "https://server.example/meta");
    second.respond(401);
    assert.deepEqual(standIn(await only()), { delivery: "none", httpStatus: 401, message: "the server answered HTTP 401" });
    assert.equal(await http.waiting(), 0, "once, and no more");
    assert.equal(asked.length, 2);
    await done();
  });

  it("is asked once for all that are refused at the same time", async () => {
    let again = 0;
    let give!: (headers: Record<string, string>) => void;
    const authorize = ({ refused }: AuthorizationRequest) => {
      if (refused === undefined) return {};
      again++;
      return new Promise<Record<string, string>>((resolve) => (give = resolve));
    };
    const { post, http, done } = rig({ authorize });
    for (const call of [await post(modern(1, "x")), await post(modern(2, "x"))]) call.respond(401);
    await settle();
    assert.equal(again, 1);
    give({ Authorization: "Bearer t" });
    assert.deepEqual([(await http.next()).headers.get("authorization"), (await http.next()).headers.get("authorization")], ["Bearer t", "Bearer t"]);
    await done();
  });

  it("may mend a scope that is missing, and lets any other 403 stand", async () => {
    const authorize = ({ refused }: AuthorizationRequest) => ({ Authorization: `Bearer ${refused?.status ?? 0}` });
    const { post, http, only, done } = rig({ authorize });
    (await post(modern(1, "x"))).respond(403, { headers: { "www-authenticate": "Bearer error=insufficient_scope" } });
    const second = await http.next();
    assert.equal(second.headers.get("authorization"), "Bearer 403");
    second.json(result(1));
    await only();
    (await post(modern(2, "x"))).respond(403);
    assert.equal(standIn(await only()).httpStatus, 403);
    assert.equal(await http.waiting(), 0);
    await done();
  });

  it("lets a refusal stand where it has nothing to give, and fails a request that it throws for, unsent", async () => {
    let fails = false;
    const authorize = () => {
      if (fails) throw new TypeError("secret");
      return undefined;
    };
    const { post, http, transport, only, done } = rig({ authorize });
    (await post(modern(1, "x"))).respond(401);
    assert.equal(standIn(await only()).httpStatus, 401);
    fails = true;
    await transport.send({ message: modern(2, "x") as never });
    assert.deepEqual(standIn(await only()), { delivery: "none", httpStatus: undefined, message: "the request could not be authorized" });
    assert.equal(await http.waiting(), 0);
    await done();
  });

  it("goes with GET and DELETE as well", async () => {
    const { http, done } = await inSession({ headers: { Authorization: "Bearer t" } });
    await done();
    assert.deepEqual(http.calls.map(({ method, headers }) => [method, headers.get("authorization")]), [
      ["POST", "Bearer t"],
      ["POST", "Bearer t"],
      ["GET", "Bearer t"],
      ["DELETE", "Bearer t"],
    ]);
  });

  it("does not hold up the end of the transport, however long it takes", async () => {
    let stuck = false;
    const { transport, host, http, arrived } = await inSession({ authorize: () => (stuck ? new Promise(() => {}) : {}) });
    stuck = true;
    await transport.send({ message: modern(1, "x") as never });
    let closed = false;
    void transport.close().then(() => (closed = true));
    await host.advance(2_000);
    assert.equal(closed, true);
    assert.equal(await http.waiting(), 0);
    assert.deepEqual(await arrived(), []);
    assert.equal(host.liveTimers, 0);
  });

  it("sends no request that was given up while it was asked", async () => {
    let give!: (headers: Record<string, string>) => void;
    const { transport, http, done } = rig({ authorize: () => new Promise((resolve) => (give = resolve)) });
    await transport.send({ message: modern(1, "x") as never });
    await transport.send({ message: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } } });
    give({});
    assert.equal(await http.waiting(), 0);
    await done();
  });
});

describe("a redirect", () => {
  it("is followed within the origin where it keeps method and body, for a few hops", async () => {
    const { post, http, only, done } = rig({ headers: { authorization: "Bearer t" } });
    const call = await post(modern(1, "x"));
    call.respond(307, { headers: { location: "/mcp/" } });
    const next = await http.next();
    assert.deepEqual([next.method, next.url, next.text, next.headers.get("authorization")], ["POST", "https://server.example/mcp/", call.text, "Bearer t"]);
    next.json(result(1));
    assert.deepEqual(await only(), result(1));
    let hop = await post(modern(2, "x"));
    for (let count = 0; count < 4; count++) {
      hop.respond(308, { headers: { location: `https://SERVER.example/${count}` } });
      if (count < 3) hop = await http.next();
    }
    assert.equal(standIn(await only()).httpStatus, 308);
    await done();
  });

  it("is not followed to another origin, nor where it would become a GET", async () => {
    for (const [status, location] of [[307, "http://server.example/mcp"], [308, "https://server.example.evil/"], [307, "//evil/"], [307, "https://server.example@evil/"], [302, "/mcp/"], [303, "/mcp/"], [307, undefined]] as const) {
      const { post, http, only, done } = rig();
      (await post(modern(1, "x"))).respond(status, location === undefined ? {} : { headers: { location } });
      assert.equal(standIn(await only()).httpStatus, status);
      assert.equal(await http.waiting(), 0, location);
      await done();
    }
  });
});

describe("the options of an HTTP transport", () => {
  it("refuse what cannot be sent, and headers that follow from what is sent", () => {
    const { send } = scriptedHttp();
    const refuses = (options: object) => assert.throws(() => httpTransport({ url: URL_OF_SERVER, send, ...options }), { code: "invalid_argument" }, JSON.stringify(options));
    for (const url of ["", "/mcp", "ftp://x/", "https://", "file:///x"]) refuses({ url });
    for (const headers of [{ "a b": "1" }, { "": "1" }, { a: "x\r\ny: 1" }, { a: "é" }, { a: 1 }, { Accept: "x" }, { "Mcp-Session-Id": "1" }, { "mcp-param-x": "1" }]) refuses({ headers });
    for (const name of ["Host", "Transfer-Encoding", "Content-Length", "Connection", "Accept-Encoding"]) refuses({ headers: { [name]: "x" } });
    refuses({ maxReconnects: -1 });
    refuses({ limits: { maxNothing: 1 } });
  });
});

describe("parseChallenges", () => {
  const cases: [header: string, challenges: [scheme: string, parameters: Record<string, string>][]][] = [
    ["", []],
    ["Bearer", [["bearer", {}]]],
    ['Bearer realm="a, b", error="invalid_token"', [["bearer", { realm: "a, b", error: "invalid_token" }]]],
    ['Basic realm="x", Bearer Scope=a , resource_metadata="https://s/\\"m\\""', [["basic", { realm: "x" }], ["bearer", { scope: "a", resource_metadata: 'https://s/"m"' }]]],
    ["Negotiate YWJj==, Bearer error=x", [["negotiate", {}], ["bearer", { error: "x" }]]],
    ["Negotiate, Basic", [["negotiate", {}], ["basic", {}]]],
    ['Bearer a="1", a="2"', [["bearer", { a: "1" }]]],
    [', ,Bearer a = 1,', [["bearer", { a: "1" }]]],
    ['Bearer a="unclosed', [["bearer", {}]]],
    ['"', []],
  ];
  for (const [header, expected] of cases) {
    it(`reads ${header === "" ? "an empty header" : header}`, () => {
      const found = parseChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);
      assert.deepEqual(found, expected);
    });
  }

  it("takes linear time", () => {
    for (const header of ["a=".repeat(50_000), "Bearer " + "a,".repeat(50_000), 'Bearer a="' + "\\".repeat(50_000), "a".repeat(100_000), " ".repeat(100_000)]) {
      assert.ok(cpuMs(() => void parseChallenges(header)) < 500);
    }
  });
});
