import assert from "node:assert/strict";
import { test } from "node:test";
import { RpcError } from "../../../src/core/base/errors.ts";
import { createChain } from "../../../src/core/chain/chain.ts";
import { guardClient, guardServer, type Guardable } from "../../../src/core/guard/attach.ts";
import { guardCoverage } from "../../../src/core/guard/coverage.ts";
import { guardFunction } from "../../../src/core/guard/guard-function.ts";
import { guardStream } from "../../../src/core/guard/guard-stream.ts";
import { guardTransport } from "../../../src/core/guard/guard.ts";
import type { AttachOptions } from "../../../src/core/guard/options.ts";
import { relay } from "../../../src/core/guard/relay.ts";
import { guardSdkTransport } from "../../../src/core/guard/sdk-peer.ts";
import { validator } from "../../../src/core/interceptor/define.ts";
import { deny } from "../../../src/core/interceptor/verdict.ts";
import { McpClient } from "../../../src/core/mcp/client.ts";
import { McpServer } from "../../../src/core/mcp/server.ts";
import { hostInterceptors } from "../../../src/core/server/interceptor-server.ts";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import type { Transport } from "../../../src/core/transport/transport.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { call } from "../../support/guarded-pair.ts";

const everything = { name: "deny-all", hooks: [{ events: ["*"], phase: "request" }] } as const;
const denyAll = validator(everything, () => deny("no"));

async function connected(prepare: (server: McpServer, client: McpClient) => void) {
  const host = fakeHost();
  const server = new McpServer({ name: "s", version: "1" }, { host });
  const client = new McpClient({ name: "c", version: "1" }, { host });
  server.tool({ name: "add", inputSchema: { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] } }, ({ n }) => `${Number(n) + 1}`);
  prepare(server, client);
  const [near, far] = memoryPair();
  server.connect(far);
  await client.connect(near);
  return { host, server, client };
}

function chainOf(...interceptors: Parameters<ReturnType<typeof createChain>["add"]>[0][]) {
  const chain = createChain({ host: fakeHost() });
  for (const interceptor of interceptors) chain.add(interceptor);
  return chain;
}

const invocation = { name: "deny-all", event: "tools/call", phase: "request", payload: { name: "x" } };
const refused = (code: number, message: string) => (error: unknown) => error instanceof RpcError && error.code === code && error.message === message;

test("a guarded server refuses what its chain refuses, and lets the rest reach its tools", async () => {
  const noTwo = validator({ name: "no-two", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => payload.arguments?.["n"] !== 2);
  const { client } = await connected((server) => guardServer(server, chainOf(noTwo)));
  assert.deepEqual((await client.callTool({ name: "add", arguments: { n: 1 } })).content, [{ type: "text", text: "2" }]);
  await assert.rejects(client.callTool({ name: "add", arguments: { n: 2 } }), refused(-32602, "Interceptor validation failed"));
  await client.close();
});

test("a guarded client refuses its own request before it leaves", async () => {
  const { client } = await connected((_server, itself) => guardClient(itself, chainOf(denyAll)));
  await assert.rejects(client.listTools(), refused(-32602, "Interceptor validation failed"));
  await client.close();
});

test("a chain can be swapped between exchanges", async () => {
  let current = chainOf(denyAll);
  const { client } = await connected((server) => guardServer(server, { current: () => current }));
  await assert.rejects(client.listTools(), refused(-32602, "Interceptor validation failed"));
  current = chainOf();
  assert.equal((await client.listTools()).length, 1);
  await client.close();
});

test("a server that hosts interceptors answers calls of them unjudged, and judges everything else", async () => {
  const { client } = await connected((server) => {
    // Attached first, hosting afterwards: what counts is what is there when it connects.
    guardServer(server, chainOf(denyAll));
    hostInterceptors(server, [denyAll], { host: fakeHost() });
  });
  const listed = (await client.request("interceptors/list")) as { interceptors: { name: string }[] };
  assert.deepEqual(listed.interceptors.map(({ name }) => name), ["deny-all"]);
  for (const method of ["interceptor/invoke", "interceptors/invoke"]) assert.equal((await client.request(method, invocation))["valid"], false);
  await assert.rejects(client.listTools(), refused(-32602, "Interceptor validation failed"));
  await client.close();
});

test("a server that hosts none has no exempt methods, and neither has one whose owner says so", async () => {
  const plain = await connected((server) => guardServer(server, chainOf(denyAll)));
  await assert.rejects(plain.client.request("interceptor/invoke", invocation), refused(-32602, "Interceptor validation failed"));
  const strict = await connected((server) => {
    hostInterceptors(server, [denyAll], { host: fakeHost() });
    guardServer(server, chainOf(denyAll), { policy: { hostsChain: false } });
  });
  await assert.rejects(strict.client.request("interceptors/list"), refused(-32602, "Interceptor validation failed"));
  for (const { client } of [plain, strict]) await client.close();
});

test("what the server itself asks is judged, whatever the method, where it hosts interceptors", async () => {
  const wraps: ((transport: Transport) => Transport)[] = [];
  const server: Guardable = { wrapTransport: (wrap) => void wraps.push(wrap), answers: () => true };
  const options: AttachOptions = { host: fakeHost() };
  guardServer(server, chainOf(denyAll), options);
  const [inner, peer] = memoryPair();
  const guarded = wraps[0]!(inner);
  const answered = guarded.receive();
  await guarded.send({ message: { jsonrpc: "2.0", id: 1, method: "interceptor/invoke", params: {} } });
  assert.equal("error" in ((await answered)?.frame.message ?? {}), true);
  await peer.send({ message: { jsonrpc: "2.0", id: 1, method: "interceptor/invoke", params: {} } });
  assert.equal("method" in ((await guarded.receive())?.frame.message ?? {}), true);
  await guarded.close();
});

test("a server of another make, which cannot say what it answers, is guarded all the same", async () => {
  const wraps: ((transport: Transport) => Transport)[] = [];
  assert.equal(typeof guardServer({ wrapTransport: (wrap: (transport: Transport) => Transport) => void wraps.push(wrap) }, chainOf(denyAll), { host: fakeHost() }), "object");
  const [inner, peer] = memoryPair();
  const guarded = wraps[0]!(inner);
  const pulled = guarded.receive();
  await peer.send({ message: call(1) });
  await settle();
  assert.equal("error" in ((await peer.receive())?.frame.message ?? {}), true);
  await guarded.close();
  assert.equal(await pulled, undefined);
});

test("arguments that do not fit a tool's inputSchema are refused without any option", async () => {
  const { client } = await connected(() => {});
  for (const args of [{}, { n: 0 }, { n: 1.5 }, { n: "1" }]) {
    const result = await client.callTool({ name: "add", arguments: args }).catch((error: unknown) => error);
    const text = result instanceof RpcError ? result.message : JSON.stringify(result);
    assert.match(text, /Invalid arguments for the tool add: arguments.* must/, JSON.stringify(args));
  }
  await client.close();
});

test("a client holds structured content to the listed outputSchema without any option", async () => {
  const outputSchema = { type: "object", properties: { n: { type: "integer", maximum: 3 } } };
  let n = 3;
  const { client } = await connected((server) => server.use((next) => (request) =>
    request.method === "tools/call" ? { content: [], structuredContent: { n } }
    : request.method === "tools/list" ? { tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema }] }
    : next(request)));
  await client.listTools();
  assert.deepEqual((await client.callTool({ name: "t" })).structuredContent, { n: 3 });
  n = 4;
  await assert.rejects(client.callTool({ name: "t" }), { code: "invalid_message", message: /structuredContent\/n of the tool t must/ });
  await client.close();
});

test("a server says which methods it answers", () => {
  const server = new McpServer({ name: "s", version: "1" }, { host: fakeHost() });
  assert.deepEqual(["ping", "initialize", "server/discover", "tools/call", "x/y", "constructor"].map((method) => server.answers(method)), [true, true, true, false, false, false]);
  server.tool({ name: "t", inputSchema: { type: "object" } }, () => "");
  server.method("x/y", () => ({}));
  assert.deepEqual(["tools/call", "tools/list", "x/y"].map((method) => server.answers(method)), [true, true, true]);
});

test("what is connected already is refused, as its connection could not be guarded; once it is closed it can be", async () => {
  const { server, client } = await connected(() => {});
  const late = /guard it before it connects/;
  assert.throws(() => guardServer(server, chainOf(denyAll)), { code: "conflict", message: late });
  assert.throws(() => guardClient(client, chainOf(denyAll)), { code: "conflict", message: late });
  await client.close();
  await server.close();
  await settle();
  guardServer(server, chainOf(denyAll));
  guardClient(client, chainOf(denyAll));
  // The official SDKs' say it by their transport.
  const official = { transport: undefined as object | undefined, connect: () => Promise.resolve() };
  const outer = { server: official, connect: () => Promise.resolve() };
  for (const peer of [official, outer]) {
    official.transport = {};
    assert.throws(() => guardServer(peer, chainOf(denyAll)), { code: "conflict", message: late });
    official.transport = undefined;
    guardServer(peer, chainOf(denyAll));
  }
});

test("what is no chain, server or client is refused at once, with what to do", () => {
  const server = new McpServer({ name: "s", version: "1" });
  const noChains: readonly [unknown, RegExp][] = [
    [Promise.resolve(chainOf()), /a promise was given: write `await localChain/],
    [[denyAll], /a list was given: write `await localChain\(\[…\]\)`/],
    [{}, /a guard needs a chain.*got object/],
    [undefined, /got nothing/],
    ["redact", /got string/],
  ];
  for (const [chain, message] of noChains) {
    // What JavaScript lets through.
    assert.throws(() => guardServer(server, chain as never), { code: "invalid_argument", message });
    assert.throws(() => guardClient(new McpClient({ name: "c", version: "1" }), chain as never), { code: "invalid_argument", message });
  }
  for (const peer of [{}, undefined, null, 5, { connect: true }]) {
    assert.throws(() => guardServer(peer as never, chainOf()), { code: "invalid_argument", message: /a guard needs a server or client/ });
  }
});

test("what is no options, or no policy, is refused at once", () => {
  const chain = chainOf();
  const pair = () => memoryPair()[0];
  const peer = { start: async () => {}, send: async () => {}, close: async () => {} };
  const host = fakeHost();
  const server = () => new McpServer({ name: "s", version: "1" });
  const takers: Readonly<Record<string, (options: never) => unknown>> = {
    guardServer: (given) => guardServer(server(), chain, given),
    guardClient: (given) => guardClient(new McpClient({ name: "c", version: "1" }), chain, given),
    guardTransport: (given) => guardTransport(pair(), given),
    guardSdkTransport: (given) => guardSdkTransport(peer, chain, given),
    relay: (given) => relay(pair(), pair(), given),
    "policy of guardServer": (given) => guardServer(server(), chain, { policy: given }),
    "policy of guardTransport": (given) => guardTransport(pair(), { role: "server", chain, host, policy: given }),
  };
  for (const [name, take] of Object.entries(takers)) {
    for (const given of [null, 5, "x", [], true]) {
      assert.throws(() => take(given as never), { name: "LocalError", code: "invalid_argument" }, `${name} ${JSON.stringify(given)}`);
    }
  }
});

test("whatever takes a chain or a transport refuses what is none at once, with what to do", async () => {
  const pair = () => memoryPair()[0];
  const peer = { start: async () => {}, send: async () => {}, close: async () => {} };
  const chain = chainOf();
  const takers: Readonly<Record<string, (chain: never) => unknown>> = {
    guardTransport: (given) => guardTransport(pair(), { role: "server", chain: given }),
    guardSdkTransport: (given) => guardSdkTransport(peer, given, { role: "server" }),
    guardFunction: (given) => guardFunction(() => 1, given, { event: "x/y" }),
    guardCoverage: (given) => guardCoverage(given, { role: "server" }),
  };
  for (const [name, take] of Object.entries(takers)) {
    for (const given of [Promise.resolve(chain), [denyAll], {}, undefined, null, { current: 5 }]) {
      assert.throws(() => take(given as never), { code: "invalid_argument", message: /a guard needs a chain/ }, name);
    }
    take(chain as never);
    take({ current: () => chain } as never);
  }
  const noTransports: readonly [unknown, RegExp][] = [
    [undefined, /got nothing/],
    [{}, /got object/],
    [Promise.resolve(pair()), /a promise was given: await it/],
    [peer, /an official SDK's: use fromSdkTransport or guardSdkTransport/],
  ];
  const host = fakeHost();
  for (const [given, message] of noTransports) {
    // What JavaScript lets through.
    const transport = given as Transport;
    assert.throws(() => guardTransport(transport, { role: "server", chain }), { code: "invalid_argument", message });
    assert.throws(() => relay(transport, pair(), { host }), { code: "invalid_argument", message });
    assert.throws(() => relay(pair(), transport, { host }), { code: "invalid_argument", message });
    assert.throws(() => new McpServer({ name: "s", version: "1" }, { host }).connect(transport), { code: "invalid_argument", message });
    await assert.rejects(new McpClient({ name: "c", version: "1" }, { host }).connect(transport), { code: "invalid_argument", message });
  }
  for (const given of [undefined, {}, pair()]) {
    assert.throws(() => guardSdkTransport(given as never, chain, { role: "server" }), { code: "invalid_argument", message: /a transport of the official SDKs/ });
  }
  for (const options of [undefined, { chain, role: undefined }, { chain, role: "both" }]) {
    assert.throws(() => guardTransport(pair(), options as never), { code: "invalid_argument", message: /a role/ });
    assert.throws(() => guardSdkTransport(peer, chain, (options && { role: options.role }) as never), { code: "invalid_argument", message: /a role/ });
  }
  assert.throws(() => guardFunction(5 as never, chain, { event: "x/y" }), { code: "invalid_argument", message: /must be a function/ });
  assert.throws(() => guardStream(undefined as never, chain), { code: "invalid_argument", message: /must be a function/ });
  assert.throws(() => guardFunction(() => 1, chain, undefined as never), { code: "invalid_argument", message: /options with an event/ });
});

test("a current chain that is none blocks what it should have judged, and the owner is told", async () => {
  const log: string[] = [];
  const [inner, peer] = memoryPair();
  const later = { current: () => Promise.resolve(chainOf()) } as never;
  const guarded = guardTransport(inner, { role: "server", chain: later, host: fakeHost(), log: ({ message }) => void log.push(message) });
  const pulled = guarded.receive();
  await peer.send({ message: call(1) });
  await settle();
  assert.match(JSON.stringify((await peer.receive())?.frame.message), /Interceptor execution failed/);
  assert.match(log.join("\n"), /the chain cannot be had: .*a promise was given: write `await localChain/);
  await guarded.close();
  assert.equal(await pulled, undefined);
});
