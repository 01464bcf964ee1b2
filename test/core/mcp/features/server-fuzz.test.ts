import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../../src/core/base/json.ts";
import { elicit } from "../../../../src/core/mcp/features/server-ask.ts";
import { McpServer } from "../../../../src/core/mcp/server.ts";
import { META, PROTOCOL_VERSIONS } from "../../../../src/core/wire/versions.ts";
import { fakeHost, settle } from "../../../support/fake-host.ts";
import { seededRandom, type Random } from "../../../support/random.ts";
import { scriptedTransport } from "../../../support/scripted-transport.ts";

const SEED = 20260803;
const FORM = { message: "?", requestedSchema: { type: "object" as const, properties: {} } };
const CAPABILITIES = { roots: {}, sampling: {}, elicitation: {} };
const ODD: readonly unknown[] = [null, true, 0, -1, 1.5, "", "x", "t", "p", "r:1", "debug", "__proto__", "constructor", [], {}, [1], { a: 1 }, "😀", "a".repeat(2_000), "sealed1.e30.e30"];
const CLIENT_INFO = { name: "c", version: "1" };

/** Requests that are right, to be bent. */
const RIGHT: readonly (readonly [method: string, params: JsonObject])[] = [
  ["ping", {}],
  ["server/discover", {}],
  ["initialize", { protocolVersion: "2025-11-25", capabilities: CAPABILITIES, clientInfo: CLIENT_INFO }],
  ["tools/list", { cursor: "dG9vbHMgMSAw" }],
  ["tools/call", { name: "t", arguments: { n: 1 } }],
  ["tools/call", { name: "asks", arguments: {} }],
  ["tools/call", { name: "asks", arguments: {} }],
  ["prompts/list", {}],
  ["prompts/get", { name: "p", arguments: { a: "x" } }],
  ["prompts/get", { name: "asks" }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "r:1" }],
  ["resources/read", { uri: "t:a%2Fb" }],
  ["resources/subscribe", { uri: "r:1" }],
  ["resources/unsubscribe", { uri: "r:1" }],
  ["subscriptions/listen", { notifications: { toolsListChanged: true, resourceSubscriptions: ["r:1"] } }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "x" }, context: { arguments: { b: "y" } } }],
  ["completion/complete", { ref: { type: "ref/resource", uri: "t:{a}" }, argument: { name: "a", value: "x" } }],
  ["logging/setLevel", { level: "info" }],
  ["constructor", {}],
  ["", {}],
];

function server(random: Random, host: ReturnType<typeof fakeHost>) {
  const all = new McpServer({ name: "s", version: "1" }, { host, pageSize: 1, capabilities: { logging: {} }, limits: { maxAsks: 5 } });
  all.tool({ name: "t", inputSchema: { type: "object", properties: { n: { type: "integer" } } } }, async (args, { log, reportProgress }) => {
    void log("info", args);
    await reportProgress(1);
    if (random.below(5) === 0) throw new TypeError("at times");
    return JSON.stringify(args);
  });
  all.tool({ name: "asks", inputSchema: { type: "object" } }, async (_args, { ask, listRoots, once }) => {
    const count = await once("n", () => random.below(3));
    for (let index = 0; index < count; index++) await Promise.all([ask(elicit(FORM)), listRoots()]);
    return random.pick(ODD) as string;
  });
  all.prompt({ name: "p", arguments: [{ name: "a", required: true }] }, ({ a }) => `${a}`, { complete: { a: (value) => [value, `${value}!`] } });
  all.prompt({ name: "asks" }, async ({}, { listRoots }) => String((await listRoots()).roots.length));
  all.resource({ uri: "r:1", name: "r" }, () => random.pick(["text", Uint8Array.of(1), undefined]));
  all.resourceTemplate({ uriTemplate: "t:{a}", name: "t" }, (_uri, { a }) => `${a}`, { list: () => [{ uri: "t:1", name: "1" }], complete: { a: () => ["1"] } });
  return all;
}

/** A copy in which a member, at some depth, is something else, gone, or new. */
function bend(random: Random, value: JsonObject): JsonObject {
  const copy = { ...value };
  const members = Object.keys(copy);
  const member = members.length === 0 || random.below(6) === 0 ? random.pick(["name", "cursor", "uri", "inputResponses", "requestState", "x", "_meta"]) : random.pick(members);
  const inner = copy[member];
  if (typeof inner === "object" && inner !== null && !Array.isArray(inner) && random.below(3) > 0) copy[member] = bend(random, inner as JsonObject);
  else if (random.below(4) === 0) delete copy[member];
  else copy[member] = random.pick(ODD);
  return copy;
}

test("whatever a client sends to a server that does everything, it stays up and gives each request one answer", async () => {
  const seenIn = { results: 0, errors: 0, suspended: 0, resumed: 0, asked: 0 };
  for (let round = 0; round < 25; round++) {
    const seed = SEED + round;
    const random = seededRandom(seed);
    // Our own digests take no turns of the event loop, so that a round is the same every time.
    const { subtle: _left, ...host } = fakeHost();
    const fuzzed = server(random, host as ReturnType<typeof fakeHost>);
    const transport = scriptedTransport();
    const connection = fuzzed.connect(transport);
    const states: { id: unknown; params: JsonObject }[] = [];
    const sent = new Map<unknown, readonly [method: string, params: JsonObject]>();
    const asked = new Set<unknown>();
    const cancelled = new Set<unknown>();
    const retries = new Set<unknown>();
    let seen = 0;
    // What a client does with what has come: it keeps states, and answers questions, well or badly.
    const react = () => {
      for (const { message } of transport.sent.slice(seen) as unknown as { message: JsonObject }[]) {
        const result = message.result as JsonObject | undefined;
        if (typeof result?.requestState === "string") {
          const requests = Object.entries(result.inputRequests as Record<string, { method: string }>);
          const inputResponses = Object.fromEntries(requests.map(([key, { method }]) => [key, random.below(5) === 0 ? {} : method === "roots/list" ? { roots: [] } : { action: "accept" }]));
          states.push({ id: message.id, params: { requestState: result.requestState, inputResponses } });
        }
        if (message.method === undefined || message.id === undefined || asked.has(message.id)) continue;
        asked.add(message.id);
        const answer = random.pick([{ result: { action: "accept", content: {} } }, { result: { roots: [] } }, { result: {} }, { error: { code: -1, message: "no" } }, undefined]);
        if (answer !== undefined) transport.deliver({ jsonrpc: "2.0", id: message.id, ...answer });
      }
      seen = transport.sent.length;
    };

    const total = 120;
    for (let id = 0; id < total; id++) {
      // Every other round opens with a session.
      let [method, right] = id === 0 && round % 2 === 0 ? RIGHT[2]! : random.pick(RIGHT);
      const retried = random.below(3) === 0 ? random.pick([...states, undefined]) : undefined;
      if (retried !== undefined) {
        retries.add(id);
        // Now and then for another request than the one that it belongs to.
        if (random.below(4) > 0) [method, right] = sent.get(retried.id)!;
      }
      let params: JsonObject = { ...right, ...retried?.params };
      if (method !== "initialize" && random.below(3) > 0) {
        const version = random.below(8) === 0 ? random.pick(PROTOCOL_VERSIONS) : "2026-07-28";
        params._meta = { [META.protocolVersion]: version, [META.clientCapabilities]: random.below(4) === 0 ? {} : CAPABILITIES, [META.logLevel]: "debug", progressToken: id };
      }
      sent.set(id, [method, right]);
      for (let bends = random.pick([0, 0, 0, 1, 2]); bends > 0; bends--) params = bend(random, params);
      transport.deliver({ jsonrpc: "2.0", id, method, ...(random.below(10) === 0 ? {} : { params }) });
      if (random.below(8) === 0) {
        const requestId = random.below(id + 1);
        transport.deliver({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: random.pick([requestId, requestId, String(requestId), null, {}]) } });
        cancelled.add(requestId);
      }
      if (random.below(4) === 0) await settle();
      if (random.below(6) === 0) fuzzed.resourceUpdated("r:1");
      react();
    }
    for (let turn = 0; turn < 4; turn++) {
      await settle();
      react();
    }
    // Questions that nobody answers are given up.
    await host.advance(700_000);
    await connection.close();
    await settle();

    const answers = new Map<unknown, number>();
    for (const { message } of transport.sent as unknown as { message: JsonObject }[]) {
      if (message.method !== undefined) continue;
      answers.set(message.id, (answers.get(message.id) ?? 0) + 1);
      const error = message.error as { code: unknown; message: unknown } | undefined;
      seenIn[error === undefined ? "results" : "errors"]++;
      if ((message.result as JsonObject | undefined)?.resultType === "input_required") seenIn.suspended++;
      else if (error === undefined && retries.has(message.id)) seenIn.resumed++;
      if (error === undefined) assert.equal(typeof message.result, "object", `seed ${seed}`);
      else assert.ok(Number.isSafeInteger(error.code) && typeof error.message === "string" && error.message !== "", `seed ${seed}`);
    }
    for (let id = 0; id < total; id++) {
      const count = answers.get(id) ?? 0;
      assert.ok(count === 1 || (count === 0 && cancelled.has(id)), `seed ${seed}: request ${id} has ${count} answers`);
    }
    assert.equal(answers.size, [...answers.keys()].filter((id) => typeof id === "number" && id < total).length, `seed ${seed}`);
    assert.equal(host.liveTimers, 0, `seed ${seed}`);
    seenIn.asked += asked.size;
  }
  // Else the requests were bent so far that nothing was reached.
  for (const [what, count] of Object.entries(seenIn)) assert.ok(count >= 20, `${what}: ${count}`);
});
