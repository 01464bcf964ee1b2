import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serve } from "../../src/core/http/serve.ts";
import { McpServer } from "../../src/core/mcp/server.ts";
import { fetchHandler } from "../../src/web/fetch-handler.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { initializeCall, statelessCall, type FakeCall } from "../support/http-exchange.ts";

function served(options: Parameters<typeof fetchHandler>[0] = {}) {
  const host = fakeHost();
  const handler = fetchHandler({ host, ...options });
  const server = new McpServer({ name: "s", version: "1" }, { host });
  server.tool({ name: "echo", inputSchema: { type: "object" } }, ({ text }) => String(text));
  void serve(server, handler);
  return { handler, server, host };
}

const toRequest = ({ headers = {}, body }: FakeCall, { url = "http://localhost:3000/mcp", signal }: { url?: string; signal?: AbortSignal } = {}) =>
  new Request(url, {
    method: "POST",
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...(headers as Record<string, string>) },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });

describe("fetchHandler", () => {
  it("answers both eras", async () => {
    const { handler } = served();
    const { fetch } = handler;
    const answer = await fetch(toRequest(statelessCall(1, "tools/call", { name: "echo", arguments: { text: "ä😀" } })));
    assert.equal(answer.status, 200);
    assert.equal(((await answer.json()) as { result: { content: [{ text: string }] } }).result.content[0].text, "ä😀");
    const opened = await fetch(toRequest(initializeCall()));
    const id = opened.headers.get("mcp-session-id");
    assert.ok(id !== null);
    const ended = await fetch(new Request("http://localhost:3000/mcp", { method: "DELETE", headers: { "mcp-session-id": id } }));
    assert.equal(ended.status, 204);
    await handler.close();
  });

  it("checks the host that the URL names, and takes one that it is told of", async () => {
    const url = "https://mcp.example.com/mcp";
    const call = statelessCall(1, "tools/list");
    assert.equal((await served().handler.fetch(toRequest(call, { url }))).status, 403);
    assert.equal((await served({ allowedHosts: ["mcp.example.com"] }).handler.fetch(toRequest(call, { url }))).status, 200);
  });

  it("streams as it comes, pulls nothing ahead, and hears of a reader that leaves", async () => {
    const { handler, server } = served();
    const answer = await handler.fetch(toRequest(statelessCall(2, "subscriptions/listen", { notifications: { toolsListChanged: true } })));
    const reader = answer.body!.getReader();
    const decoder = new TextDecoder();
    const first = decoder.decode((await reader.read()).value);
    assert.ok(first.startsWith(": \n\n") && first.includes("acknowledged"));
    server.tool({ name: "t", inputSchema: { type: "object" } }, () => "");
    assert.ok(decoder.decode((await reader.read()).value).includes("tools/list_changed"));
    await reader.cancel();
    await settle();
    assert.deepEqual(handler.stats(), { sessions: 0, stateless: 0, requests: 0, waiting: 0 });
  });

  it("hears by the signal of a request of a reader that leaves its stream, read or not", async () => {
    for (const read of [true, false]) {
      const { handler } = served();
      const client = new AbortController();
      const call = statelessCall(2, "subscriptions/listen", { notifications: { toolsListChanged: true } });
      const answer = await handler.fetch(toRequest(call, { signal: client.signal }));
      const reader = answer.body!.getReader();
      if (read) await reader.read();
      client.abort();
      await settle();
      assert.deepEqual(handler.stats(), { sessions: 0, stateless: 0, requests: 0, waiting: 0 });
      await assert.rejects(reader.read());
    }
  });

  it("cuts off a reader that takes nothing", async () => {
    const { handler, host, server } = served({ limits: { maxStreamChars: 100 } });
    const answer = await handler.fetch(toRequest(statelessCall(2, "subscriptions/listen", { notifications: { toolsListChanged: true } })));
    server.tool({ name: "t", inputSchema: { type: "object" } }, () => "");
    await host.advance(32_000);
    await assert.rejects(answer.body!.getReader().read(), /took nothing/);
    assert.equal(handler.stats().requests, 0);
    assert.equal(handler.stats().stateless, 0);
  });

  it("hears of a client that leaves before there is an answer", async () => {
    const { handler, server } = served();
    let aborted = false;
    server.tool({ name: "wait", inputSchema: { type: "object" } }, (_args, { coreSignal }) => new Promise<string>(() => coreSignal.onAbort(() => (aborted = true))));
    const client = new AbortController();
    void handler.fetch(toRequest(statelessCall(3, "tools/call", { name: "wait" }), { signal: client.signal }));
    await settle();
    client.abort();
    await settle();
    assert.equal(aborted, true);
  });

  it("stops reading a body that grows past the limit", async () => {
    const { handler } = served({ limits: { maxMessageBytes: 400 } });
    assert.equal((await handler.fetch(toRequest(statelessCall(1, "tools/list", { x: "y".repeat(1_000) })))).status, 413);
  });
});
