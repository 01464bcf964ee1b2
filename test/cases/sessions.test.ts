// Case 20: an upstream that has lost its sessions is greeted anew, and its clients need not know.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { ask, gateways, HANDSHAKE, session } from "./kit.ts";

const { start } = gateways();

/** A server of the handshake era with sessions that it can lose, and what was sent to it, one word each. */
async function forgetful() {
  const sessions = new Set<string>();
  const log: string[] = [];
  let broken = false;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      if (request.method !== "POST") return void response.writeHead(request.method === "DELETE" ? 200 : 405).end();
      const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params?: { name?: string } };
      const own = request.headers["mcp-session-id"];
      if (method !== "initialize" && (broken || !sessions.has(String(own)))) {
        log.push(`404 ${method}`);
        return void response.writeHead(404).end();
      }
      log.push(params?.name ?? method);
      if (id === undefined) return void response.writeHead(202).end();
      const opened = `session-${log.length}`;
      if (method === "initialize") sessions.add(opened);
      const result = method === "initialize" ? { protocolVersion: HANDSHAKE, capabilities: { tools: {} }, serverInfo: { name: "forgetful", version: "1" } } : { content: [{ type: "text", text: String(params?.name) }] };
      response.writeHead(200, { "content-type": "application/json", ...(method === "initialize" ? { "mcp-session-id": opened } : {}) }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, log, lose: () => sessions.clear(), breakDown: (now: boolean) => void (broken = now) };
}

describe("the sessions of an upstream that was restarted", () => {
  it("are opened anew once, and the client's own goes on", async () => {
    const upstream = await forgetful();
    const { gateway } = await start({ upstreams: { own: { url: upstream.url } }, http: { port: 0 } });
    const url = `${gateway.url}/own/mcp`;
    const opened = await session(url);
    const call = async (name: string) => ((await opened.ask("tools/call", { name })).message.result?.["content"] as { text: string }[] | undefined)?.[0]?.text;
    assert.equal(await call("before"), "before");
    upstream.lose();
    upstream.log.length = 0;
    const names = Array.from({ length: 8 }, (_, index) => `call-${index}`);
    assert.deepEqual(await Promise.all(names.map(call)), names);
    // What was refused had not been done, so it may be sent again: once.
    assert.equal(upstream.log.filter((word) => word === "initialize").length, 1);
    assert.deepEqual(upstream.log.filter((word) => word.startsWith("call-")).sort(), names);
    upstream.lose();
    upstream.log.length = 0;
    assert.equal((await ask(url, "tools/call", { name: "stateless" })).message.error, undefined);
    assert.equal(await call("after"), "after");
    assert.deepEqual(upstream.log.filter((word) => !word.includes("/")), ["initialize", "stateless", "initialize", "after"]);
  });

  it("that cannot be opened any more have their calls answered, and the next one tries again", async () => {
    const upstream = await forgetful();
    const { gateway } = await start({ upstreams: { own: { url: upstream.url } }, http: { port: 0 } });
    const opened = await session(`${gateway.url}/own/mcp`);
    assert.equal((await opened.ask("tools/call", { name: "one" })).message.error, undefined);
    upstream.breakDown(true);
    const { message } = await opened.ask("tools/call", { name: "two" });
    assert.equal(message.error?.data?.["reason"], "unavailable");
    assert.ok(upstream.log.filter((word) => word === "404 tools/call").length <= 2, upstream.log.join());
    upstream.breakDown(false);
    assert.equal((await opened.ask("tools/call", { name: "three" })).message.error, undefined);
  });
});
