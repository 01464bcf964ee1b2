import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LocalError } from "../../../src/core/base/errors.ts";
import { createChain } from "../../../src/core/client/local-chain.ts";
import { guardTransport } from "../../../src/core/guard/guard.ts";
import { connectHttp } from "../../../src/core/http/connect-http.ts";
import { directSend } from "../../../src/core/http/direct-send.ts";
import type { HttpSend } from "../../../src/core/http/exchange.ts";
import { httpTransport } from "../../../src/core/http/http-client.ts";
import { createHttpServer } from "../../../src/core/http/http-server.ts";
import type { HttpServerOptions } from "../../../src/core/http/http-server-options.ts";
import { serve } from "../../../src/core/http/serve.ts";
import { mutator, validator } from "../../../src/core/interceptor/define.ts";
import { allow, deny } from "../../../src/core/interceptor/verdict.ts";
import { localChain } from "../../../src/core/client/local-chain.ts";
import { McpClient, type McpClientOptions } from "../../../src/core/mcp/client.ts";
import { elicit } from "../../../src/core/mcp/features/server-ask.ts";
import { McpServer } from "../../../src/core/mcp/server.ts";
import { hostInterceptors } from "../../../src/core/server/interceptor-server.ts";
import { settle } from "../../support/fake-host.ts";
import { URL_OF_SERVER } from "./client-kit.ts";

// The client against the server, both whole, over exchanges without sockets.

function serving(set: (server: McpServer) => void, options: HttpServerOptions = {}) {
  const http = createHttpServer({ allowedHosts: ["server.example"], ...options });
  const server = new McpServer({ name: "s", version: "1" }, options.versions === undefined ? {} : { versions: options.versions });
  set(server);
  void serve(server, http);
  return { http, server };
}

const methods: string[] = [];
const counting = (send: HttpSend): HttpSend => (call) => {
  methods.push(call.method);
  return send(call);
};

async function connected(send: HttpSend, options: McpClientOptions = {}, prepare: (client: McpClient) => void = () => {}): Promise<McpClient> {
  const client = new McpClient({ name: "c", version: "1" }, options);
  prepare(client);
  await client.connect(httpTransport({ url: URL_OF_SERVER, send }));
  return client;
}

const echo = (server: McpServer) => {
  server.tool({ name: "echo", inputSchema: { type: "object" } }, async ({ text }, context) => {
    await context.reportProgress(1);
    return String(text);
  });
};

for (const era of ["stateless", "handshake"] as const) {
  describe(`client and server over HTTP, ${era}`, () => {
    it("find each other, list, call with progress, and part without leaving anything", async () => {
      const { http } = serving((server) => {
        echo(server);
        server.resource({ uri: "file:///é", name: "r" }, () => ({ contents: [{ uri: "file:///é", text: "x" }] }));
      });
      const client = await connected(directSend(http.handle), { era });
      assert.equal(client.era, era);
      assert.deepEqual((await client.listTools()).map(({ name }) => name), ["echo"]);
      const texts = await Promise.all(["a", "é😀\u2028"].map((text) => client.callTool({ name: "echo", arguments: { text } })));
      assert.deepEqual(texts.map(({ content }) => content[0]), [{ type: "text", text: "a" }, { type: "text", text: "é😀\u2028" }]);
      assert.equal((await client.readResource({ uri: "file:///é" })).contents.length, 1);
      const reports: number[] = [];
      await client.callTool({ name: "echo", arguments: { text: "a" } }, { onProgress: ({ progress }) => reports.push(progress) });
      assert.deepEqual(reports, [1]);
      await assert.rejects(client.callTool({ name: "none" }), { code: -32602 });
      await client.close();
      await settle();
      const { sessions, stateless, requests } = http.stats();
      assert.deepEqual({ sessions, stateless, requests }, { sessions: 0, stateless: 0, requests: 0 });
      await http.close();
    });

    it("ask each other: the server elicits in the middle of a call", async () => {
      const { http } = serving((server) => {
        server.tool({ name: "ask", inputSchema: { type: "object" } }, async (_args, context) => {
          const schema = { type: "object", properties: { ok: { type: "boolean" } } } as const;
          const answer = await context.ask(elicit({ message: "sure?", requestedSchema: schema }));
          return JSON.stringify(answer);
        });
      });
      const client = await connected(directSend(http.handle), { era }, (it) => it.onElicitation(() => ({ action: "accept", content: { ok: true } })));
      const { content } = await client.callTool({ name: "ask" });
      assert.match(JSON.stringify(content), /accept/);
      await client.close();
      await http.close();
    });

    it("cancel: the handler's signal aborts when the caller gives up", async () => {
      let aborted = false;
      let running!: () => void;
      const started = new Promise<void>((resolve) => (running = resolve));
      const { http } = serving((server) => {
        server.tool({ name: "slow", inputSchema: { type: "object" } }, (_args, context) => {
          running();
          return new Promise((resolve) => context.signal.addEventListener("abort", () => resolve(String((aborted = true)))));
        });
      });
      const client = await connected(directSend(http.handle), { era });
      const caller = new AbortController();
      const call = client.callTool({ name: "slow" }, { signal: caller.signal });
      await started;
      caller.abort("enough");
      await assert.rejects(call, { code: "aborted" });
      await settle();
      assert.equal(aborted, true);
      await client.close();
      await http.close();
    });

    it("hear of changed lists", async () => {
      const { http, server } = serving(echo);
      let heard = 0;
      const client = await connected(directSend(http.handle), { era }, (it) => it.onListChanged("tools", () => heard++));
      await settle();
      server.tool({ name: "new", inputSchema: { type: "object" } }, () => "x");
      await settle();
      assert.ok(heard >= 1);
      assert.deepEqual((await client.listTools()).map(({ name }) => name), ["echo", "new"]);
      await client.close();
      await http.close();
    });

    it("keep routing headers right under a guard that renames what is called", async () => {
      const { http } = serving(echo);
      const chain = await localChain([
        mutator({ name: "strip", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => ({ ...payload, name: payload.name.replace("gh__", "") })),
      ]);
      const client = new McpClient({ name: "c", version: "1" }, { era });
      await client.connect(guardTransport(httpTransport({ url: URL_OF_SERVER, send: directSend(http.handle) }), { role: "client", chain: { current: () => chain } }));
      const { content } = await client.callTool({ name: "gh__echo", arguments: { text: "x" } });
      assert.deepEqual(content[0], { type: "text", text: "x" });
      await client.close();
      await http.close();
    });

    it("carry interceptor servers: a chain finds them by URL", async () => {
      const { http } = serving((server) => {
        hostInterceptors(server, [validator({ name: "no-rm", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => (payload.name === "rm" ? deny("no") : allow()))]);
      });
      const chain = createChain({ connect: (target, signal) => connectHttp({ url: "url" in target ? target.url : "", send: directSend(http.handle) }, signal) });
      await chain.addServer({ url: URL_OF_SERVER });
      const run = (name: string) => chain.execute({ event: "tools/call", phase: "request", direction: "receiving", payload: { name } });
      assert.deepEqual([(await run("echo")).status, (await run("rm")).status], ["success", "validation_failed"]);
      await chain.close();
      await http.close();
    });
  });
}

describe("client and server over HTTP, in what is one era's alone", () => {
  it("mirror parameters into headers, once the tools were listed or the server has refused", async () => {
    const { http } = serving((server) => {
      server.tool({ name: "q", inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } } }, ({ region }) => String(region));
    });
    const client = await connected(directSend(http.handle), { era: "stateless" });
    const { content } = await client.callTool({ name: "q", arguments: { region: " 世界 " } });
    assert.deepEqual(content[0], { type: "text", text: " 世界 " });
    await client.close();
    await http.close();
  });

  it("go on with a server that has lost its sessions", async () => {
    const before = serving(echo);
    const after = serving(echo);
    let handle = before.http.handle;
    methods.length = 0;
    const client = await connected(counting(directSend((request) => handle(request))), { era: "handshake" });
    await client.callTool({ name: "echo", arguments: { text: "a" } });
    handle = after.http.handle;
    const texts = await Promise.all(["b", "c", "d"].map((text) => client.callTool({ name: "echo", arguments: { text } })));
    assert.deepEqual(texts.map(({ content }) => content[0]), ["b", "c", "d"].map((text) => ({ type: "text", text })));
    assert.equal(after.http.stats().sessions, 1);
    await client.close();
    await before.http.close();
    await after.http.close();
  });

  it("fall back to the handshake where the server is older, and are refused where nobody may come in", async () => {
    const { http } = serving(echo, { versions: ["2025-06-18"] });
    const client = await connected(directSend(http.handle));
    assert.deepEqual([client.era, client.protocolVersion], ["handshake", "2025-06-18"]);
    await client.close();
    await http.close();
    const shut = serving(echo, { authenticate: ({ token }) => (token === "t" ? { principal: { type: "user", id: "u" } } : { challenge: {} }) });
    await assert.rejects(connected(directSend(shut.http.handle)), { code: "refused" });
    const allowed = await connectHttp({ url: URL_OF_SERVER, send: directSend(shut.http.handle), authorize: ({ refused }) => ({ Authorization: refused === undefined ? "Bearer x" : "Bearer t" }) });
    assert.equal((await allowed.callTool({ name: "echo", arguments: { text: "in" } })).content.length, 1);
    await allowed.close();
    await shut.http.close();
  });

  it("say that a server cannot be reached, in either era", async () => {
    const nobody: HttpSend = () => Promise.reject(new LocalError("closed", "connection refused", { details: { delivery: "none" } }));
    for (const era of ["auto", "handshake"] as const) await assert.rejects(connected(nobody, { era }), { code: "closed", message: /cannot be reached: connection refused/ });
  });
});
