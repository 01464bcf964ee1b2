import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createSignal } from "../../../src/core/base/signal.ts";
import { buildPlan, createPools } from "../../../src/gateway/config/build.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import { compareFates, createReplayer, type Fate, type ReplayerOptions } from "../../../src/gateway/config/replay.ts";
import { recordedMessage, type RecordedMessage } from "../../../src/gateway/recording.ts";
import type { Message } from "../../../src/core/wire/message.ts";
import { temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

type Said = readonly [from: "client" | "server", message: object, event?: string | undefined, session?: string];

async function replayed(interceptors: readonly object[], said: readonly Said[], { settings = {}, ...options }: Partial<ReplayerOptions> & { readonly settings?: object } = {}): Promise<readonly Fate[]> {
  const file = folder.write("gateway.json", { upstreams: { files: { command: "x", ...settings } }, interceptors });
  const built = await buildPlan(await loadConfig(file), { pools: createPools(), log: () => {}, chainLog: () => {}, dry: true });
  const replayer = createReplayer(built, { signal: createSignal().signal, ...options, upstream: "files" });
  const fates: Fate[] = [];
  try {
    for (const [from, rest, event = "tools/call", session = "s"] of said) {
      const message = { jsonrpc: "2.0", ...rest } as Message;
      fates.push(await replayer.put(recordedMessage(message, { at: "2026-07-28T00:00:00.000Z", session, from, event: "method" in message ? message.method : event }), message));
    }
    return fates;
  } finally {
    await replayer.close();
    await built.close();
  }
}

const call = (id: number, name: string, args: object = {}) => ({ id, method: "tools/call", params: { name, arguments: args } });
const text = (id: number, said: string) => ({ id, result: { content: [{ type: "text", text: said }] } });
const verdicts = (fates: readonly Fate[]) => fates.map(({ verdict }) => verdict);

describe("a replayer", () => {
  it("says what a face's guard makes of requests, answers, errors and notifications of either side", async () => {
    const fates = await replayed(
      [{ use: "redact" }, { use: "tool-filter", config: { deny: ["rm"] } }],
      [
        ["client", { id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } } }],
        ["server", { id: 0, result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "s", version: "1" } } }, "initialize"],
        ["client", call(1, "ls", { who: "ada@example.com" })],
        ["server", text(1, "fine")],
        ["client", call(2, "rm")],
        ["server", text(2, "gone")],
        ["client", call(3, "ls")],
        ["server", text(3, "ada@example.com")],
        ["server", { method: "notifications/message", params: { level: "info", data: "ada@example.com" } }],
        ["server", { id: 9, method: "elicitation/create", params: { message: "mail ada@example.com?", requestedSchema: { type: "object", properties: {} } } }],
        ["client", { id: 9, result: { action: "decline" } }, "elicitation/create"],
        ["client", call(4, "ls")],
        ["server", { id: 4, error: { code: -32000, message: "ada@example.com" } }],
        ["server", text(99, "to nothing")],
      ],
    );
    assert.deepEqual(verdicts(fates), ["passed", "passed", "changed", "passed", "blocked", "unreached", "passed", "changed", "changed", "changed", "passed", "passed", "changed", "dropped"]);
    assert.deepEqual([fates[4]?.by, fates[4]?.code], ["tool-filter", -32602]);
    assert.deepEqual(fates[2]?.changes, [{ pointer: "/params/arguments/who", kind: "replaced" }]);
    assert.deepEqual(fates[12]?.changes, [{ pointer: "/error/message", kind: "replaced" }]);
  });

  it("keeps sessions apart, and lets a session's next message pass after a refusal", async () => {
    const fates = await replayed(
      [{ use: "rate-limit", config: { perMinute: 1 } }],
      [["client", call(1, "a")], ["client", call(2, "a")], ["client", call(1, "a"), undefined, "t"], ["server", text(1, "x")], ["client", { id: 3, method: "ping" }]],
    );
    assert.deepEqual(verdicts(fates), ["passed", "blocked", "passed", "passed", "passed"]);
  });

  it("refuses what the server asks, and nobody answers it", async () => {
    const module = folder.write("deny.mjs", `export const handler = { descriptor: { name: "deny", type: "validation", hooks: [{ events: ["elicitation/create"], phase: "request" }, { events: ["notifications/message"], phase: "request" }] }, handler: () => ({ valid: false }), handlesErrors: false, withRequest: false };`);
    const fates = await replayed(
      [{ module }],
      [
        ["client", call(1, "a")],
        ["server", { id: 9, method: "elicitation/create", params: { message: "m", requestedSchema: { type: "object", properties: {} } } }],
        ["client", { id: 9, result: { action: "decline" } }, "elicitation/create"],
        ["server", { method: "notifications/message", params: { level: "info", data: "x" } }],
        ["client", { method: "notifications/message", params: { level: "info", data: "x" } }],
        ["server", text(1, "x")],
      ],
    );
    assert.deepEqual(verdicts(fates), ["passed", "blocked", "unreached", "dropped", "dropped", "passed"]);
  });

  it("judges the requests that a result embeds as the events that they are", async () => {
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" }, "io.modelcontextprotocol/clientCapabilities": {} };
    const asks = { message: "mail ada@example.com?", requestedSchema: { type: "object", properties: {} } };
    const fates = await replayed(
      [{ use: "redact", events: ["elicitation/create"] }],
      [
        ["client", { id: 1, method: "tools/call", params: { name: "a", arguments: { to: "ada@example.com" }, _meta } }],
        ["server", { id: 1, result: { resultType: "input_required", requestState: "s", inputRequests: { who: { method: "elicitation/create", params: asks } } } }],
      ],
    );
    assert.deepEqual(verdicts(fates), ["passed", "changed"]);
    assert.deepEqual(fates[1]?.changes, [{ pointer: "/result/inputRequests/who/params/message", kind: "replaced" }]);
  });

  it("knows who calls, from the recording or as it is told", async () => {
    const items = [{ use: "tool-filter", when: { not: { claim: "role", equals: "admin" } }, config: { deny: ["deploy"] } }];
    const said: readonly Said[] = [["client", call(1, "deploy")]];
    assert.deepEqual(verdicts(await replayed(items, said)), ["blocked"]);
    assert.deepEqual(verdicts(await replayed(items, said, { principal: { type: "user", id: "ada", claims: { role: "admin" } } })), ["passed"]);
    const closed = await replayed([], [...said, ["server", text(1, "x")]], { settings: { allow: { claim: "role", equals: "ops" } } });
    assert.deepEqual(closed.map(({ verdict, reason }) => [verdict, reason]), [["blocked", "not_allowed"], ["unreached", undefined]]);
  });

  it("passes over what the recording withholds, and ends with its signal", async () => {
    const built = await buildPlan(await loadConfig(folder.write("plain.json", { upstreams: { files: { command: "x" } } })), { pools: createPools(), log: () => {}, chainLog: () => {}, dry: true });
    const stop = createSignal();
    const replayer = createReplayer(built, { upstream: "files", signal: stop.signal });
    const entry: RecordedMessage = { at: "", session: "s", from: "client", kind: "request", event: "tools/call", phase: "request", id: 1, withheld: true };
    assert.deepEqual(await replayer.put(entry, undefined), { verdict: "withheld" });
    const answer = { jsonrpc: "2.0", id: 1, result: {} } as const;
    assert.deepEqual(await replayer.put({ ...entry, from: "server", kind: "response", phase: "response" }, answer), { verdict: "unreached" });
    stop.abort("enough");
    await assert.rejects(replayer.put(entry, undefined), (thrown) => thrown === "enough");
    await replayer.close();
    await built.close();
  });
});

describe("comparing fates", () => {
  const passed = (value: number): Fate => ({ verdict: "passed", message: { jsonrpc: "2.0", method: "x", params: { value } } });
  const blocked = (message: string): Fate => ({ verdict: "blocked", message: { jsonrpc: "2.0", id: 1, error: { code: 1, message } } });
  const rows: readonly (readonly [string, Fate, Fate, boolean, readonly string[]])[] = [
    ["what is the same agrees", passed(1), { ...passed(1), verdict: "changed" }, true, []],
    ["other payloads differ, and where", passed(1), passed(2), false, ["/params/value"]],
    ["a block is no pass", passed(1), blocked("a"), false, []],
    ["the same refusal agrees, whoever said it", { ...blocked("a"), by: "x" }, { ...blocked("a"), by: "y" }, true, []],
    ["other refusals differ", blocked("a"), blocked("b"), false, []],
    ["two that vanish agree", { verdict: "dropped" }, { verdict: "dropped" }, true, []],
    ["what nobody reached is no difference", passed(1), { verdict: "unreached" }, true, []],
  ];
  for (const [name, left, right, agree, pointers] of rows) {
    it(name, () => {
      const compared = compareFates(left, right);
      assert.deepEqual([compared.agree, compared.differences.map(({ pointer }) => pointer)], [agree, pointers]);
      assert.equal(compareFates(right, left).agree, agree);
    });
  }
});
