import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LocalError } from "../../../src/core/base/errors.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";
import type { ServerContext } from "../../../src/core/mcp/context.ts";
import { McpServer, type McpServerOptions } from "../../../src/core/mcp/server.ts";
import { META, PROTOCOL_VERSIONS } from "../../../src/core/wire/versions.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { scriptedTransport } from "../../support/scripted-transport.ts";

const INFO = { name: "s", version: "2" };
const MODERN = { [META.protocolVersion]: "2026-07-28", [META.clientCapabilities]: {} };
const SERVER_META = { [META.serverInfo]: INFO };

function setUp(options: McpServerOptions = {}, prepare: (server: McpServer) => void = () => {}) {
  const host = fakeHost();
  const server = new McpServer(INFO, { host, ...options });
  prepare(server);
  const transport = scriptedTransport();
  const connection = server.connect(transport);
  let id = 0;
  /** One request, its one answer. */
  const ask = async (method: string, params?: JsonObject): Promise<JsonObject> => {
    const own = `q${++id}`;
    transport.deliver({ jsonrpc: "2.0", id: own, method, ...(params === undefined ? {} : { params }) });
    await settle();
    const answers = transport.sent.map(({ message }) => message as unknown as JsonObject).filter((message) => message.id === own && message.method === undefined);
    assert.equal(answers.length, 1, `${method} has ${answers.length} answers`);
    return (answers[0]?.result ?? answers[0]?.error) as JsonObject;
  };
  const hello = (version = "2025-11-25") => ask("initialize", { protocolVersion: version, capabilities: {}, clientInfo: { name: "c", version: "1" } });
  const modern = (method: string, params: JsonObject = {}) => ask(method, { ...params, _meta: { ...(params._meta as object), ...MODERN } });
  return { host, server, transport, connection, ask, hello, modern };
}

const withTool = (server: McpServer) => void server.tool({ name: "t", inputSchema: { type: "object" } }, () => "hi");

describe("a server in the handshake era", () => {
  test("answers initialize with version, capabilities, identity and instructions", async () => {
    const { hello, connection } = setUp({ instructions: "be kind", capabilities: { tools: { listChanged: false }, experimental: { x: {} } } }, withTool);
    assert.deepEqual([connection.session], [undefined]);
    assert.deepEqual(await hello("2025-06-18"), {
      protocolVersion: "2025-06-18",
      capabilities: { tools: { listChanged: false }, experimental: { x: {} } },
      serverInfo: INFO,
      instructions: "be kind",
    });
    assert.equal(connection.session?.version, "2025-06-18");
  });

  test("derives capabilities from what is registered, extensions with their current settings", async () => {
    let count = 0;
    const { hello, modern } = setUp({}, (server) => {
      withTool(server);
      for (const method of ["prompts/list", "resources/read", "completion/complete", "logging/setLevel", "my/method"]) server.method(method, () => ({}));
      server.extension("com.example/x").extension("com.example/y", () => ({ count: ++count }));
    });
    const rest = { prompts: {}, resources: {}, completions: {}, logging: {} };
    assert.deepEqual((await hello()).capabilities, { ...rest, tools: { listChanged: true }, extensions: { "com.example/x": {}, "com.example/y": { count: 1 } } });
    assert.deepEqual((await modern("server/discover")).capabilities, { ...rest, tools: { listChanged: true }, extensions: { "com.example/x": {}, "com.example/y": { count: 2 } } });
  });

  test("tells who has not initialized all that would open the connection", async () => {
    const both = "Not initialized: the first request must be initialize";
    for (const [options, message] of [
      [{}, `${both}, or have ${META.protocolVersion} and ${META.clientCapabilities} in params._meta (2026-07-28)`],
      [{ versions: ["2025-11-25"] }, both],
    ] as const) {
      const { ask } = setUp(options, withTool);
      for (const params of [undefined, {}, { _meta: {} }]) assert.deepEqual(await ask("tools/list", params), { code: -32600, message });
    }
  });

  test("refuses requests before the handshake but ping, and a second handshake", async () => {
    const { ask, hello } = setUp({}, withTool);
    assert.equal((await ask("tools/list")).code, -32600);
    assert.deepEqual(await ask("ping"), {});
    await hello();
    assert.deepEqual((await ask("tools/list")).tools, [{ name: "t", inputSchema: { type: "object" } }]);
    assert.equal((await hello()).code, -32600);
    assert.deepEqual(await ask("ping"), {});
  });

  test("leaves out what belongs to the stateless era", async () => {
    const { ask, hello } = setUp({}, withTool);
    await hello();
    assert.deepEqual(Object.keys(await ask("tools/list")), ["tools"]);
    assert.equal((await ask("server/discover")).code, -32602);
  });

  test("asks the client once there is a session, and tells it of new tools", async () => {
    const { transport, server, connection, hello } = setUp({ capabilities: { tools: {} } });
    await assert.rejects(connection.request("roots/list"), { code: "unsupported" });
    await hello();
    const asked = connection.request("roots/list");
    withTool(server);
    await settle();
    const sent = transport.sent.slice(1).map(({ message }) => message);
    assert.deepEqual(sent, [{ jsonrpc: "2.0", id: 1, method: "roots/list" }, { jsonrpc: "2.0", method: "notifications/tools/list_changed" }]);
    transport.deliver({ jsonrpc: "2.0", id: 1, result: { roots: [] } });
    assert.deepEqual(await asked, { roots: [] });
  });
});

describe("a server in the stateless era", () => {
  test("answers server/discover with all it speaks", async () => {
    const { modern } = setUp({ instructions: "be kind" }, withTool);
    assert.deepEqual(await modern("server/discover"), {
      ttlMs: 0,
      cacheScope: "private",
      supportedVersions: [...PROTOCOL_VERSIONS],
      capabilities: { tools: { listChanged: true } },
      instructions: "be kind",
      resultType: "complete",
      _meta: SERVER_META,
    });
  });

  test("completes every result, with cache hints where the revision wants them", async () => {
    const { modern } = setUp({ cache: { ttlMs: 5, cacheScope: "public" } }, (server) => {
      withTool(server);
      server.method("nothing", () => undefined);
      server.method("later", async () => ({ a: 1, _meta: { b: 2 } }));
      server.method("resources/read", () => ({ contents: [], ttlMs: 9 }));
      server.method("prompts/list", () => ({ resultType: "input_required", requestState: "s" }));
    });
    const complete = { resultType: "complete", _meta: SERVER_META };
    assert.deepEqual(await modern("nothing"), complete);
    assert.deepEqual(await modern("later"), { a: 1, resultType: "complete", _meta: { ...SERVER_META, b: 2 } });
    assert.deepEqual(await modern("resources/read"), { contents: [], ttlMs: 9, cacheScope: "public", ...complete });
    assert.deepEqual(await modern("prompts/list"), { resultType: "input_required", requestState: "s", _meta: SERVER_META });
    assert.deepEqual(await modern("tools/list"), { tools: [{ name: "t", inputSchema: { type: "object" } }], ttlMs: 5, cacheScope: "public", ...complete });
    assert.deepEqual(await modern("tools/call", { name: "t" }), { content: [{ type: "text", text: "hi" }], ...complete });
  });

  test("serves requests without a handshake, and refuses what is malformed, of another version, or gone", async () => {
    const { ask, modern } = setUp({}, withTool);
    assert.equal((await modern("tools/list")).resultType, "complete");
    assert.equal((await ask("tools/list", { _meta: { [META.protocolVersion]: "2026-07-28" } })).code, -32602);
    const { code, data } = await ask("tools/list", { _meta: { ...MODERN, [META.protocolVersion]: "1900-01-01" } });
    assert.deepEqual([code, data], [-32022, { supported: [...PROTOCOL_VERSIONS], requested: "1900-01-01" }]);
    assert.equal((await modern("ping")).code, -32601);
  });

  test("gives a result that is no object to the peer's generic error", async () => {
    const { modern } = setUp({}, (server) => void server.method("list", () => [1]).method("text", async () => "x"));
    assert.equal((await modern("list")).code, -32603);
    assert.equal((await modern("text")).code, -32603);
  });

  test("goes on beside a session on the same connection", async () => {
    const { ask, hello, modern } = setUp({}, withTool);
    await hello("2025-03-26");
    assert.equal((await modern("tools/list")).resultType, "complete");
    assert.equal((await ask("tools/list")).resultType, undefined);
  });

  test("lets a handler ask the client only by its result", async () => {
    const { modern, ask, hello, transport } = setUp({}, (server) => void server.method("m", (_params, { request }) => request("roots/list")));
    assert.equal((await modern("m")).code, -32603);
    await hello();
    transport.deliver({ jsonrpc: "2.0", id: "r", method: "m" });
    await settle();
    assert.equal((transport.sent.at(-1)?.message as { method?: string }).method, "roots/list");
    assert.equal((await ask("ping")).code, undefined);
  });
});

describe("a server restricted in its versions", () => {
  test("to those without handshake names them to a client of the older kind", async () => {
    const { hello } = setUp({ versions: ["2026-07-28"] });
    const { code, message, data } = await hello();
    assert.deepEqual([code, data], [-32022, { supported: ["2026-07-28"], requested: "2025-11-25" }]);
    assert.match(String(message), /2026-07-28/);
  });
  test("to those with handshake negotiates among them, and does not know server/discover", async () => {
    const { hello, modern } = setUp({ versions: ["2025-03-26"] });
    assert.equal((await modern("server/discover")).code, -32600);
    assert.equal((await hello()).protocolVersion, "2025-03-26");
    assert.equal((await modern("server/discover")).code, -32601);
  });
});

describe("a server's handlers", () => {
  test("get a context with era, version, client and _meta; its functions work when taken apart", async () => {
    const seen: unknown[] = [];
    const { ask, hello, modern, transport } = setUp({}, (server) => {
      server.method("m", async (params, { era, protocolVersion, client, meta, method, from, notify, reportProgress, signal, coreSignal }) => {
        await notify("note");
        await reportProgress(1);
        seen.push([era, protocolVersion, client, Object.keys(meta), method, from.connection, params.x, signal.aborted, coreSignal.aborted]);
      });
    });
    await hello();
    await ask("m", { x: 1, _meta: { progressToken: "p" } });
    await modern("m", { x: 2 });
    assert.deepEqual(seen, [
      ["handshake", "2025-11-25", { version: "2025-11-25", info: { name: "c", version: "1" }, capabilities: {} }, ["progressToken"], "m", "scripted", 1, false, false],
      ["stateless", "2026-07-28", { info: undefined, capabilities: {} }, [META.protocolVersion, META.clientCapabilities], "m", "scripted", 2, false, false],
    ]);
    const routes = transport.sent.filter(({ message }) => "method" in message).map(({ route }) => route?.related);
    assert.deepEqual(routes, ["q2", "q2", "q3"]);
  });

  test("see the platform's signal abort when the peer cancels", async () => {
    let context: ServerContext | undefined;
    const { transport, modern } = setUp({}, (server) => void server.method("m", (_params, own) => new Promise(() => (context = own))).method("n", () => ({})));
    transport.deliver({ jsonrpc: "2.0", id: 9, method: "m", params: { _meta: MODERN } });
    await settle();
    const aborted = new Promise((resolve) => context?.signal.addEventListener("abort", resolve));
    assert.equal(context?.signal, context?.signal);
    transport.deliver({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9, reason: "enough" } });
    await aborted;
    assert.ok(context?.signal.reason instanceof LocalError);
    await modern("n");
    assert.equal(transport.sent.length, 1);
  });

  test("are found by exact name, never on a prototype (case 16)", async () => {
    const { modern } = setUp();
    for (const method of ["constructor", "toString", "__proto__", "M"]) {
      const { code, message } = await modern(method);
      assert.deepEqual([code, message], [-32601, `Method not found: ${method}`]);
    }
  });

  test("get notifications by name; others are ignored", async () => {
    const seen: unknown[] = [];
    const { transport } = setUp({}, (server) => void server.notification("notifications/initialized", (params, { method }) => void seen.push(params, method)));
    transport.deliver({ jsonrpc: "2.0", method: "notifications/initialized" });
    transport.deliver({ jsonrpc: "2.0", method: "notifications/other" });
    await settle();
    assert.deepEqual(seen, [{}, "notifications/initialized"]);
  });

  test("are wrapped by middleware, and connections by transport wrappers, the last one next to the server", async () => {
    const order: string[] = [];
    const { modern } = setUp({}, (server) => {
      server.method("m", () => ({}));
      server.use((next) => async (request) => ({ ...((await next(request)) as object), wrapped: request.method }));
      for (const name of ["inner", "outer"]) {
        server.wrapTransport(({ send, receive, close }) => ({ send: (frame, route) => (order.push(name), send(frame, route)), receive, close }));
      }
    });
    assert.equal((await modern("m")).wrapped, "m");
    assert.deepEqual(order, ["outer", "inner"]);
  });
});

test("a server says which methods it answers, in some revision", () => {
  const server = new McpServer(INFO, { capabilities: { logging: {} } }).method("m", () => ({}));
  withTool(server);
  const known = ["initialize", "ping", "server/discover", "m", "tools/list", "tools/call", "logging/setLevel", "subscriptions/listen"];
  const unknown = ["prompts/list", "resources/read", "resources/subscribe", "completion/complete", "constructor", ""];
  assert.deepEqual([...known, ...unknown].filter((method) => server.answers(method)), known);
});

describe("registration", () => {
  test("refuses names that are taken", () => {
    const server = new McpServer(INFO).method("m", () => ({})).extension("a.b/c");
    withTool(server);
    for (const again of [
      () => server.method("m", () => ({})),
      () => server.method("ping", () => ({})),
      () => server.method("initialize", () => ({})),
      () => server.method("tools/list", () => ({})),
      () => withTool(server),
      () => server.extension("a.b/c"),
      () => withTool(new McpServer(INFO).method("tools/call", () => ({}))),
    ]) assert.throws(again, { code: "conflict" });
    for (const wrong of [() => server.extension("bare"), () => server.method("", () => ({})), () => new McpServer({ name: "x" } as never)]) {
      assert.throws(wrong, { code: "invalid_argument" });
    }
  });
});

test("a server keeps several connections apart, and closes each by itself", async () => {
  const server = new McpServer(INFO, { host: fakeHost() });
  const transports = [scriptedTransport(), scriptedTransport()];
  const [first, second] = transports.map((transport) => server.connect(transport));
  transports[0]?.deliver({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } } });
  await settle();
  assert.deepEqual([first?.session?.version, second?.session], ["2025-11-25", undefined]);
  await first?.close();
  withTool(server);
  await settle();
  assert.deepEqual([transports[0]?.sent.length, transports[1]?.sent.length, transports[1]?.closes], [1, 0, 0]);
});
