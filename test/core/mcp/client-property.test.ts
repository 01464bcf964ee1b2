import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError, RpcError } from "../../../src/core/base/errors.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { createSignal } from "../../../src/core/base/signal.ts";
import { McpClient } from "../../../src/core/mcp/client.ts";
import { classify, type RequestMessage } from "../../../src/core/wire/message.ts";
import { META } from "../../../src/core/wire/versions.ts";
import { fakeHost, type FakeHost } from "../../support/fake-host.ts";
import { seededRandom, type Random } from "../../support/random.ts";
import { scriptedTransport, type ScriptedTransport } from "../../support/scripted-transport.ts";

const SEED = 20260731;
const ROUNDS = 60;
const ODD: readonly unknown[] = [null, true, 0, -1, 1.5, "", "x", "file:///a", "__proto__", "constructor", [], {}, [1], [{}], { a: 1 }, { type: "text", text: "t" }, "2025-11-25", "2026-07-28"];
const MEMBERS = [
  "tools", "prompts", "resources", "resourceTemplates", "contents", "content", "messages", "completion", "values", "nextCursor", "ttlMs", "cacheScope", "resultType",
  "inputRequests", "requestState", "isError", "structuredContent", "name", "uri", "role", "type", "text", "inputSchema", "method", "params", "message",
  "requestedSchema", "mode", "url", "level", "data", "notifications", "requestId", "progressToken", "progress", "elicitationId", "maxTokens",
  "capabilities", "supportedVersions", "protocolVersion", "serverInfo", "__proto__",
];
const TOOL = { name: "t", inputSchema: { type: "object" }, outputSchema: { type: "object" } };
const FORM = { method: "elicitation/create", params: { message: "?", requestedSchema: { type: "object", properties: { a: { type: "string" } } } } };
const SAMPLE = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } };
const GOOD: readonly JsonObject[] = [
  { tools: [TOOL], nextCursor: "1", ttlMs: 5, cacheScope: "public" },
  { tools: [] },
  { prompts: [{ name: "p" }], nextCursor: "2" },
  { resources: [], ttlMs: 1_000, cacheScope: "private" },
  { resourceTemplates: [], nextCursor: "" },
  { contents: [], ttlMs: 50 },
  { content: [], structuredContent: {} },
  { messages: [] },
  { completion: { values: [] } },
  {},
  { resultType: "input_required", inputRequests: { a: FORM, b: SAMPLE, c: { method: "roots/list" } }, requestState: "s" },
  { resultType: "input_required", requestState: "s" },
  { resultType: "input_required", inputRequests: { a: { method: "tools/call" } } },
  { resultType: "input_required" },
];
const METHODS = [
  "ping", "roots/list", "sampling/createMessage", "elicitation/create", "tools/list", "interceptor/invoke", "constructor", "", "notifications/message",
  "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/resources/updated",
  "notifications/subscriptions/acknowledged", "notifications/elicitation/complete", "notifications/progress", "notifications/cancelled",
];

function oddObject(random: Random, depth: number): JsonObject {
  const object: JsonObject = {};
  for (let count = random.below(5); count > 0; count--) {
    const value = depth > 0 && random.below(3) === 0 ? (random.below(4) === 0 ? [oddObject(random, depth - 1)] : oddObject(random, depth - 1)) : random.pick(ODD);
    Object.defineProperty(object, random.pick(MEMBERS), { value, enumerable: true, configurable: true, writable: true });
  }
  if (random.below(4) === 0) object._meta = { [META.subscriptionId]: 2 + random.below(3), progressToken: random.below(12) };
  return object;
}

/** Sound, nearly sound with one member spoilt, or nonsense. */
function oddResult(random: Random): JsonObject {
  if (random.below(3) === 0) return oddObject(random, 3);
  const result = structuredClone(random.pick(GOOD));
  if (random.below(3) === 0) result[random.pick(MEMBERS.slice(0, -1))] = random.pick(ODD);
  return result;
}

/** A message that a transport would let through: it is well-formed as JSON-RPC, and nothing else is sure. */
function oddMessage(random: Random, waiting: RequestMessage[]): unknown {
  const kind = random.below(10);
  if (kind < 5 && waiting.length > 0) {
    const [request] = waiting.splice(random.below(waiting.length), 1);
    return random.below(6) === 0
      ? { jsonrpc: "2.0", id: request?.id, error: { code: random.pick([-32601, -32602, -32603, -32042, 0]), message: "no", data: random.pick(ODD) } }
      : { jsonrpc: "2.0", id: request?.id, result: oddResult(random) };
  }
  const id = random.pick([random.below(20), String(random.below(20)), `q${random.below(1_000)}`]);
  if (kind === 5) return { jsonrpc: "2.0", id, result: oddResult(random) };
  if (kind === 6) return { jsonrpc: "2.0", id: random.pick([id, null]), error: { code: 1, message: "x" } };
  const params: JsonObject | undefined = random.below(4) === 0 ? undefined : random.below(3) === 0 ? structuredClone(random.pick([FORM, SAMPLE]).params) : oddObject(random, 2);
  // The first stream of a client has the id 2.
  if (kind === 7 && params !== undefined && random.below(2) === 0) params._meta = { [META.subscriptionId]: 2 };
  return { jsonrpc: "2.0", method: random.pick(METHODS), ...(kind === 7 ? {} : { id }), ...(params === undefined ? {} : { params }) };
}

function askSomething(random: Random, client: McpClient, signal: ReturnType<typeof createSignal>["signal"]): Promise<unknown> {
  const options = { timeoutMs: 1 + random.below(5_000), ...(random.below(3) === 0 ? { signal } : {}), ...(random.below(2) === 0 ? { onProgress: () => {} } : {}) };
  const calls: (() => Promise<unknown>)[] = [
    () => client.listTools(options),
    () => client.listPrompts(options),
    () => client.listResources(options),
    () => client.listResourceTemplates(options),
    () => client.callTool({ name: "t" }, options),
    () => client.getPrompt({ name: "p" }, options),
    () => client.readResource({ uri: "x:a" }, options),
    () => client.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }, options),
    () => client.subscribeResource(`x:${random.below(3)}`, options),
    () => client.unsubscribeResource(`x:${random.below(3)}`, options),
    () => client.setLogLevel("info", options),
    () => client.request("com.example/x", {}, options),
    () => client.ping(options),
  ];
  return random.pick(calls)();
}

async function connected(random: Random, era: "handshake" | "stateless", host: FakeHost, hear: () => void) {
  const transport: ScriptedTransport = scriptedTransport();
  const maybe = <Value>(value: Value) => (random.below(4) === 0 ? (random.pick(ODD) as Value) : value);
  const client = new McpClient({ name: "c", version: "1" }, { host, era, checkCapabilities: random.below(2) === 0, inputInOrder: random.below(2) === 0, limits: { maxPages: 5 }, logLevel: "info" })
    .onElicitation(() => maybe({ action: "accept", content: { a: "x" } }), { url: true })
    .onSampling(async () => maybe({ role: "assistant", content: { type: "text", text: "t" }, model: "m" }))
    .onRoots(() => (random.below(4) === 0 ? Promise.reject(new LocalError("refused", "no")) : maybe([])))
    .method("tools/list", () => random.pick(ODD));
  const waiting: RequestMessage[] = [];
  const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} };
  transport.onSend = async (message) => {
    assert.notEqual(classify(message).kind, "invalid");
    if (!("method" in message) || !("id" in message)) return;
    const request = message as RequestMessage;
    if (request.method === "initialize") transport.deliver({ jsonrpc: "2.0", id: request.id, result: { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "s", version: "1" } } });
    else if (request.method === "server/discover" && client.era === undefined) transport.deliver({ jsonrpc: "2.0", id: request.id, result: { supportedVersions: ["2026-07-28"], capabilities } });
    else waiting.push(request);
  };
  await client.connect(transport);
  for (const kind of ["tools", "prompts", "resources"] as const) client.onListChanged(kind, () => (hear(), random.below(2) === 0 ? undefined : Promise.reject(new LocalError("refused", "x"))));
  client.onResourceUpdated((uri) => assert.equal(typeof uri, "string"));
  client.onLog(({ level }) => assert.equal(typeof level, "string"));
  return { client, transport, waiting };
}

for (const era of ["handshake", "stateless"] as const) {
  test(`whatever a server of the ${era} era sends, each call settles once, each of its requests gets ${era === "handshake" ? "one" : "no"} answer, and nothing is left`, async () => {
    const outcomes = new Set<unknown>();
    let heard = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const seed = SEED + round;
      const random = seededRandom(seed);
      const host = fakeHost();
      const { client, transport, waiting } = await connected(random, era, host, () => heard++);
      const source = createSignal();
      const settled: unknown[] = [];
      let calls = 0;
      const asked = new Map<unknown, number>();
      const cancelled = new Set<unknown>();
      for (let step = 0; step < 60; step++) {
        if (random.below(3) === 0) {
          calls++;
          askSomething(random, client, source.signal).then(
            () => settled.push(undefined),
            (error: unknown) => settled.push(error),
          );
        }
        const message = oddMessage(random, waiting);
        if (classify(message).kind === "invalid") continue;
        const { id, method } = message as { id?: unknown; method?: unknown };
        if (method === "notifications/cancelled") cancelled.add((message as { params?: JsonObject }).params?.requestId);
        if (method !== undefined && id !== undefined) asked.set(id, (asked.get(id) ?? 0) + 1);
        transport.deliver(message);
        if (random.below(4) === 0) await host.advance(random.below(2_000));
        if (step === 40) source.abort("enough");
      }
      await host.advance(random.below(5_000));
      await client.close();
      await host.advance(100_000);
      assert.equal(settled.length, calls, `seed ${seed}: a call did not settle`);
      for (const error of settled) assert.ok(error === undefined || error instanceof LocalError || error instanceof RpcError, `seed ${seed}: ${String(error)}`);
      for (const error of settled) outcomes.add(error === undefined ? "fulfilled" : error instanceof LocalError ? error.code : "error");
      assert.equal(host.liveTimers, 0, `seed ${seed}: a timer is left`);
      const answered = new Map<unknown, number>();
      for (const { message } of transport.sent) if (!("method" in message)) answered.set(message.id, (answered.get(message.id) ?? 0) + 1);
      for (const [id, count] of answered) assert.ok(count <= (asked.get(id) ?? 0), `seed ${seed}: ${String(id)} was answered too often`);
      if (era === "stateless") assert.equal(answered.size, 0, `seed ${seed}: the client has answered`);
      else for (const id of asked.keys()) assert.ok(answered.has(id) || cancelled.has(id), `seed ${seed}: ${String(id)} got no answer`);
    }
    // Else the seeds would have shown nothing.
    for (const outcome of ["fulfilled", "error", "invalid_message", "timeout", "aborted", "closed"]) assert.ok(outcomes.has(outcome), `no call ended with ${outcome}`);
    assert.ok(heard > 0, "no listener heard anything");
  });
}

test("whatever a server says while it is looked for, connecting settles, and a failure leaves nothing behind", async () => {
  const eras = new Set<unknown>();
  for (let round = 0; round < 300; round++) {
    const seed = SEED + round;
    const random = seededRandom(seed);
    const host = fakeHost();
    const client = new McpClient({ name: "c", version: "1" }, { host, requestTimeoutMs: 20_000 });
    const server = (): ScriptedTransport => {
      const transport = scriptedTransport();
      const lifecycle = { supportedVersions: ["2026-07-28", "2025-11-25"], capabilities: {}, protocolVersion: "2025-11-25", serverInfo: { name: "s", version: "1" } };
      transport.onSend = async (message) => {
        if (!("id" in message) || !("method" in message)) return;
        const { id } = message;
        for (let extra = random.below(3); extra > 0; extra--) {
          const odd = oddMessage(random, []);
          if (classify(odd).kind !== "invalid") transport.deliver(odd);
        }
        const choice = random.below(12);
        if (choice === 0) transport.end(random.pick([undefined, new LocalError("closed", "broken")]));
        else if (choice < 3) transport.deliver({ jsonrpc: "2.0", id, error: { code: random.pick([-32601, -32602, -32021, -32022, 0]), message: "no", data: random.pick([...ODD, { supported: ["2025-06-18"] }, { supported: ["2026-07-28"] }]) } });
        else if (choice < 6) transport.deliver({ jsonrpc: "2.0", id, result: { ...lifecycle, [random.pick(["supportedVersions", "capabilities", "protocolVersion", "serverInfo", "resultType"])]: random.pick(ODD) } });
        else if (choice < 11) transport.deliver({ jsonrpc: "2.0", id, result: lifecycle });
      };
      return transport;
    };
    const opened = [server()];
    const reconnect = async () => {
      const again = server();
      opened.push(again);
      return again;
    };
    let outcome: unknown;
    const connecting = client.connect(opened[0]!, random.below(2) === 0 ? { reconnect } : {}).then(
      () => (outcome = client.era),
      (error: unknown) => (outcome = error),
    );
    await host.advance(60_000);
    assert.notEqual(outcome, undefined, `seed ${seed}: connecting did not settle`);
    await connecting;
    assert.ok(typeof outcome === "string" || outcome instanceof LocalError || outcome instanceof RpcError, `seed ${seed}: ${String(outcome)}`);
    eras.add(typeof outcome === "string" ? outcome : "failed");
    await client.close();
    assert.deepEqual([host.liveTimers, opened.length <= 2, opened.every(({ closes }) => closes > 0)], [0, true, true], `seed ${seed}`);
  }
  assert.deepEqual([...eras].sort(), ["failed", "handshake", "stateless"]);
});
