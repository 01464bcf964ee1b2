// src/gateway: headers that repeat arguments, on the face and towards the upstream.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { createChain } from "../../src/core/client/local-chain.ts";
import { directSend } from "../../src/core/http/direct-send.ts";
import type { HttpCall } from "../../src/core/http/exchange.ts";
import { createHttpServer } from "../../src/core/http/http-server.ts";
import { serve } from "../../src/core/http/serve.ts";
import { mutator, validator, type Interceptor } from "../../src/core/interceptor/define.ts";
import { deny } from "../../src/core/interceptor/verdict.ts";
import { McpServer } from "../../src/core/mcp/server.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { send, statelessCall } from "../support/http-exchange.ts";
import { behind, clientOf, gatewayFor, until } from "./kit.ts";

const annotated = (name: string) => ({ type: "object", properties: { region: { type: ["string", "null"], "x-mcp-header": name }, count: { type: "integer", "x-mcp-header": "Count" } } }) as const;

function query(up: ReturnType<typeof behind>) {
  const called: unknown[] = [];
  up.server.tool({ name: "query", inputSchema: annotated("Region") }, ({ region }) => {
    called.push(region);
    return String(region);
  });
  return called;
}

const chainOf = (...interceptors: readonly Interceptor[]) => {
  const chain = createChain();
  for (const interceptor of interceptors) chain.add(interceptor);
  return () => chain;
};

/** What a call of the tool with these arguments and headers is answered. */
async function answerOf(gateway: Awaited<ReturnType<typeof gatewayFor>>, args: JsonObject, headers: Record<string, string> = {}, name = "query") {
  const call = send(gateway.handle, { ...statelessCall("c", "tools/call", { name, arguments: args }, headers), path: "/up/mcp" });
  const status = await call.status();
  const { id, error } = (await call.json()) as { id?: unknown; error?: { code: number; message: string } };
  assert.equal(id, "c");
  return error === undefined ? status : [status, error.code];
}

describe("a stateless call over HTTP", () => {
  it("is held to the headers that its tool's arguments are repeated in, from the first one on", async () => {
    const up = behind("memory", "handshake");
    const called = query(up);
    const gateway = await gatewayFor(up.target);
    const refused = [400, -32020];
    for (const [args, headers, answer] of [
      [{ region: "eu" }, { "mcp-param-region": "us" }, refused],
      [{ region: "eu" }, {}, refused],
      [{ region: null }, { "mcp-param-region": "eu" }, refused],
      [{ region: "zürich" }, { "mcp-param-region": "zürich" }, refused],
      [{ region: "zürich" }, { "mcp-param-region": "=?base64?enVyaWNo?=" }, refused],
      [{ region: "zürich" }, { "mcp-param-region": "=?base64?esO8cmljaA==?=" }, 200],
      [{ region: "eu", count: 42 }, { "mcp-param-region": "eu", "mcp-param-count": "42.0" }, 200],
      [{ region: null }, { "mcp-param-other": "means nothing" }, 200],
      [{}, {}, 200],
    ] as const) {
      assert.deepEqual(await answerOf(gateway, args, headers), answer, JSON.stringify([args, headers]));
    }
    assert.deepEqual(called, ["zürich", "eu", null, undefined]);
    await gateway.close();
    await up.close();
  });

  it("is held to what clients were told of the tool, after the last mutator", async () => {
    const up = behind("memory", "stateless");
    const called = query(up);
    const renaming = [
      mutator({ name: "list", hooks: [{ events: ["tools/list"], phase: "response" }] }, ({ payload }) => ({
        ...payload,
        tools: payload.tools.map((tool) => (tool.name === "query" ? { ...tool, name: "ask", inputSchema: annotated("Place") } : tool)),
      })),
      mutator({ name: "call", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => ({ ...payload, name: "query" })),
    ];
    const gateway = await gatewayFor(up.target, { chain: chainOf(...renaming) });
    assert.deepEqual(await answerOf(gateway, { region: "eu" }, { "mcp-param-region": "eu" }, "ask"), [400, -32020]);
    assert.equal(await answerOf(gateway, { region: "eu" }, { "mcp-param-place": "eu" }, "ask"), 200);
    assert.deepEqual(called, ["eu"]);
    await gateway.close();
    await up.close();
  });

  it("that does not fit has the tools listed anew, once in a while, as its caller may have them from another replica", async () => {
    const host = fakeHost();
    const up = behind("memory", "handshake", { host });
    query(up);
    let header = "Region";
    let lists = 0;
    const changing = mutator({ name: "changing", hooks: [{ events: ["tools/list"], phase: "response" }] }, ({ payload }) => {
      lists++;
      return { ...payload, tools: payload.tools.map((tool) => (tool.name === "query" ? { ...tool, inputSchema: annotated(header) } : tool)) };
    });
    const gateway = await gatewayFor(up.target, { host, chain: chainOf(changing) });
    const before = { "mcp-param-region": "eu" };
    const after = { "mcp-param-place": "eu" };
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => answerOf(gateway, { region: "eu" }, before))), [200, 200, 200]);
    assert.equal(lists, 1);
    header = "Place";
    assert.deepEqual(await answerOf(gateway, { region: "eu" }, after), [400, -32020], "a list was just had");
    await host.advance(5_000);
    assert.equal(await answerOf(gateway, { region: "eu" }, after), 200);
    assert.deepEqual(await answerOf(gateway, { region: "eu" }, before), [400, -32020]);
    assert.equal(lists, 2);
    await gateway.close();
    await up.close();
  });

  it("goes on where its caller has no list to be held to, and waits for one no longer than it must", async () => {
    const host = fakeHost();
    const up = behind("memory", "handshake", { host });
    const called = query(up);
    const list = [{ events: ["tools/list"], phase: "response" }] as const;
    const closed = await gatewayFor(up.target, { host, chain: chainOf(validator({ name: "closed", hooks: list }, () => deny("no"))) });
    assert.equal(await answerOf(closed, { region: "eu" }), 200);
    const hanging = await gatewayFor(up.target, { host, chain: chainOf(validator({ name: "hanging", hooks: list }, () => new Promise<boolean>(() => {}))) });
    const answered = answerOf(hanging, { region: "us" });
    await settle();
    assert.deepEqual(called, ["eu"]);
    await host.advance(10_000);
    assert.equal(await answered, 200);
    for (const gateway of [closed, hanging]) {
      const closing = gateway.close();
      await host.advance(40_000);
      await closing;
      assert.deepEqual([gateway.stats().faces, gateway.stats().calls], [0, 0]);
    }
    await up.close();
  });

  it("goes by lists that any client has had, on stdio too, and by each of their pages", async () => {
    const up = behind("memory", "handshake", { pageSize: 2 });
    query(up);
    const gateway = await gatewayFor(up.target);
    const stdio = await clientOf(gateway, "memory", "handshake");
    await stdio.listTools();
    assert.deepEqual(await answerOf(gateway, { region: "eu" }), [400, -32020]);
    const other = await gatewayFor(up.target);
    assert.deepEqual(await answerOf(other, { region: "eu" }), [400, -32020]);
    await stdio.close();
    await gateway.close();
    await other.close();
    await up.close();
  });
});

describe("a stateless upstream over HTTP", () => {
  it("gets headers that follow from what the last mutator left", async () => {
    const http = createHttpServer({ allowedHosts: ["upstream.example"] });
    const server = new McpServer({ name: "up", version: "1" });
    server.tool({ name: "query", inputSchema: annotated("Region") }, ({ region }) => String(region));
    void serve(server, http);
    const calls: HttpCall[] = [];
    const direct = directSend(http.handle);
    const target = { url: "https://upstream.example/mcp", send: (call: HttpCall) => (calls.push(call), direct(call)) };
    const moving = mutator({ name: "moving", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => ({ ...payload, name: "query", arguments: { region: " zürich" } }));
    const gateway = await gatewayFor(target, { chain: chainOf(moving) });
    assert.equal(await answerOf(gateway, { region: "eu" }, {}, "lookup"), 200);
    await until(() => gateway.stats().calls === 0);
    const last = calls.filter(({ body }) => body?.includes('"tools/call"')).at(-1);
    const headers = new Map(last?.headers);
    assert.deepEqual(["mcp-method", "mcp-name", "mcp-param-region"].map((name) => headers.get(name)), ["tools/call", "query", `=?base64?${Buffer.from(" zürich").toString("base64")}?=`]);
    assert.deepEqual((JSON.parse(last?.body ?? "") as { params: JsonObject }).params["arguments"], { region: " zürich" });
    await gateway.close();
    await http.close();
  });
});
