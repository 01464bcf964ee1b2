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
import { HANDSHAKE, metaOf, STATELESS } from "./raw.ts";

// What sockets do takes real time; a test that waits for what does not come fails by the runner's own bound.
const TURNS = 2_000_000;
const ACCEPT = "application/json, text/event-stream";
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

type Headers = Readonly<Record<string, string>>;

/** The headers of a session that is opened here. */
async function opened(gateway: Gateway): Promise<Headers> {
  const params = { protocolVersion: HANDSHAKE, capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const post = (headers: Headers, body: object) =>
    fetch(`${gateway.url}/up/mcp`, { method: "POST", headers: { "content-type": "application/json", accept: ACCEPT, ...headers }, body: JSON.stringify({ jsonrpc: "2.0", ...body }) });
  const answer = await post({}, { id: 0, method: "initialize", params });
  await answer.text();
  const session = { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": HANDSHAKE };
  await (await post(session, { method: "notifications/initialized" })).text();
  return session;
}

/** Sends one call, in a session or stateless, and gives the socket without reading from it. */
async function calling(gateway: Gateway, name: string, args: object, session?: Headers, id = 1): Promise<Socket> {
  const { hostname, port, host } = new URL(gateway.url ?? "");
  const meta = session === undefined ? metaOf({}, { progressToken: id }) : `{"progressToken":${id}}`;
  const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${JSON.stringify(args)},"_meta":${meta}}}`;
  const headers = session ?? { "mcp-protocol-version": STATELESS, "mcp-method": "tools/call", "mcp-name": name };
  const lines = Object.entries({ host, "content-type": "application/json", accept: ACCEPT, connection: "close", "content-length": Buffer.byteLength(body), ...headers });
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(`POST /up/mcp HTTP/1.1\r\n${lines.map(([header, value]) => `${header}: ${value}\r\n`).join("")}\r\n${body}`);
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

/** All that comes on a socket from now on. */
async function readAll(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  await once(socket, "close");
  return text;
}

describe("a client over HTTP", () => {
  it("that goes in the middle of its stream has its call cancelled, and takes nobody else's along", async () => {
    const { up, sent } = flooding();
    const gateway = await gatewayFor(up.target, { http: {}, chain: chainOf, limits: LIMITS }, { sharing: "shared" });
    const client = await other(gateway);
    const leaving = await calling(gateway, "flood", { endless: true });
    const [first] = (await once(leaving, "data")) as [Buffer];
    assert.match(first.toString(), /^HTTP\/1\.1 200/);
    assert.doesNotMatch(first.toString(), /unguarded/);
    leaving.destroy();
    await echoes(client, 20);
    await until(() => sent.over && gateway.stats().calls === 0, TURNS);
    await client.close();
    await gateway.close();
    assert.equal(gateway.stats().faces, 0);
    await up.close();
  });

  it("that goes in the middle of a stream of its session has the session's other calls answered, and this one cancelled when the session ends", async () => {
    const { up, sent } = flooding();
    const gateway = await gatewayFor(up.target, { http: {}, chain: chainOf, limits: LIMITS }, { sharing: "shared" });
    const client = await other(gateway);
    const session = await opened(gateway);
    const leaving = await calling(gateway, "flood", { endless: true }, session, 1);
    const [first] = (await once(leaving, "data")) as [Buffer];
    assert.doesNotMatch(first.toString(), /unguarded/);
    leaving.destroy();
    for (let id = 2; id < 12; id++) {
      const text = await readAll(await calling(gateway, "echo", { text: `unguarded ${id}` }, session, id));
      assert.deepEqual(text.match(/"id":\d+/g), [`"id":${id}`]);
      assert.ok(text.includes(`"seen ${id}"`), text);
    }
    await echoes(client, 5);
    // In a session leaving is no cancelling (2025-11-25, basic/transports): the client may come back.
    assert.equal(sent.over, false);
    assert.equal((await fetch(`${gateway.url}/up/mcp`, { method: "DELETE", headers: session })).status, 204);
    await until(() => sent.over && gateway.stats().calls === 0, TURNS);
    assert.equal(sent.over, true);
    await client.close();
    await gateway.close();
    assert.equal(gateway.stats().faces, 0);
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

  for (const era of ["stateless", "handshake"]) {
    it(`that does not read, ${era}, holds nobody up, is not kept everything for, and has its answer when it reads again`, async () => {
      const { up, sent } = flooding();
      const gateway = await gatewayFor(up.target, { http: {}, chain: chainOf, limits: LIMITS }, { sharing: "session" });
      const client = await other(gateway);
      const session = era === "handshake" ? await opened(gateway) : undefined;
      const slow = await calling(gateway, "flood", {}, session);
      await until(() => sent.blocks > 0, TURNS);
      // Others are served all the while, and in a session its other calls.
      for (let id = 2; !sent.over; id++) {
        await echoes(client, 5);
        const text = await readAll(await calling(gateway, "echo", { text: `unguarded ${id}` }, session, id));
        assert.ok(text.includes(`"seen ${id}"`), text);
      }
      const text = await readAll(slow);
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
  }
});
