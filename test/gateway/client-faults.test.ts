// src/gateway over real sockets: clients that go away in the middle of a stream, or do not read it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, it } from "node:test";
import { createChain } from "../../src/core/client/local-chain.ts";
import { httpTransport } from "../../src/core/http/http-client.ts";
import { mutator } from "../../src/core/interceptor/define.ts";
import { McpClient } from "../../src/core/mcp/client.ts";
import type { Gateway } from "../../src/gateway/plan.ts";
import { createHttpSend } from "../../src/node/http-send.ts";
import { behind, gatewayFor, until } from "./kit.ts";
import { metaOf } from "./raw.ts";

// What sockets do takes real time; a test that waits for what does not come fails by the runner's own bound.
const TURNS = 2_000_000;
const BLOCK = "unguarded ".repeat(10_000);
const BLOCKS = 350;
const LIMITS = { maxQueuedBytes: 1024 * 1024 };

/** With a tool that sends notifications of 100 kB, as fast as it is let: `BLOCKS`, or until it is cancelled. */
function flooding() {
  const up = behind("http", "handshake", { capabilities: { logging: {} } });
  const sent = { blocks: 0, over: false };
  up.server.tool({ name: "flood", inputSchema: { type: "object" } }, async ({ endless }, context) => {
    try {
      for (; (endless === true || sent.blocks < BLOCKS) && !context.coreSignal.aborted; sent.blocks++) {
        await context.reportProgress(sent.blocks + 1, undefined, BLOCK);
        // In this process the sockets need a turn to say anything.
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      sent.over = true;
    }
    return "unguarded";
  });
  // To the session, once there is no call that it might belong to.
  const shout = async () => {
    for (; sent.blocks < BLOCKS; sent.blocks++) {
      await new Promise((resolve) => setImmediate(resolve));
      up.server.log("info", BLOCK);
    }
    sent.over = true;
  };
  up.server.tool({ name: "shout", inputSchema: { type: "object" } }, () => {
    void shout();
    return "unguarded";
  });
  return { up, sent };
}

function chainOf() {
  const chain = createChain();
  const hooks = [
    { events: ["tools/call", "notifications/progress"], phase: "response" },
    { events: ["notifications/progress"], phase: "request" },
  ] as const;
  chain.add(mutator({ name: "cleaner", hooks }, ({ payload }) => JSON.parse(JSON.stringify(payload).replaceAll("unguarded", "seen")) as typeof payload));
  return chain;
}

/** Sends one stateless call, and gives the socket without reading from it. */
async function calling(gateway: Gateway, name: string, args: object): Promise<Socket> {
  const { hostname, port, host } = new URL(gateway.url ?? "");
  const meta = metaOf({}, { progressToken: "p" });
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${JSON.stringify(args)},"_meta":${meta}}}`;
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(
    `POST /up/mcp HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\n` +
      `mcp-method: tools/call\r\nmcp-name: ${name}\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return socket;
}

async function other(gateway: Gateway): Promise<McpClient> {
  const send = createHttpSend();
  const client = new McpClient({ name: "other", version: "1" }, { era: "handshake" });
  await client.connect(httpTransport({ url: `${gateway.url}/up/mcp`, send, release: () => send.close() }));
  return client;
}

async function echoes(client: McpClient, count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    const { content } = await client.callTool({ name: "echo", arguments: { text: `mine ${turn}` } });
    assert.deepEqual(content, [{ type: "text", text: `mine ${turn}` }]);
  }
}

describe("a client over HTTP", () => {
  it("that goes in the middle of its stream has its call cancelled, and takes nobody else's along", async () => {
    const { up, sent } = flooding();
    const gateway = await gatewayFor(up.target, { http: {}, chain: chainOf, limits: LIMITS }, { sharing: "shared" });
    const client = await other(gateway);
    const leaving = await calling(gateway, "flood", { endless: true });
    const [first] = (await once(leaving, "data")) as [Buffer];
    assert.match(first.toString(), /^HTTP\/1\.1 200/);
    leaving.destroy();
    await echoes(client, 20);
    await until(() => sent.over && gateway.stats().calls === 0, TURNS);
    await client.close();
    await gateway.close();
    assert.equal(gateway.stats().faces, 0);
    await up.close();
  });

  it("that does not read holds nobody up, is not kept everything for, and has its answer when it reads again", async () => {
    const { up, sent } = flooding();
    const gateway = await gatewayFor(up.target, { http: {}, chain: chainOf, limits: LIMITS }, { sharing: "session" });
    const client = await other(gateway);
    const slow = await calling(gateway, "flood", {});
    await until(() => sent.blocks > 0, TURNS);
    // Others are served all the while.
    while (!sent.over) await echoes(client, 10);
    let text = "";
    slow.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    await once(slow, "close");
    const steps = [...text.matchAll(/"progress":(\d+)/g)].map(([, step]) => Number(step));
    assert.ok(steps.length > 0 && steps.length < BLOCKS, `all of ${BLOCKS} were kept for a client that reads nothing`);
    assert.deepEqual(steps, [...steps].sort((left, right) => left - right));
    assert.equal(text.match(/"id":1,"result"/g)?.length, 1);
    assert.doesNotMatch(text, /unguarded/);
    await client.close();
    await gateway.close();
    assert.deepEqual([gateway.stats().faces, gateway.stats().calls], [0, 0]);
    await up.close();
  });

  it("that does not read its session's own stream has its calls answered, and is not kept everything for", async () => {
    const { up, sent } = flooding();
    const gateway = await gatewayFor(up.target, { http: {}, chain: chainOf, limits: { maxStreamChars: 1024 * 1024 } });
    const others = await other(gateway);
    const post = async (message: object, headers: Record<string, string> = {}) => {
      const response = await fetch(`${gateway.url}/up/mcp`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      });
      return { text: await response.text(), session: response.headers.get("mcp-session-id") ?? "" };
    };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "slow", version: "1" } };
    const { session } = await post({ id: 0, method: "initialize", params });
    const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    await post({ method: "notifications/initialized" }, headers);
    const { hostname, port, host } = new URL(gateway.url ?? "");
    const stream = connect(Number(port), hostname);
    await once(stream, "connect");
    stream.write(`GET /up/mcp HTTP/1.1\r\nhost: ${host}\r\naccept: text/event-stream\r\n${Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
    assert.match((await post({ id: 1, method: "tools/call", params: { name: "shout" } }, headers)).text, /"id":1,"result"/);
    await until(() => sent.over, TURNS);
    await echoes(others, 20);
    assert.match((await post({ id: 2, method: "tools/call", params: { name: "echo", arguments: { text: "x" } } }, headers)).text, /"id":2,"result"/);
    let blocks = 0;
    let rest = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      const parts = (rest + chunk).split("notifications/message");
      blocks += parts.length - 1;
      rest = parts.at(-1)!.slice(-40);
    });
    await until(() => blocks > 0, TURNS);
    await others.close();
    await gateway.close();
    await until(() => stream.destroyed, TURNS);
    assert.ok(blocks > 0 && blocks < BLOCKS, `${blocks} of ${BLOCKS} were kept for a client that reads nothing`);
    await up.close();
  });
});
