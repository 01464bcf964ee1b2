// Our client over HTTP against servers of both lines of the official SDK, in process: a fetch that hands requests to their handlers. So a
// connection can be cut, and a session forgotten, at the right moment.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMcpHandler, fromJsonSchema, McpServer as Server2x } from "@modelcontextprotocol/server";
import { McpServer as Server1x } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { detectHost, httpTransport, McpClient, type McpClientOptions } from "../../../src/index.ts";
import { fetchSend } from "../../../src/web.ts";
import { z } from "zod";

const URL_OF_SERVER = "http://localhost/mcp";

type Fetch = (request: Request) => Promise<Response>;

async function connected(fetch: Fetch, options: McpClientOptions = {}): Promise<McpClient> {
  const host = { ...detectHost(), fetch: (url: string, init: RequestInit) => fetch(new Request(url, init)) } as unknown as ReturnType<typeof detectHost>;
  const client = new McpClient({ name: "c", version: "1" }, options);
  await client.connect(httpTransport({ url: URL_OF_SERVER, send: fetchSend(host), host }));
  return client;
}

describe("our client over HTTP and a server of the official 2.x line", () => {
  const region = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } } as const;
  const factory = () => {
    const server = new Server2x({ name: "s", version: "1" });
    server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({ content: [{ type: "text", text }] }));
    server.registerTool("where", { inputSchema: fromJsonSchema<{ region: string }>(region) }, (args) => ({ content: [{ type: "text", text: args.region }] }));
    server.registerTool("progress", { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= 3 && progressToken !== undefined; progress++) await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress } });
      return { content: [{ type: "text", text: "done" }] };
    });
    server.registerResource("r", "file:///%C3%A9", {}, (uri) => ({ contents: [{ uri: uri.href, text: "x" }] }));
    return server;
  };

  for (const era of ["stateless", "handshake"] as const) {
    it(`lists, calls and reads, ${era}`, async () => {
      const handler = createMcpHandler(factory);
      const client = await connected((request) => handler.fetch(request), { era });
      assert.equal(client.era, era);
      assert.deepEqual((await client.listTools()).map(({ name }) => name).sort(), ["echo", "progress", "where"]);
      assert.deepEqual((await client.callTool({ name: "echo", arguments: { text: "é😀\u2028" } })).content, [{ type: "text", text: "é😀\u2028" }]);
      const reports: number[] = [];
      await client.callTool({ name: "progress" }, { onProgress: ({ progress }) => reports.push(progress) });
      assert.deepEqual(reports, [1, 2, 3]);
      const uri = (await client.listResources())[0]!.uri;
      assert.equal((await client.readResource({ uri })).contents.length, 1);
      await client.close();
    });
  }

  it("mirrors parameters that were never listed, once the server has refused", async () => {
    const seen: (string | null)[] = [];
    const handler = createMcpHandler(factory);
    const fetch: Fetch = (request) => {
      if (request.headers.get("mcp-method") === "tools/call") seen.push(request.headers.get("mcp-param-region"));
      return handler.fetch(request);
    };
    const client = await connected(fetch, { era: "stateless" });
    const { content } = await client.callTool({ name: "where", arguments: { region: " 世界" } });
    assert.deepEqual(content, [{ type: "text", text: " 世界" }]);
    assert.equal(seen.at(-1), "=?base64?IOS4lueVjA==?=");
    await client.close();
  });

  it("hears of changed lists", async () => {
    const handler = createMcpHandler(factory);
    const client = new McpClient({ name: "c", version: "1" }, { era: "stateless" });
    const heard = new Promise<void>((resolve) => client.onListChanged("tools", resolve));
    const host = { ...detectHost(), fetch: (url: string, init: RequestInit) => handler.fetch(new Request(url, init)) } as unknown as ReturnType<typeof detectHost>;
    await client.connect(httpTransport({ url: URL_OF_SERVER, send: fetchSend(host), host }));
    const again = setInterval(() => handler.notify.toolsChanged(), 20);
    await heard;
    clearInterval(again);
    await client.close();
  });
});

describe("our client over HTTP and a server of the official 1.x line", () => {
  /** A server with sessions and an event store, whose sessions can be forgotten, and whose streams can be cut. */
  function server1x() {
    let sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
    const calls: string[] = [];
    let release = () => {};
    const open = async () => {
      const events: { stream: string; message: never }[] = [];
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (id) => void sessions.set(id, transport),
        retryInterval: 20,
        eventStore: {
          storeEvent: async (stream, message) => String(events.push({ stream, message: message as never }) - 1),
          async replayEventsAfter(lastEventId, { send }) {
            const stream = events[Number(lastEventId)]?.stream ?? "";
            for (const [id, event] of events.entries()) if (id > Number(lastEventId) && event.stream === stream && Object.keys(event.message).length > 0) await send(String(id), event.message);
            return stream;
          },
        },
      });
      const server = new Server1x({ name: "s", version: "1" });
      server.registerTool("echo", { inputSchema: { text: z.string() } as never }, (async ({ text }: { text: string }) => {
        calls.push(text);
        return { content: [{ type: "text", text }] };
      }) as never);
      server.registerTool("poll", { inputSchema: {} }, (async (_args: unknown, extra: { closeSSEStream?(): void }) => {
        calls.push("poll");
        const released = new Promise<void>((resolve) => (release = resolve));
        extra.closeSSEStream?.();
        await released;
        return { content: [{ type: "text", text: "polled" }] };
      }) as never);
      await server.connect(transport as never);
      return transport;
    };
    const fetch: Fetch = async (request) => {
      const id = request.headers.get("mcp-session-id");
      const transport = id === null ? await open() : sessions.get(id);
      if (request.method === "GET" && request.headers.get("last-event-id") !== null) setTimeout(() => release(), 10);
      return transport === undefined ? Response.json({ jsonrpc: "2.0", error: { code: -32001, message: "Session not found" }, id: null }, { status: 404 }) : transport.handleRequest(request);
    };
    return { fetch, calls, forget: () => (sessions = new Map()) };
  }

  it("opens a session after its probe was refused, calls, and ends the session", async () => {
    const { fetch } = server1x();
    const client = await connected(fetch);
    assert.deepEqual([client.era, client.protocolVersion], ["handshake", "2025-11-25"]);
    assert.deepEqual((await client.callTool({ name: "echo", arguments: { text: "é😀" } })).content, [{ type: "text", text: "é😀" }]);
    await client.close();
  });

  it("resumes a stream that the server has closed, and the call runs once", async () => {
    const { fetch, calls } = server1x();
    const client = await connected(fetch, { era: "handshake" });
    assert.deepEqual((await client.callTool({ name: "poll" })).content, [{ type: "text", text: "polled" }]);
    assert.deepEqual(calls, ["poll"]);
    await client.close();
  });

  it("opens a new session where the server has forgotten the old one, and each call runs once", async () => {
    const { fetch, calls, forget } = server1x();
    const client = await connected(fetch, { era: "handshake" });
    await client.callTool({ name: "echo", arguments: { text: "a" } });
    forget();
    await Promise.all(["b", "c", "d"].map((text) => client.callTool({ name: "echo", arguments: { text } })));
    assert.deepEqual(calls.sort(), ["a", "b", "c", "d"]);
    await client.close();
  });
});
