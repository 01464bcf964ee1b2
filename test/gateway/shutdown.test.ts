// src/gateway over real sockets, when it ends: whatever was written on a connection that is there gets its one answer.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { behind, gatewayFor, until } from "./kit.ts";
import { metaOf } from "./raw.ts";

// What sockets do takes real time; a test that waits for what does not come fails by the runner's own bound.
const TURNS = 2_000_000;
const CLIENTS = 60;
const INITIALIZE = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };

interface Reply {
  readonly status: number;
  readonly closes: boolean;
  readonly message: { readonly id?: unknown; readonly result?: object; readonly error?: { readonly data?: JsonObject } };
}

/** A connection that is kept, as a client writes and reads it. */
async function client(origin: string) {
  const { hostname, port, host } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const seen = { text: "", ended: false };
  socket.setEncoding("utf8").on("data", (chunk: string) => (seen.text += chunk));
  socket.on("error", () => {});
  socket.on("close", () => (seen.ended = true));
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const post = (headers: Record<string, string>, message: JsonObject) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const all = { host, "content-type": "application/json", accept: "application/json, text/event-stream", "content-length": String(Buffer.byteLength(body)), ...headers };
    socket.write(`POST /up/mcp HTTP/1.1\r\n${Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`);
  };
  return {
    seen,
    post,
    call(id: string, name: string, args: JsonObject) {
      const _meta = JSON.parse(metaOf()) as JsonObject;
      post({ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name }, { id, method: "tools/call", params: { name, arguments: args, _meta } });
    },
    open: (id: string) => post({}, { id, method: "initialize", params: INITIALIZE }),
    replies: () => repliesIn(seen.text),
  };
}

/** Responses with one JSON body each. */
function repliesIn(text: string): Reply[] {
  return text.split(/(?=HTTP\/1\.1 \d{3} )/).flatMap((response) => {
    const [head = "", body = ""] = response.split("\r\n\r\n");
    if (body === "" || Buffer.byteLength(body) < Number(/content-length: (\d+)/i.exec(head)?.[1])) return [];
    return [{ status: Number(head.split(" ")[1]), closes: /connection: close/i.test(head), message: JSON.parse(body) as Reply["message"] }];
  });
}

describe("a gateway that ends", () => {
  it("answers on each connection what is being served, and what was on its way, under its own id", async () => {
    const up = behind("memory", "handshake");
    const gateway = await gatewayFor(up.target, { http: {} });
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => client(gateway.url ?? "")));
    for (const [index, one] of clients.entries()) one.call(`first ${index}`, "echo", { text: String(index) });
    await until(() => clients.every((one) => one.replies().length === 1), TURNS);
    const [running, late, opening, idle] = [0, 1, 2, 3].map((group) => clients.filter((_, index) => index % 4 === group));
    for (const [index, one] of running!.entries()) one.call(`running ${index}`, "slow", { name: String(index) });
    await until(() => up.running.size === running!.length, TURNS);
    const closing = gateway.close();
    for (const [index, one] of late!.entries()) one.call(`late ${index}`, "echo", { text: "late" });
    for (const [index, one] of opening!.entries()) one.open(`opening ${index}`);
    await until(() => [...late!, ...opening!].every(({ seen }) => seen.ended), TURNS);
    assert.ok(running!.every(({ seen }) => !seen.ended), "what is being served goes on");
    for (const index of running!.keys()) up.finish(String(index));
    await closing;
    await until(() => clients.every(({ seen }) => seen.ended), TURNS);
    for (const [group, members] of Object.entries({ running: running!, late: late!, opening: opening! })) {
      for (const [index, one] of members.entries()) {
        const [first, last, ...more] = one.replies();
        assert.ok(first !== undefined && last !== undefined && more.length === 0, one.seen.text);
        assert.deepEqual([first.status, first.closes, last.closes, last.message.id], [200, false, true, `${group} ${index}`]);
        if (group === "running") assert.ok(last.message.result !== undefined);
        else assert.deepEqual([last.status, last.message.error?.data], [503, { reason: "draining", delivery: "none" }]);
      }
    }
    for (const one of idle!) assert.equal(one.replies().length, 1);
    await up.close();
  });

  it("takes new connections while a session has a call in flight, for the answers that it may need", async () => {
    const up = behind("memory", "handshake");
    const gateway = await gatewayFor(up.target, { http: {} });
    const origin = gateway.url ?? "";
    const post = async (headers: Record<string, string>, message: JsonObject) => {
      const one = await client(origin);
      one.post(headers, message);
      await until(() => one.seen.text.includes("\r\n\r\n"), TURNS);
      return one;
    };
    const capabilities = { elicitation: {} };
    const opening = await post({}, { id: 0, method: "initialize", params: { ...INITIALIZE, capabilities } });
    const session = { "mcp-session-id": /mcp-session-id: (\S+)/i.exec(opening.seen.text)?.[1] ?? "", "mcp-protocol-version": INITIALIZE.protocolVersion };
    await post(session, { method: "notifications/initialized" });
    const asking = await post(session, { id: 1, method: "tools/call", params: { name: "ask", arguments: {} } });
    const question = () => /"id":(\d+),"method":"elicitation\/create"|"method":"elicitation\/create".*?"id":(\d+)/.exec(asking.seen.text);
    await until(() => question() !== null, TURNS);
    const closing = gateway.close();
    for (const [headers, message] of [[session, { id: 2, method: "tools/list" }], [{}, { id: 3, method: "initialize", params: INITIALIZE }]] as const) {
      const { replies, seen } = await post(headers, message);
      await until(() => seen.ended, TURNS);
      assert.deepEqual(replies().map(({ status, closes, message: { error } }) => [status, closes, error?.data]), [[503, true, { reason: "draining", delivery: "none" }]]);
    }
    const [, first, second] = question() ?? [];
    const answer = await post(session, { id: Number(first ?? second), result: { action: "decline" } });
    assert.match(answer.seen.text, /^HTTP\/1\.1 202 /);
    await until(() => asking.seen.text.includes('decline'), TURNS);
    await closing;
    await assert.rejects(client(origin));
    await up.close();
  });

  it("takes none where only stateless calls are in flight", async () => {
    const up = behind("memory", "handshake");
    const gateway = await gatewayFor(up.target, { http: {} });
    const one = await client(gateway.url ?? "");
    one.call("a", "slow", { name: "a" });
    await until(() => up.running.size === 1, TURNS);
    const closing = gateway.close();
    await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(client(gateway.url ?? ""));
    up.finish("a");
    await closing;
    await up.close();
  });
});
