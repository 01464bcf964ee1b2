import assert from "node:assert/strict";
import { test } from "node:test";
import { checkOptions, pickOptions } from "../../../src/core/base/options.ts";
import { interceptorSource } from "../../../src/core/chain/in-process.ts";
import { createObserver } from "../../../src/core/chain/observer.ts";
import { createChain as createBareChain } from "../../../src/core/chain/chain.ts";
import { clientSource } from "../../../src/core/client/interceptor-client.ts";
import { createChain, localChain } from "../../../src/core/client/local-chain.ts";
import { guardClient, guardServer } from "../../../src/core/guard/attach.ts";
import { guardCoverage } from "../../../src/core/guard/coverage.ts";
import { guardFunction } from "../../../src/core/guard/guard-function.ts";
import { guardStream } from "../../../src/core/guard/guard-stream.ts";
import { guardTransport } from "../../../src/core/guard/guard.ts";
import { relay } from "../../../src/core/guard/relay.ts";
import { guardSdkTransport } from "../../../src/core/guard/sdk-peer.ts";
import { memoryEventStore } from "../../../src/core/http/event-store.ts";
import { httpTransport } from "../../../src/core/http/http-client.ts";
import { createHttpServer } from "../../../src/core/http/http-server.ts";
import { validator } from "../../../src/core/interceptor/define.ts";
import { McpClient } from "../../../src/core/mcp/client.ts";
import { McpServer } from "../../../src/core/mcp/server.ts";
import { hostInterceptors } from "../../../src/core/server/interceptor-server.ts";
import { lineTransport } from "../../../src/core/transport/line-transport.ts";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import { fromSdkTransport, toSdkTransport } from "../../../src/core/transport/sdk-adapters.ts";
import { blocksOf, textOf } from "../../../src/core/wire/completion.ts";
import { fakeHost } from "../../support/fake-host.ts";

const host = fakeHost();
const chain = createBareChain({ host });
const server = () => new McpServer({ name: "s", version: "1" }, { host });
const client = () => new McpClient({ name: "c", version: "1" }, { host });
const sdk = { start: async () => {}, send: async () => {}, close: async () => {} };
const pair = () => memoryPair()[0];
const denyAll = validator({ name: "v", hooks: [{ events: ["*"], phase: "request" }] }, () => false);
const invalid = (message: RegExp) => ({ code: "invalid_argument", message });

// What takes options, and what it needs of them.
const TAKERS: readonly [name: string, take: (options: never) => unknown, needed?: object][] = [
  ["createChain", (options) => createChain(options)],
  ["createChain of the engine", (options) => createBareChain(options)],
  ["localChain", (options) => localChain([], options)],
  ["add", (options) => createBareChain({ host }).add(denyAll, options)],
  ["addSource", (options) => createBareChain({ host }).addSource(interceptorSource([]), options)],
  ["addServer", (options) => createChain({ host }).addServer(interceptorSource([]), options)],
  ["refresh", (options) => chain.refresh(options)],
  ["createObserver", (options) => createObserver(() => {}, options)],
  ["interceptorSource", (options) => interceptorSource([], options)],
  ["clientSource", (options) => clientSource(client(), options), { label: "x" }],
  ["hostInterceptors", (options) => hostInterceptors(server(), [], options)],
  ["guardServer", (options) => guardServer(server(), chain, options)],
  ["guardClient", (options) => guardClient(client(), chain, options)],
  ["guardTransport", (options) => guardTransport(pair(), options), { role: "server", chain }],
  ["guardSdkTransport", (options) => guardSdkTransport(sdk, chain, options), { role: "server" }],
  ["policy", (policy) => guardServer(server(), chain, { policy })],
  ["policy of a transport", (policy) => guardTransport(pair(), { role: "server", chain, policy })],
  ["guardFunction", (options) => guardFunction(() => 1, chain, options), { event: "x/y" }],
  ["check of guardFunction", (check) => guardFunction(() => 1, chain, { event: "x/y", check })],
  ["guardStream", (options) => guardStream(() => [] as never, chain, options)],
  ["check of guardStream", (check) => guardStream(() => [] as never, chain, { check })],
  ["guardCoverage", (options) => guardCoverage(chain, options), { role: "server" }],
  ["relay", (options) => relay(pair(), pair(), options)],
  ["createHttpServer", (options) => createHttpServer(options)],
  ["memoryEventStore", (options) => memoryEventStore(options)],
  ["httpTransport", (options) => httpTransport(options), { url: "http://127.0.0.1/mcp", send: () => {} }],
  ["McpServer", (options) => new McpServer({ name: "s", version: "1" }, options)],
  ["McpClient", (options) => new McpClient({ name: "c", version: "1" }, options)],
  ["memoryPair", (options) => memoryPair(options)],
  ["lineTransport", (options) => lineTransport({ read: async () => undefined, write: async () => {}, close: async () => {} }, options), { invalid: "drop" }],
  ["fromSdkTransport", (options) => fromSdkTransport(sdk, options)],
  ["toSdkTransport", (options) => toSdkTransport(pair(), options)],
];

const refusal = async (work: () => unknown): Promise<unknown> => {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
};

for (const [name, take, needed = {}] of TAKERS) {
  test(`${name} refuses an option that nobody knows, and what is no object`, async () => {
    const said = (await refusal(() => take({ ...needed, zzzzzzzzz: 1 } as never))) as { code?: string; message?: string } | undefined;
    assert.equal(said?.code, "invalid_argument");
    assert.match(said?.message ?? "", /have no "zzzzzzzzz": known are |^check have no/);
    for (const given of [null, 5, []]) {
      const thrown = (await refusal(() => take(given as never))) as { code?: string } | undefined;
      assert.equal(thrown?.code, "invalid_argument", JSON.stringify(given));
    }
  });
}

test("the options that would leave a door open are told with the ones that are meant", () => {
  const server = (options: unknown) => createHttpServer(options as never);
  assert.throws(() => server({ authentcate: () => ({}) }), invalid(/an HTTP server have no "authentcate": did you mean authenticate\?/));
  assert.throws(() => server({ allowedHost: ["x"] }), invalid(/did you mean allowedHosts\?/));
  assert.throws(() => server({ authenticate: 5 }), invalid(/^authenticate in the options of an HTTP server must be a function$/));
  assert.throws(() => server({ allowedHosts: "x" }), invalid(/allowedHosts is a list of names, or "any"/));
  assert.throws(() => server({ allowedHosts: [5] }), invalid(/allowedHosts takes names/));
  assert.throws(() => server({ allowedOrigins: [5] }), invalid(/allowedOrigins takes origins/));
  assert.throws(() => server({ allowedOrigins: "https://x.test" }), invalid(/allowedOrigins is a list/));
  assert.throws(() => server({ host: 5 }), invalid(/^host in .* must be an object$/));
  assert.throws(() => server({ keepAliveMs: 0 }), invalid(/keepAliveMs in .* must be a positive number/));
  const guard = (options: unknown) => guardServer(new McpServer({ name: "s", version: "1" }, { host }), chain, options as never);
  assert.throws(() => guard({ recrd: () => {} }), invalid(/did you mean record\?/));
  assert.throws(() => guard({ polcy: {} }), invalid(/did you mean policy\?/));
  assert.throws(() => guard({ policy: { errorResponses: "genric" } }), invalid(/^errorResponses in the rules of policy must be "pass" or "generic"$/));
  assert.throws(() => guard({ policy: { blockAs: "results" } }), invalid(/must be "error" or "result"/));
  assert.throws(() => guard({ policy: { interceptNotification: true } }), invalid(/did you mean interceptNotifications\?/));
});

test("what is no content of a message is refused in words", () => {
  for (const read of [textOf, blocksOf]) for (const given of [5, undefined, null, {}]) assert.throws(() => read(given as never), invalid(/a text or a list of blocks/));
});

test("each kind of member takes what it is for, and undefined for none", () => {
  const table = { list: "a list", flag: "a boolean", call: "a function", count: "a number", time: "a positive number", object: "an object", text: "a string", word: ["a", "b"], any: "any" } as const;
  const good = { list: [], flag: false, call: () => {}, count: 0, time: 1, object: {}, text: "", word: "b", any: Symbol() };
  checkOptions(good, "they", table);
  checkOptions(Object.fromEntries(Object.keys(good).map((name) => [name, undefined])), "they", table);
  const bad: readonly [string, unknown][] = [
    ...[{}, "x", null].map((value) => ["list", value] as const),
    ...["true", 1].map((value) => ["flag", value] as const),
    ...[{}, "x"].map((value) => ["call", value] as const),
    ...["1", NaN, -1, null].map((value) => ["count", value] as const),
    ...["1", NaN, -1, 0].map((value) => ["time", value] as const),
    ...[[], null, "x", () => {}].map((value) => ["object", value] as const),
    ...[5, [], null].map((value) => ["text", value] as const),
    ...["c", 5, null].map((value) => ["word", value] as const),
    ...["toString", "__proto__x"].map((name) => [name, 1] as const),
  ].map(([name, value]): [string, unknown] => [name as string, value]);
  for (const [name, value] of bad) assert.throws(() => checkOptions({ [name]: value }, "they", table), { code: "invalid_argument" }, `${name} ${String(value)}`);
  assert.deepEqual(pickOptions({ flag: true, other: 1 } as object, table), { flag: true });
});
