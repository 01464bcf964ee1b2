import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createHostCheck, parseAuthority } from "../../../src/core/http/host-check.ts";
import { send, statelessCall } from "../../support/http-exchange.ts";
import { served } from "./kit.ts";

const refusal = (headers: Record<string, string>, options = {}) => createHostCheck(options).refusal(new Map(Object.entries(headers)));

describe("the check of Host and Origin", () => {
  it("lets loopback names in by default, with any port or none", () => {
    for (const host of ["localhost", "LOCALHOST:3000", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:3000"]) assert.equal(refusal({ host }), undefined, host);
  });

  it("refuses every other name, whatever it begins or ends with, and a missing one", () => {
    const bad = ["evil.example", "localhost.evil.example", "evil.example:3000", "127.0.0.1.evil.example", "localhost@evil.example", "localhost:3000:1"];
    for (const host of [...bad, "::1", "[::1", "local host", "", "localhost:", "localhost:999999", "localhost/x"]) assert.ok(refusal({ host }), host);
    assert.ok(refusal({}));
  });

  it("refuses an Origin that is there and not allowed, null among them; a missing one is no browser's", () => {
    const host = "localhost:3000";
    for (const origin of ["http://localhost:5173", "https://127.0.0.1", "http://[::1]:1"]) assert.equal(refusal({ host, origin }), undefined, origin);
    for (const origin of ["https://evil.example", "null", "", "http://localhost.evil.example", "file://localhost", "http://localhost/x", "localhost"]) {
      assert.ok(refusal({ host, origin }), origin);
    }
  });

  it("takes a list of names behind a proxy, with a port where that matters", () => {
    const allowedHosts = ["mcp.example.com", "other.example:8443"];
    for (const host of ["mcp.example.com", "MCP.example.com:443", "other.example:8443"]) assert.equal(refusal({ host }, { allowedHosts }), undefined, host);
    for (const host of ["localhost", "other.example", "other.example:443", "amcp.example.com"]) assert.ok(refusal({ host }, { allowedHosts }), host);
    assert.equal(refusal({ host: "mcp.example.com", origin: "https://mcp.example.com" }, { allowedHosts }), undefined);
  });

  it("looks at no Host where any will do, and then an Origin must be listed", () => {
    const any = { allowedHosts: "any", allowedOrigins: ["https://app.example.com"] };
    assert.equal(refusal({ host: "whatever" }, any), undefined);
    assert.equal(refusal({}, any), undefined);
    assert.equal(refusal({ host: "x", origin: "https://app.example.com" }, any), undefined);
    assert.ok(refusal({ host: "evil.example", origin: "http://evil.example" }, any));
  });

  it("refuses lists that mean something else than they say", () => {
    for (const bad of ["https://example.com", "*.example.com", "example.com/x", ""]) assert.throws(() => createHostCheck({ allowedHosts: [bad] }), /allowedHosts/, bad);
    for (const bad of ["example.com", "*", "https://example.com/"]) assert.throws(() => createHostCheck({ allowedOrigins: [bad] }), /allowedOrigins/, bad);
  });

  it("takes no letter of another alphabet for one of a name, though case folding does", () => {
    const check = createHostCheck({ allowedHosts: ["kiosk.example"], allowedOrigins: ["https://kiosk.example"] });
    const refusal = (host: string, origin: string) => check.refusal(new Map([["host", host], ["origin", origin]]));
    assert.equal(refusal("KIOSK.example", "HTTPS://Kiosk.example"), undefined);
    assert.match(refusal("\u212aiosk.example", "https://kiosk.example") ?? "", /Host/);
    assert.match(refusal("kiosk.example", "https://\u212aiosk.example") ?? "", /Origin/);
  });

  it("reads names and ports strictly", () => {
    assert.deepEqual(parseAuthority("A.b:1"), { name: "a.b", port: "1" });
    assert.deepEqual(parseAuthority("[::1]"), { name: "[::1]", port: undefined });
    for (const bad of ["a:b", "a b", "-a", "a.", "a..b:99999999", "[x]"]) assert.equal(parseAuthority(bad), undefined, bad);
  });
});

describe("a server", () => {
  it("refuses a foreign Host or Origin with 403 before it reads the body", async () => {
    const { http } = served();
    const foreign: Record<string, string>[] = [{ host: "evil.example" }, { origin: "https://evil.example" }, { origin: "null" }];
    for (const headers of foreign) {
      for (const method of ["POST", "GET", "DELETE", "OPTIONS"]) {
        const call = send(http.handle, { ...statelessCall(1, "tools/list", {}, headers), method });
        assert.equal(await call.status(), 403);
        assert.equal((await call.json())["id"], null);
        assert.equal(call.bodyRead, false);
      }
    }
  });

  it("gives CORS headers to listed origins alone, and lets caches tell them apart", async () => {
    const origin = "https://app.example.com";
    const { http } = served({ allowedOrigins: [origin] });
    const call = (headers: Record<string, string>) => send(http.handle, statelessCall(1, "tools/list", {}, headers));
    assert.equal(await call({ origin }).header("access-control-allow-origin"), origin);
    assert.match((await call({ origin }).header("access-control-expose-headers")) ?? "", /Mcp-Session-Id/);
    const local = call({ origin: "http://localhost:5173" });
    assert.equal(await local.status(), 200);
    assert.equal(await local.header("access-control-allow-origin"), undefined);
    assert.equal(await local.header("vary"), "Origin");
  });

  it("answers a browser's question beforehand, with the headers that it asked for, but never with what would break one", async () => {
    const origin = "https://app.example.com";
    const { http } = served({ allowedOrigins: [origin] });
    const ask = (wanted: string) =>
      send(http.handle, { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": wanted } });
    assert.equal(await ask("content-type,mcp-param-region").status(), 204);
    assert.equal(await ask("content-type,mcp-param-region").header("access-control-allow-headers"), "content-type,mcp-param-region");
    assert.equal(await ask("x\r\nset-cookie: y").header("access-control-allow-headers"), "Content-Type");
    assert.equal(await send(served().http.handle, { method: "OPTIONS", headers: { origin: "http://localhost:1" } }).header("access-control-allow-origin"), undefined);
  });
});
