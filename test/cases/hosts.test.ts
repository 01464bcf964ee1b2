// Case 28: Host and Origin, by configuration, on every port that a gateway opens.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { networkInterfaces } from "node:os";
import { INDEX } from "../gateway/config/kit.ts";
import { gateways, metaOf, sendRaw } from "./kit.ts";

const { folder, start } = gateways();
folder.write("server.mjs", `import { McpServer } from ${JSON.stringify(INDEX)};\nexport const server = new McpServer({ name: "own", version: "1" });\nserver.tool({ name: "read", inputSchema: { type: "object" } }, () => "text");`);
const config = (http: object = {}, more: object = {}) => ({ upstreams: { own: { module: "server.mjs" } }, http: { port: 0, ...http }, ...more });

const BODY = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: metaOf() } });
const HEAD = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\nConnection: close\r\n";

/** A whole POST with these lines about host and origin. */
async function list(url: string, lines: readonly string[], http = "HTTP/1.1"): Promise<number> {
  const { status, text } = await sendRaw(url, `POST /own/mcp ${http}\r\n${lines.map((line) => `${line}\r\n`).join("")}${HEAD}Content-Length: ${Buffer.byteLength(BODY)}\r\n\r\n${BODY}`);
  // What is refused says nothing of the server.
  assert.equal(text.includes('"read"'), status === 200, text);
  return status;
}

const GOOD = ["127.0.0.1", "127.0.0.1:PORT", "localhost", "localhost:PORT", "LOCALHOST:PORT", "LocalHost", "[::1]", "[::1]:PORT", "127.0.0.1:9"];
const BAD = [
  ...["evil.example", "evil.example:PORT", "localhost.evil.example", "evil.localhost", "localhost.", "localhost.:PORT", "xlocalhost", "localhostx"],
  ...["127.0.0.1.evil.example", "127.0.0.1.", "127.0.0.2", "127.1", "2130706433", "0x7f000001", "0.0.0.0:PORT", "::1", "[::1", "[::]", "[::ffff:127.0.0.1]"],
  ...["localhost:", "localhost:PORT:1", "localhost:port", "localhost@evil.example", "evil.example@localhost", "localhost/", "localhost, evil.example", "localhost evil.example", "*", ""],
];
const GOOD_ORIGINS = ["http://localhost", "http://localhost:PORT", "https://127.0.0.1:5173", "http://[::1]:PORT", "HTTP://LOCALHOST"];
const BAD_ORIGINS = [
  ...["https://evil.example", "null", "NULL", "", "http://localhost.evil.example", "http://localhost.", "localhost", "file://", "chrome-extension://abcdefgh", "http://localhost@evil.example"],
  ...["http://127.0.0.1.evil.example:PORT", "http://localhost, https://evil.example", "http:/localhost", "//localhost", "javascript://localhost", "http://localhost/path"],
];

describe("a gateway on this machine", () => {
  it("is called by its own names alone, however they are spelt, and by no page of another's", async () => {
    const { gateway } = await start(config());
    const url = gateway.url ?? "";
    const { port } = new URL(url);
    const filled = (text: string) => text.replaceAll("PORT", port);
    for (const host of GOOD) assert.equal(await list(url, [`Host: ${filled(host)}`]), 200, host);
    for (const host of BAD) assert.ok([400, 403].includes(await list(url, [`Host: ${filled(host)}`])), host);
    for (const host of ["evil.example", "localhost.evil.example", "localhost.", "127.0.0.2"]) assert.equal(await list(url, [`Host: ${host}`]), 403, host);
    for (const origin of GOOD_ORIGINS) assert.equal(await list(url, ["Host: localhost", `Origin: ${filled(origin)}`]), 200, origin);
    for (const origin of BAD_ORIGINS) assert.equal(await list(url, ["Host: localhost", `Origin: ${filled(origin)}`]), 403, origin);
  });

  it("refuses a request without a Host, with two, or with one that a proxy's headers contradict", async () => {
    const { gateway } = await start(config());
    const url = gateway.url ?? "";
    assert.equal(await list(url, []), 400);
    assert.equal(await list(url, [], "HTTP/1.0"), 403);
    assert.ok([400, 403].includes(await list(url, ["Host: evil.example", "Host: localhost"])));
    assert.equal(await list(url, ["Host: localhost", "Origin: http://localhost", "Origin: https://evil.example"]), 403);
    assert.equal(await list(url, ["Host: evil.example", "X-Forwarded-Host: localhost", "Forwarded: host=localhost"]), 403);
  });

  it("refuses before it reads a body, and whatever the method and the path", async () => {
    const { gateway } = await start(config());
    const url = gateway.url ?? "";
    const announced = `POST /own/mcp HTTP/1.1\r\nHost: evil.example\r\n${HEAD}Content-Length: 100000\r\nExpect: 100-continue\r\n\r\n`;
    const { status, text } = await sendRaw(url, announced);
    assert.deepEqual([status, text.includes("100 Continue")], [403, false]);
    for (const method of ["GET", "DELETE", "OPTIONS", "PUT"]) {
      assert.equal((await sendRaw(url, `${method} /own/mcp HTTP/1.1\r\nHost: evil.example\r\nAccept: text/event-stream\r\nConnection: close\r\n\r\n`)).status, 403, method);
    }
    const { status: preflight, text: answer } = await sendRaw(url, "OPTIONS /own/mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\nConnection: close\r\n\r\n");
    assert.deepEqual([preflight, /access-control-allow/i.test(answer)], [403, false]);
  });

  it("behind a proxy takes the names and origins of its lists, and with them its own names no more", async () => {
    const { gateway } = await start(config({ allowedHosts: ["mcp.example.com", "[::1]:3000", "Inner:8080"], allowedOrigins: ["https://App.example.com", "http://dev.example.com:5173"] }));
    const url = gateway.url ?? "";
    const hosts = { 200: ["mcp.example.com", "MCP.Example.com:443", "[::1]:3000", "inner:8080"], 403: ["localhost", "127.0.0.1", "[::1]", "[::1]:3001", "inner", "inner:8081", "mcp.example.com.", "x.mcp.example.com", "mcp.example.com.evil.example"] };
    for (const [status, all] of Object.entries(hosts)) for (const host of all) assert.equal(await list(url, [`Host: ${host}`]), Number(status), host);
    const origins = { 200: ["https://app.example.com", "http://dev.example.com:5173", "https://mcp.example.com"], 403: ["http://app.example.com", "https://app.example.com:444", "http://dev.example.com", "https://x.app.example.com", "null"] };
    for (const [status, all] of Object.entries(origins)) for (const origin of all) assert.equal(await list(url, ["Host: mcp.example.com", `Origin: ${origin}`]), Number(status), origin);
  });

  it("that lets any host in takes pages of its list alone", async () => {
    const { gateway } = await start(config({ allowedHosts: "any", allowedOrigins: ["https://app.example.com"] }));
    const url = gateway.url ?? "";
    assert.equal(await list(url, ["Host: whatever.example"]), 200);
    assert.equal(await list(url, ["Host: whatever.example", "Origin: https://app.example.com"]), 200);
    for (const origin of ["https://whatever.example", "http://localhost", "null"]) assert.equal(await list(url, ["Host: whatever.example", `Origin: ${origin}`]), 403, origin);
  });

  const v6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1") === true);
  it("is called by whatever address of this machine it listens on", async () => {
    for (const host of ["localhost", ...(process.platform === "linux" ? ["127.0.0.3"] : []), ...(v6 ? ["::1"] : [])]) {
      const { gateway } = await start(config({ host }));
      const url = gateway.url ?? "";
      assert.equal(await list(url, [`Host: ${new URL(url).host}`]), 200, host);
      assert.equal(await list(url, ["Host: evil.example"]), 403, host);
    }
  });
});

describe("the port for metrics and health", () => {
  const get = async (url: string | undefined, path: string, lines: readonly string[]) =>
    (await sendRaw(url ?? "", `GET ${path} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join("")}Connection: close\r\n\r\n`)).status;

  it("on this machine gives nothing to a page whose own name was made to lead here", async () => {
    const { opsUrl } = await start(config({}, { metrics: {} }));
    for (const path of ["/metrics", "/healthz", "/readyz"]) {
      // A page asks its own origin by GET, without an Origin.
      assert.equal(await get(opsUrl, path, ["Host: evil.example:9090"]), 403, path);
      assert.equal(await get(opsUrl, path, ["Host: localhost", "Origin: http://localhost"]), 403, path);
      assert.equal(await get(opsUrl, path, ["Host: localhost", "Origin: null"]), 403, path);
      for (const host of ["localhost:9090", "127.0.0.1", "[::1]:1"]) assert.equal(await get(opsUrl, path, [`Host: ${host}`]), 200, `${path} ${host}`);
    }
  });

  it("takes the names of its list, and any where others reach it", async () => {
    const listed = await start(config({}, { metrics: { allowedHosts: ["metrics.internal"] } }));
    assert.deepEqual([await get(listed.opsUrl, "/healthz", ["Host: metrics.internal:80"]), await get(listed.opsUrl, "/healthz", ["Host: localhost"])], [200, 403]);
    const open = await start(config({}, { metrics: { host: "0.0.0.0" } }));
    assert.equal(await get(open.opsUrl, "/healthz", ["Host: 10.1.2.3:9090"]), 200);
  });
});
