import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LocalError, RpcError } from "../../../src/core/base/errors.ts";
import { createSignal } from "../../../src/core/base/signal.ts";
import { McpClient, type McpClientOptions } from "../../../src/core/mcp/client.ts";
import type { RequestMessage } from "../../../src/core/wire/message.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { scriptedTransport, type ScriptedTransport } from "../../support/scripted-transport.ts";

const WELCOME = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "old", version: "0" } };
const DISCOVERED = { supportedVersions: ["2026-07-28"], capabilities: {} };

/** What a server does with the probe, before it is asked to initialize (which it answers, while it lives). */
type OnProbe = (server: ScriptedTransport, probe: RequestMessage) => void;

function oldServer(onProbe: OnProbe): ScriptedTransport & { readonly methods: string[] } {
  const methods: string[] = [];
  const transport = Object.assign(scriptedTransport(), { methods });
  let ended = false;
  const end = transport.end;
  transport.end = (broken) => ((ended = true), end(broken));
  transport.onSend = async (message) => {
    if (!("method" in message)) return;
    methods.push(message.method);
    if (ended || !("id" in message)) return;
    const request = message as RequestMessage;
    if (request.method === "server/discover") onProbe(transport, request);
    else if (request.method === "initialize") transport.deliver({ jsonrpc: "2.0", id: request.id, result: WELCOME });
    else transport.deliver({ jsonrpc: "2.0", id: request.id, result: {} });
  };
  return transport;
}

function setUp(options: McpClientOptions = {}) {
  const host = fakeHost();
  return { host, client: new McpClient({ name: "c", version: "1" }, { host, ...options }) };
}

const answer = (result: unknown): OnProbe => (server, { id }) => server.deliver({ jsonrpc: "2.0", id, result });
const fail = (code: number, data?: unknown): OnProbe => (server, { id }) => server.deliver({ jsonrpc: "2.0", id, error: { code, message: "no", ...(data === undefined ? {} : { data }) } });

describe("a server with a handshake is found, whatever it does with the probe:", () => {
  const rows: [string, OnProbe][] = [
    ...[-32700, -32600, -32601, -32602, -32603, -32000, -32001, -32002, 0, 1, 404].map((code): [string, OnProbe] => [`the error ${code}`, fail(code)]),
    ["an empty result", answer({})],
    ["a result of initialize", answer(WELCOME)],
    ["a list of versions that are none", answer({ supportedVersions: [1], capabilities: {} })],
    ["a discovery without capabilities", answer({ supportedVersions: ["2026-07-28"] })],
    ["a result that wants input", answer({ resultType: "input_required", requestState: "s" })],
    [
      "a request, a notification and a response to nobody before the answer",
      (server, probe) => {
        server.deliver({ jsonrpc: "2.0", id: "q", method: "ping" });
        server.deliver({ jsonrpc: "2.0", method: "notifications/message", params: { level: "error", data: "what is server/discover?" } });
        server.deliver({ jsonrpc: "2.0", id: 999, result: {} });
        server.deliver({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "?" } });
        fail(-32601)(server, probe);
      },
    ],
    ["two answers", (server, probe) => (fail(-32601)(server, probe), answer(DISCOVERED)(server, probe))],
  ];
  for (const [name, onProbe] of rows) {
    test(name, async () => {
      const { host, client } = setUp();
      const server = oldServer(onProbe);
      await client.connect(server);
      assert.deepEqual([client.era, server.methods], ["handshake", ["server/discover", "initialize", "notifications/initialized"]]);
      await client.ping();
      assert.equal(host.liveTimers, 0);
    });
  }

  test("nothing, then a late answer, which is not looked at", async () => {
    for (const late of [DISCOVERED, {}, WELCOME]) {
      const { host, client } = setUp({ probeTimeoutMs: 100 });
      let probe: RequestMessage | undefined;
      const server = oldServer((_server, request) => (probe = request));
      const connected = client.connect(server);
      await host.advance(100);
      await connected;
      answer(late)(server, probe!);
      await settle();
      assert.deepEqual([client.era, client.protocolVersion], ["handshake", "2025-11-25"]);
      await client.ping();
      assert.equal(host.liveTimers, 0);
    }
  });

  test("a late answer between the fallback and its welcome", async () => {
    const { host, client } = setUp({ probeTimeoutMs: 100 });
    const server = oldServer(() => {});
    const onSend = server.onSend!;
    server.onSend = async (message) => {
      if ("method" in message && message.method === "initialize") server.deliver({ jsonrpc: "2.0", id: 1, result: DISCOVERED });
      await onSend(message);
    };
    const connected = client.connect(server);
    await host.advance(100);
    await connected;
    assert.equal(client.era, "handshake");
  });
});

describe("a server that does not survive the probe", () => {
  const exit: OnProbe = (server) => server.end();

  test("is opened anew where there is a way, and asked to initialize alone", async () => {
    for (const onProbe of [exit, ((server) => server.end(new LocalError("closed", "exit code 1"))) satisfies OnProbe]) {
      const { host, client } = setUp();
      const first = oldServer(onProbe);
      const second = oldServer(exit);
      let calls = 0;
      await client.connect(first, { reconnect: async () => (calls++, second) });
      assert.deepEqual([calls, client.era, second.methods, first.closes], [1, "handshake", ["initialize", "notifications/initialized"], 1]);
      await client.ping();
      await client.close();
      assert.equal(await client.closed, undefined);
      assert.deepEqual([second.closes, host.liveTimers], [1, 0]);
    }
  });

  test("is opened anew where it falls silent for good, or ends over initialize", async () => {
    const deaf = oldServer(() => {});
    const onSend = deaf.onSend!;
    deaf.onSend = async (message) => ("method" in message && message.method === "initialize" ? void deaf.methods.push("initialize") : await onSend(message));
    const dying = oldServer(fail(-32601));
    const onSendDying = dying.onSend!;
    dying.onSend = async (message) => ("method" in message && message.method === "initialize" ? dying.end() : await onSendDying(message));
    for (const first of [deaf, dying]) {
      const { host, client } = setUp({ probeTimeoutMs: 100, requestTimeoutMs: 200 });
      const second = oldServer(exit);
      const connected = client.connect(first, { reconnect: async () => second });
      await host.advance(300);
      await connected;
      assert.deepEqual([client.era, second.methods[0], host.liveTimers], ["handshake", "initialize", 0]);
    }
  });

  test("rejects with closed where there is no way", async () => {
    const { client } = setUp();
    const server = oldServer(exit);
    await assert.rejects(client.connect(server), { code: "closed" });
    assert.equal(server.closes, 1);
  });

  test("is opened once: what goes wrong then is told", async () => {
    for (const [reconnect, error] of [
      [async () => oldServer(() => {}), undefined],
      [async () => Object.assign(oldServer(exit), { onSend: async () => Promise.reject(new LocalError("closed", "gone again")) }), { code: "closed", message: /gone again/ }],
      [() => Promise.reject(new LocalError("spawn_failed", "no such command")), { code: "spawn_failed" }],
    ] as const) {
      const { client } = setUp();
      let calls = 0;
      const connected = client.connect(oldServer(exit), { reconnect: () => (calls++, reconnect()) });
      if (error === undefined) await connected;
      else await assert.rejects(connected, error);
      assert.equal(calls, 1);
    }
  });

  test("is not opened anew after errors of its own, where no handshake may be, where there was no probe, or where it never started", async () => {
    const rows: [McpClientOptions, OnProbe, object][] = [
      [{}, fail(-32021), { code: -32021 }],
      [{}, fail(-32022, { supported: ["2099-01-01"] }), { code: "unsupported" }],
      [{ era: "stateless" }, exit, { code: "closed" }],
      [{}, (server) => server.end(new LocalError("spawn_failed", "no such command")), { code: "closed" }],
    ];
    for (const [options, onProbe, error] of rows) {
      const { client } = setUp(options);
      await assert.rejects(client.connect(oldServer(onProbe), { reconnect: () => assert.fail("opened anew") }), error);
    }
    const { client } = setUp({ era: "handshake" });
    const dead = scriptedTransport();
    dead.end();
    await assert.rejects(client.connect(dead, { reconnect: () => assert.fail("opened anew") }), { code: "closed" });
  });

  test("is left when the client is closed in the meantime, and when the caller gives up", async () => {
    const { client } = setUp();
    const second = oldServer(exit);
    let open = (): void => {};
    const connected = assert.rejects(
      client.connect(oldServer(exit), {
        reconnect: async () => {
          await new Promise<void>((resolve) => (open = resolve));
          return second;
        },
      }),
      { code: "closed" },
    );
    await settle();
    await assert.rejects(client.connect(oldServer(exit)), { code: "conflict" });
    await client.close();
    open();
    await connected;
    assert.deepEqual([second.methods, second.closes], [[], 1]);

    const source = createSignal();
    const { client: other } = setUp();
    const third = oldServer(exit);
    const given = other.connect(oldServer(exit), { signal: source.signal, reconnect: async () => (source.abort("enough"), third) });
    await assert.rejects(given, { code: "aborted" });
    assert.deepEqual([third.methods, third.closes], [[], 1]);
    await other.connect(oldServer(fail(-32601)));
  });
});

test("a client that is closed while it probes opens nothing anew", async () => {
  const { client } = setUp();
  const connected = assert.rejects(client.connect(oldServer(() => {}), { reconnect: () => assert.fail("opened anew") }), { code: "closed" });
  await settle();
  await client.close();
  await connected;
});

test("a probe's error is not hidden where both ways fail", async () => {
  const { client } = setUp();
  const server = oldServer(fail(-32601));
  const onSend = server.onSend!;
  server.onSend = async (message) => {
    if ("method" in message && message.method === "initialize" && "id" in message) server.deliver({ jsonrpc: "2.0", id: message.id, error: new RpcError(-32603, "broken").toJson() });
    else await onSend(message);
  };
  await assert.rejects(client.connect(server), { code: -32603, message: "broken" });
});
