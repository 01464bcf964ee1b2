import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LocalError, RpcError } from "../../../src/core/base/errors.ts";
import { createSignal } from "../../../src/core/base/signal.ts";
import { McpClient, type McpClientOptions } from "../../../src/core/mcp/client.ts";
import { META } from "../../../src/core/wire/versions.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { scriptedTransport, type ScriptedTransport } from "../../support/scripted-transport.ts";

const INFO = { name: "c", version: "1" };
const DISCOVERED = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, instructions: "be kind", _meta: { [META.serverInfo]: { name: "s", version: "2" } } };
const WELCOME = { protocolVersion: "2025-11-25", capabilities: { prompts: {} }, serverInfo: { name: "old", version: "0" } };
const SILENCE = Symbol("silence");

/** What a server says to each method, call by call; the last one holds on. */
type Script = Record<string, (object | RpcError | typeof SILENCE)[]>;

function play(transport: ScriptedTransport, script: Script): { readonly methods: string[] } {
  const methods: string[] = [];
  transport.onSend = async (message) => {
    if (!("method" in message)) return;
    methods.push(message.method);
    if (!("id" in message)) return;
    const lines = script[message.method] ?? [new RpcError(-32601, "Method not found")];
    const line = lines.length > 1 ? lines.shift() : lines[0];
    if (line === SILENCE) return;
    transport.deliver({ jsonrpc: "2.0", id: message.id, ...(line instanceof RpcError ? { error: line.toJson() } : { result: line }) });
  };
  return { methods };
}

function setUp(script: Script, options: McpClientOptions = {}) {
  const host = fakeHost();
  const transport = scriptedTransport();
  const { methods } = play(transport, script);
  const client = new McpClient(INFO, { host, ...options });
  return { host, transport, client, methods, sent: () => transport.sent.map(({ message }) => message) };
}

const unsupported = (supported: unknown) => new RpcError(-32022, "Unsupported protocol version", { supported, requested: "x" });

describe("a client finds a server", () => {
  test("of the stateless era by server/discover, and sends what each request must carry", async () => {
    const { client, transport, sent, host } = setUp({ "server/discover": [DISCOVERED], "x/y": [{ resultType: "complete", z: 1 }] }, { capabilities: { experimental: { a: {} } } });
    await client.connect(transport);
    const meta = { [META.protocolVersion]: "2026-07-28", [META.clientInfo]: INFO, [META.clientCapabilities]: { experimental: { a: {} } } };
    assert.deepEqual(
      [client.era, client.protocolVersion, client.serverInfo, client.serverCapabilities, client.instructions],
      ["stateless", "2026-07-28", { name: "s", version: "2" }, { tools: {} }, "be kind"],
    );
    await client.request("x/y", { a: 1, _meta: { b: 2, [META.protocolVersion]: "forged" } });
    assert.deepEqual(sent(), [
      { jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: meta } },
      { jsonrpc: "2.0", id: 2, method: "x/y", params: { a: 1, _meta: { b: 2, ...meta } } },
    ]);
    assert.equal(host.liveTimers, 0);
  });

  test("of the stateless era that does not say its name", async () => {
    const { client, transport } = setUp({ "server/discover": [{ supportedVersions: ["2026-07-28"], capabilities: {} }] });
    await client.connect(transport);
    assert.deepEqual([client.era, client.serverInfo, client.instructions], ["stateless", undefined, undefined]);
  });

  const legacy: [string, object | RpcError][] = [
    ["method not found", new RpcError(-32601, "Method not found")],
    ["invalid params", new RpcError(-32602, "Invalid request parameters")],
    ["any other code", new RpcError(0, "Server not initialized")],
    ["a result that is no discovery", {}],
    ["a discovery of the wrong type", { supportedVersions: "2026-07-28", capabilities: {} }],
  ];
  for (const [name, answer] of legacy) {
    test(`of the handshake era that answers the probe with ${name}`, async () => {
      const { client, transport, methods } = setUp({ "server/discover": [answer], initialize: [WELCOME], "x/y": [{ resultType: "anything" }] });
      await client.connect(transport);
      assert.deepEqual(methods, ["server/discover", "initialize", "notifications/initialized"]);
      assert.deepEqual([client.era, client.protocolVersion, client.serverInfo], ["handshake", "2025-11-25", WELCOME.serverInfo]);
      assert.deepEqual(await client.request("x/y", { _meta: { b: 2 } }), { resultType: "anything" });
      assert.deepEqual((transport.sent.at(-1)?.message as { params?: object }).params, { _meta: { b: 2 } });
    });
  }

  for (const data of [undefined, null, {}, { supported: "2026-07-28" }, { supported: [1] }]) {
    test(`of the newer kind that refuses the version with the data ${JSON.stringify(data)}: it is not taken for an older one`, async () => {
      const { client, transport, methods } = setUp({ "server/discover": [new RpcError(-32022, "no", data)], initialize: [WELCOME] });
      await assert.rejects(client.connect(transport), (error: LocalError) => {
        assert.deepEqual([error.code, error.details?.theirs, (error.cause as RpcError).code], ["unsupported", null, -32022]);
        assert.match(error.message, /the server refuses ours, but named no versions that it speaks$/);
        return true;
      });
      assert.deepEqual(methods, ["server/discover"]);
    });
  }

  test("of the handshake era that does not answer the probe in time", async () => {
    const { client, transport, methods, host } = setUp({ "server/discover": [SILENCE], initialize: [WELCOME] });
    const connected = client.connect(transport);
    await host.advance(4_999);
    assert.deepEqual(methods, ["server/discover"]);
    await host.advance(1);
    await connected;
    assert.equal(client.era, "handshake");
    assert.deepEqual(methods, ["server/discover", "notifications/cancelled", "initialize", "notifications/initialized"]);
    assert.equal(host.liveTimers, 0);
  });

  test("of the stateless era within the time of any request, where it can be no older one", async () => {
    const { client, transport, host } = setUp({ "server/discover": [SILENCE] }, { era: "stateless", requestTimeoutMs: 20_000 });
    const late = assert.rejects(client.connect(transport), { code: "timeout" });
    await settle();
    host.advance(19_999);
    await settle();
    assert.equal(transport.closes, 0);
    host.advance(1);
    await late;
    assert.equal(host.liveTimers, 0);
  });

  test("of the stateless era that was too slow for the probe, by what it says to initialize", async () => {
    const { client, transport, methods, host } = setUp({ "server/discover": [SILENCE, DISCOVERED], initialize: [unsupported(["2026-07-28"])] }, { probeTimeoutMs: 10 });
    const connected = client.connect(transport);
    await host.advance(10);
    await connected;
    assert.equal(client.era, "stateless");
    assert.deepEqual(methods.filter((method) => !method.startsWith("notifications/")), ["server/discover", "initialize", "server/discover"]);
  });

  for (const [name, answer] of [
    ["by an error", unsupported(["2099-01-01", "2025-06-18"])],
    ["by its discovery", { supportedVersions: ["2099-01-01", "2025-06-18"], capabilities: {} }],
  ] as const) {
    test(`of both eras whose stateless revisions we do not know, ${name}: the handshake is left`, async () => {
      const { client, transport } = setUp({ "server/discover": [answer], initialize: [{ ...WELCOME, protocolVersion: "2025-06-18" }] });
      await client.connect(transport);
      assert.deepEqual([client.era, client.protocolVersion], ["handshake", "2025-06-18"]);
    });
  }

  test("of the stateless era that first refuses the very revision that it names", async () => {
    const { client, transport, methods } = setUp({ "server/discover": [unsupported(["2026-07-28"]), DISCOVERED] });
    await client.connect(transport);
    assert.deepEqual([client.protocolVersion, methods], ["2026-07-28", ["server/discover", "server/discover"]]);
  });

  test("without a probe where it is told the era, or its versions leave no choice", async () => {
    for (const options of [{ era: "handshake" }, { versions: ["2025-11-25"] }] as const) {
      const { client, transport, methods } = setUp({ initialize: [WELCOME] }, options);
      await client.connect(transport);
      assert.equal(methods[0], "initialize");
    }
  });
});

describe("a client fails to connect, and closes the transport,", () => {
  const welcome = (version: string): Script => ({ initialize: [{ ...WELCOME, protocolVersion: version }] });
  const probed = (answer: RpcError): Script => ({ "server/discover": [answer] });
  const both = ["server/discover", "initialize"];
  const rows: [string, Script, McpClientOptions, object, string[]][] = [
    [
      "to a server of another stateless revision alone, without trying initialize",
      probed(unsupported(["2099-01-01"])), {}, { code: "unsupported", message: /2099-01-01/ }, ["server/discover"],
    ],
    ["to one that misses a capability, without trying initialize", probed(new RpcError(-32021, "missing")), {}, { code: -32021 }, ["server/discover"]],
    [
      "to one that goes on contradicting itself, after two tries",
      probed(unsupported(["2026-07-28"])), {}, { code: "unsupported" }, ["server/discover", "server/discover"],
    ],
    [
      "to a server with a handshake where it must be stateless",
      welcome("2025-11-25"), { era: "stateless" }, { code: "unsupported", message: /handshake/ }, ["server/discover"],
    ],
    ["to one that picks a revision we do not speak", welcome("2020-01-01"), {}, { code: "unsupported", message: /2020-01-01/ }, both],
    ["to one that picks a revision we are not to speak", welcome("2025-11-25"), { versions: ["2025-03-26"] }, { code: "unsupported" }, ["initialize"]],
    ["to one whose welcome is malformed", { initialize: [{ protocolVersion: "2025-11-25" }] }, {}, { code: "invalid_message" }, both],
    ["to one that refuses", { initialize: [new RpcError(-32603, "no")] }, {}, { code: -32603 }, both],
  ];
  for (const [name, script, options, error, expected] of rows) {
    test(name, async () => {
      const { client, transport, methods, host } = setUp(script, options);
      await assert.rejects(client.connect(transport), error);
      assert.deepEqual(methods, expected);
      assert.deepEqual([transport.closes, host.liveTimers, client.protocolVersion], [1, 0, undefined]);
      await assert.rejects(client.request("x"), { code: "closed" });
    });
  }

  test("when the server goes away", async () => {
    const { client, transport } = setUp({ "server/discover": [SILENCE] });
    const connected = assert.rejects(client.connect(transport), { code: "closed" });
    await settle();
    transport.end();
    await connected;
  });

  test("when it is told to give up", async () => {
    const { client, transport } = setUp({ "server/discover": [SILENCE] });
    const source = createSignal();
    const connected = assert.rejects(client.connect(transport, { signal: source.signal }), { code: "aborted" });
    await settle();
    source.abort("enough");
    await connected;
    assert.equal(transport.closes, 1);
  });

  test("when nobody answers initialize, which is not cancelled (case 40)", async () => {
    const { client, transport, methods, host } = setUp({ initialize: [SILENCE] }, { era: "handshake", requestTimeoutMs: 50 });
    const connected = assert.rejects(client.connect(transport), { code: "timeout" });
    await host.advance(50);
    await connected;
    assert.deepEqual(methods, ["initialize"]);
  });
});

describe("a client", () => {
  test("connects once at a time, and again after the end", async () => {
    const { client, transport } = setUp({ "server/discover": [DISCOVERED] });
    await client.connect(transport);
    await assert.rejects(client.connect(scriptedTransport()), { code: "conflict" });
    await client.close();
    assert.equal(await client.closed, undefined);
    const again = scriptedTransport();
    play(again, { initialize: [WELCOME] });
    await client.connect(again);
    assert.equal(client.era, "handshake");
    const why = new LocalError("limit_exceeded", "x");
    again.end(why);
    assert.equal(await client.closed, why);
    assert.equal(client.protocolVersion, undefined);
  });

  test("refuses options that leave nothing to speak", () => {
    for (const options of [{ versions: ["2026-07-28"], era: "handshake" }, { versions: ["1999-01-01"] }, { versions: [] }] as const) {
      assert.throws(() => new McpClient(INFO, options), { code: "invalid_argument" });
    }
  });
});
