import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { resolveLimits } from "../../src/core/base/limits.ts";
import type { LogEntry } from "../../src/core/jsonrpc/log.ts";
import { createChain } from "../../src/core/client/local-chain.ts";
import { McpClient } from "../../src/core/mcp/client.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { createNoiseLog } from "../../src/gateway/noise-log.ts";
import { createConnector } from "../../src/gateway/targets.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { scriptedHttp } from "../support/scripted-http.ts";
import { rawUpstream, STATELESS } from "./raw.ts";

function rig() {
  const host = fakeHost();
  const logged: LogEntry[] = [];
  const noise = createNoiseLog({ host, log: (entry) => logged.push(entry) });
  return { host, noise, logged, messages: () => logged.splice(0).map(({ message }) => message) };
}

test("a line is told without its text, which is the text of an error", () => {
  const { noise, logged } = rig();
  noise.line({ text: "[db] s3cret", length: 11, why: "Invalid message: a member is there twice at /s3cret (offset 4). Give it once." });
  noise.sent("sent what is no message", "a\u001b[2J\u202eb");
  const [line, sent] = logged;
  assert.deepEqual([line?.level, line?.message], ["warning", "wrote a line of 11 characters that is no message (Invalid message: a member is there twice (offset 4). Give it once.)"]);
  assert.deepEqual(line?.error instanceof Error && line.error.message, "[db] s3cret");
  assert.equal(sent?.message, "sent what is no message (a\\u001b[2J\\u202eb)");
});

test("ten lines a minute are told, and how many were left out", async () => {
  const { host, noise, messages } = rig();
  for (let line = 0; line < 25; line++) noise.line({ text: "x", length: 1, why: "no" });
  assert.equal(messages().length, 10);
  await host.advance(60_000);
  assert.deepEqual(messages(), ["sent 15 more that are no messages; they are not told one by one"]);
  assert.equal(host.liveTimers, 0);
  for (let line = 0; line < 11; line++) noise.sent("sent", "no");
  assert.equal(messages().length, 10);
  noise.close();
  noise.sent("sent", "no");
  assert.deepEqual([messages(), host.liveTimers], [["sent 1 more that is no message; it is not told one by one"], 0]);
});

test("what an upstream over HTTP sends that is no message is told, be it an answer or not", async () => {
  const { host, logged } = rig();
  const http = scriptedHttp();
  const connector = createConnector({ url: "http://up.test/mcp", send: http.send }, { host, limits: resolveLimits(), log: (entry) => logged.push(entry) });
  const transport = await connector.connect();
  await transport.send({ message: { jsonrpc: "2.0", id: 1, method: "ping" } });
  const call = await http.next();
  call.stream().write(`data: {"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"s3cret"}}\n\n`);
  assert.equal((await transport.receive())?.synthetic, true);
  await transport.send({ message: { jsonrpc: "2.0", id: 2, method: "ping" } });
  const other = await http.next();
  other.stream().write("data: banner\n\n");
  await settle();
  const messages = logged.map(({ message }) => message);
  assert.equal(messages.length, 2);
  assert.match(messages[0] ?? "", /^sent what is no message \(Invalid message: .*\)$/);
  assert.match(messages[1] ?? "", /^sent what is no message \(Parse error: .*\)$/);
  assert.ok(logged.every(({ level }) => level === "warning"));
  await transport.close();
  connector.close();
});

test("a result of an upstream that asks for what none may is told with its method and the upstream's name", async () => {
  const logged: LogEntry[] = [];
  const upstream = rawUpstream();
  const gateway = await createGateway({ upstreams: [{ name: "up", target: upstream.target, era: "stateless" }], chain: () => createChain(), log: (entry) => logged.push(entry) });
  const [near, far] = memoryPair();
  gateway.serve("up", far);
  const client = new McpClient({ name: "c", version: "1" }, { era: "stateless" });
  const connected = client.connect(near);
  const end = await upstream.greet(STATELESS);
  await connected;
  const calling = client.callTool({ name: "t" });
  const failed = assert.rejects(calling, { code: -32603, data: { reason: "malformed", delivery: "unknown" } });
  for (let asked = await end.message(); ; asked = await end.message()) {
    const tools = asked["method"] === "tools/list";
    const result: JsonObject = tools ? { resultType: "complete", tools: [{ name: "t", inputSchema: { type: "object" } }], ttlMs: 0, cacheScope: "private" } : { resultType: "input_required", inputRequests: { a: { method: "tools/call", params: {} } } };
    await end.send({ jsonrpc: "2.0", id: asked["id"] ?? null, result });
    if (!tools) break;
  }
  await failed;
  assert.deepEqual(logged.filter(({ level }) => level === "warning").map(({ message }) => message), ['up: answered tools/call with what cannot be used (the input_required result is malformed: no result may ask for "tools/call")']);
  await client.close();
  await gateway.close();
});
