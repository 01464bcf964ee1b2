// What a program does with its SDK's own transport beside sending and receiving, with a guard in between.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client as Client2x, InMemoryTransport as InMemory2x, SdkHttpError, StreamableHTTPClientTransport as Http2x, UnauthorizedError as Unauthorized2x } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2x } from "@modelcontextprotocol/client/stdio";
import { Client as Client1x } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1x } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1x, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport as InMemory1x } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1x } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createMcpHandler, fromJsonSchema, McpServer as Server2x } from "@modelcontextprotocol/server";
import type { EventStore } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { mutator, validator, type Interceptor } from "../../../src/index.ts";
import { library } from "../matrix/library.ts";
import { call, clientOf, connect, connected, createPolicy, SERVER_URL, type AnyClient, type Line } from "./wires.ts";

const guarded = async (client: AnyClient, interceptors: readonly Interceptor[] = createPolicy()): Promise<AnyClient> =>
  library.guardClient(client, await library.localChain(interceptors));
const http = (line: Line, fetch: () => Promise<Response>): unknown => new (line === "1.x" ? Http1x : Http2x)(SERVER_URL, { fetch });

for (const line of ["1.x", "2.x, handshake", "2.x, stateless"] as const satisfies readonly Line[]) {
  describe(`a guarded client of ${line}`, () => {
    const HttpError = line === "1.x" ? StreamableHTTPError : SdkHttpError;

    it("is given the errors that its transport throws, and is told of them, as without a guard", { timeout: 10_000 }, async () => {
      const told = async (client: AnyClient) => {
        const heard: string[] = [];
        client.onerror = (error) => heard.push(error.constructor.name);
        const thrown: unknown = await connect(client, http(line, async () => new Response("no", { status: 500 }))).catch((error: unknown) => error);
        return { thrown: (thrown as Error).constructor.name, isHttp: thrown instanceof HttpError, heard };
      };
      const plain = await told(clientOf(line));
      const behind = await told(await guarded(clientOf(line)));
      assert.deepEqual(behind, plain);
      assert.ok(plain.thrown !== "LocalError", plain.thrown);
      // What its probe of a server fails with it keeps to itself.
      assert.equal(plain.heard.length > 0, line !== "2.x, stateless");
    });

    it("rejects its connect where the program cannot be started, as without a guard", { timeout: 10_000 }, async () => {
      const transport = () => new (line === "1.x" ? Stdio1x : Stdio2x)({ command: "/there/is/no/such/program", stderr: "ignore" });
      const code = async (client: AnyClient) => ((await connect(client, transport()).catch((error: unknown) => error)) as { code?: unknown }).code;
      assert.equal(await code(await guarded(clientOf(line))), await code(clientOf(line)));
    });

    it("has its own transport's class and methods on what it is connected to", { timeout: 10_000 }, async () => {
      const { client, posts, closeServer } = await connected(line, "http", "client");
      const transport: unknown = client.transport;
      assert.ok(transport instanceof (line === "1.x" ? Http1x : Http2x));
      if (line !== "2.x, stateless") {
        assert.equal(typeof transport.sessionId, "string");
        await transport.terminateSession();
        assert.equal(posts.at(-1)?.method, "DELETE");
        assert.equal(transport.sessionId, undefined);
      }
      await client.close();
      await closeServer();
    });

    it("ends what judges a request that it gives up, and the request is never sent", { timeout: 10_000 }, async () => {
      let ended: Promise<void> | undefined;
      const never = validator({ name: "never", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ signal }) => {
        ended = new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        abort.abort("enough");
        return ended.then(() => true);
      });
      const abort = new AbortController();
      const { client, posts, closeServer } = await connected(line, "http", "client", { interceptors: [never] });
      await assert.rejects(call(client, "echo", { text: "x" }, { signal: abort.signal }));
      await ended;
      assert.equal(posts.filter(({ body }) => body.includes('"tools/call"')).length, 0);
      await client.close();
      await closeServer();
    });
  });
}

describe("a transport that is guarded by itself", () => {
  it("is one of its SDK's, for the compiler as well", { timeout: 10_000 }, async () => {
    const chain = await library.localChain(createPolicy());
    const [near1x, far1x] = InMemory1x.createLinkedPair();
    const server1x = new Server1x({ name: "s", version: "1" });
    await server1x.connect(library.guardSdkTransport(far1x, chain, { role: "server" }));
    const client1x = new Client1x({ name: "c", version: "1" });
    await client1x.connect(library.guardSdkTransport(near1x, chain, { role: "client" }));
    await client1x.ping();
    await client1x.close();

    const [near2x, far2x] = InMemory2x.createLinkedPair();
    const server2x = new Server2x({ name: "s", version: "1" });
    await server2x.connect(library.guardSdkTransport(far2x, chain, { role: "server" }));
    const client2x = new Client2x({ name: "c", version: "1" });
    await client2x.connect(library.guardSdkTransport(near2x, chain, { role: "client" }));
    await client2x.ping();
    await client2x.close();
    // As deep as it goes: each of their transports, of either side.
    const guardAny = (transport: Stdio1x | Stdio2x | Http1x | Http2x) => library.guardSdkTransport(transport, chain, { role: "client" });
    assert.ok(guardAny(new Http2x(SERVER_URL)) instanceof Http2x);
  });
});

describe("resumption", () => {
  it("passes both ways: tokens are told to who asked, and what was missed comes by them", { timeout: 10_000 }, async () => {
    for (const side of ["neither", "client", "server"] as const) {
      const events: { id: string; stream: string; message: Parameters<EventStore["storeEvent"]>[1] }[] = [];
      const eventStore: EventStore = {
        async storeEvent(stream, message) {
          const id = `${stream}_${events.length}`;
          events.push({ id, stream, message });
          return id;
        },
        async replayEventsAfter(last, { send }) {
          const at = events.findIndex(({ id }) => id === last);
          const stream = events[at]?.stream ?? "";
          for (const { id, message } of events.slice(at + 1)) if (id.startsWith(stream)) await send(id, message);
          return stream;
        },
      };
      const { client, posts, closeServer } = await connected("1.x", "http", side, { eventStore });
      const tokens: string[] = [];
      await call(client, "progress", {}, { onprogress: () => {}, onresumptiontoken: (token) => tokens.push(token) });
      assert.ok(tokens.length >= 4, `${side}: ${tokens.join(", ")}`);
      const before = posts.length;
      // From the first report on; the answer is given for the id of the new request.
      const resumed = await call(client, "progress", {}, { onprogress: () => {}, resumptionToken: tokens[0]! });
      assert.equal(resumed.text, "done");
      assert.deepEqual(posts.slice(before).map(({ method }) => method), ["GET"], "a resumed request is not sent again");
      await client.close();
      await closeServer();
    }
  });
});

describe("a client of 2.x that finds out the revision", () => {
  it("is guarded over stdio, where it asks a process of its own first", { timeout: 20_000 }, async () => {
    const client = library.guardClient(new Client2x({ name: "c", version: "1" }, { versionNegotiation: { mode: "auto" } }), await library.localChain(createPolicy()));
    const program = new URL("servers/server-2x.mjs", import.meta.url).pathname;
    await client.connect(new Stdio2x({ command: process.execPath, args: [program], stderr: "ignore" }));
    assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
    assert.deepEqual(await call(client, "echo", { text: "change me" }), { text: "CHANGE ME", audited: true });
    await client.close();
  });

  it("is asked to sign in as without a guard", { timeout: 10_000 }, async () => {
    const client = await guarded(clientOf("2.x, handshake"));
    const authProvider = { token: async () => "old", onUnauthorized: async () => Promise.reject(new Unauthorized2x("sign in")) };
    const transport = new Http2x(SERVER_URL, { authProvider, fetch: async () => new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } }) });
    await assert.rejects(connect(client, transport), (error) => error instanceof Unauthorized2x);
  });
});

describe("the stateless era of 2.x", () => {
  const noSubscription = validator({ name: "no-subscription", hooks: [{ events: ["resources/subscribe"], phase: "request" }] }, () => false);

  it("has its subscriptions judged where the transport is guarded, or the client", { timeout: 20_000 }, async () => {
    for (const [wire, side] of [["memory", "server"], ["memory", "client"], ["http", "client"]] as const) {
      const { client, closeServer } = await connected("2.x, stateless", wire, side, { interceptors: [noSubscription] });
      await assert.rejects((client as Client2x).listen({ resourceSubscriptions: ["note://one"] }), `${wire}, ${side}`);
      await client.close();
      await closeServer();
    }
  });

  it("answers subscriptions past the guard of a server that an HTTP handler makes, as the page says", { timeout: 20_000 }, async () => {
    const { client, closeServer } = await connected("2.x, stateless", "http", "server", { interceptors: [noSubscription] });
    const subscription = await (client as Client2x).listen({ resourceSubscriptions: ["note://one"] });
    await subscription.close();
    await client.close();
    await closeServer();
  });

  it("lets a header that mirrors an argument follow what a mutator makes of it", { timeout: 20_000 }, async () => {
    const mirroring = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" }, id: { type: "integer", "x-mcp-header": "Id" } } } as const;
    const inputSchema = fromJsonSchema<{ region: string; id: number }>(mirroring);
    const handler = createMcpHandler(() => {
      const server = new Server2x({ name: "s", version: "1" });
      server.registerTool("where", { inputSchema }, ({ region, id }) => ({ content: [{ type: "text", text: `${region} ${id}` }] }));
      return server;
    });
    const masks = mutator({ name: "masks", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => ({ ...payload, arguments: { ...payload.arguments, region: "世界" } }));
    const client = await guarded(clientOf("2.x, stateless"), [masks]);
    const mirrored: (string | null)[] = [];
    const fetch = (url: string | URL, init?: RequestInit) => {
      const request = new Request(url, init);
      if (request.headers.get("mcp-method") === "tools/call") mirrored.push(request.headers.get("mcp-param-region"), request.headers.get("mcp-param-id"));
      return handler.fetch(request);
    };
    await connect(client, new Http2x(SERVER_URL, { fetch }));
    await client.listTools();
    assert.equal((await call(client, "where", { region: "secret", id: 7 })).text, "世界 7");
    assert.deepEqual(mirrored, ["=?base64?5LiW55WM?=", "7"]);
    await client.close();
    await handler.close();
  });
});
