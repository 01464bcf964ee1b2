import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { McpClient, McpServer } from "mcp-interceptors";
import { portTransport, type PortLike } from "mcp-interceptors/web";
import { settle } from "../support/fake-host.ts";
import { transportContract } from "../support/transport-contract.ts";

// Node's port has all that a browser's has; only its event types are its own.
const ports = () => {
  const { port1, port2 } = new MessageChannel();
  return [port1 as unknown as PortLike, port2 as unknown as PortLike] as const;
};

transportContract({
  name: "a message port",
  backPressure: false,
  async open() {
    const [near, far] = ports();
    return { near: portTransport(near), far: portTransport(far) };
  },
});

test("a client and a server talk over a message channel", async () => {
  const [left, right] = ports();
  const server = new McpServer({ name: "s", version: "1" });
  server.tool({ name: "add", inputSchema: { type: "object" } }, ({ a, b }) => String(Number(a) + Number(b)));
  server.connect(portTransport(left));
  const client = new McpClient({ name: "c", version: "1" });
  await client.connect(portTransport(right));
  assert.deepEqual((await client.callTool({ name: "add", arguments: { a: 1, b: 2 } })).content, [{ type: "text", text: "3" }]);
  await client.close();
});

/** The other end as a bare port, to post whatever it likes. */
function bare() {
  const [left, right] = ports();
  const noise: string[] = [];
  const got: unknown[] = [];
  right.addEventListener("message", ({ data }) => got.push(data));
  right.start?.();
  return { transport: portTransport(left, { onNoise: (why) => noise.push(why), limits: { maxQueuedFrames: 3, maxMessageBytes: 10_000 } }), right, noise, got };
}

test("what is no plain JSON or no message is reported and dropped; a broken request is answered, a broken answer settles its request", async () => {
  const { transport, right, noise, got } = bare();
  right.postMessage(new Map([["jsonrpc", "2.0"]]));
  right.postMessage({ jsonrpc: "2.0", id: 1, method: 5 });
  right.postMessage({ jsonrpc: "2.0", id: 2, result: "text" });
  right.postMessage('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a","name":"b"}}');
  right.postMessage('{"jsonrpc":"2.0","id":4,"method":"ping"}');
  await settle();
  const first = await transport.receive();
  assert.deepEqual([first?.synthetic, (first?.frame.message as { id: number }).id], [true, 2]);
  assert.equal(((await transport.receive())?.frame.message as { id: number }).id, 4);
  assert.deepEqual(got.map((answer) => (answer as { id: number; error: { code: number } }).id), [1, 3]);
  assert.equal(noise.length, 4);
  await transport.close();
});

test("more arrivals than the bound, with nobody pulling, end the connection and say why", async () => {
  const { transport, right } = bare();
  for (let id = 1; id <= 5; id++) right.postMessage({ jsonrpc: "2.0", id, method: "ping" });
  await settle();
  for (let id = 1; id <= 3; id++) assert.equal(((await transport.receive())?.frame.message as { id: number }).id, id);
  await assert.rejects(transport.receive(), { code: "limit_exceeded" });
  await transport.close();
});

test("the peer's goodbye ends the connection after what came before it", async () => {
  const { transport, right } = bare();
  right.postMessage({ jsonrpc: "2.0", method: "notifications/x" });
  right.postMessage(null);
  await settle();
  assert.ok((await transport.receive()) !== undefined);
  assert.equal(await transport.receive(), undefined);
  await transport.close();
});

test("a message of more than maxMessageBytes is neither sent nor taken, however few objects it is built of", async () => {
  const { transport, right, got } = bare();
  // A structured clone keeps what is shared shared.
  let shared: object = { a: 1 };
  for (let doublings = 0; doublings < 40; doublings++) shared = { l: shared, r: shared };
  const small = portTransport(ports()[0], { limits: { maxMessageBytes: 1000 } });
  await assert.rejects(small.send({ message: { jsonrpc: "2.0", id: 1, method: "m", params: { shared } } }), { code: "limit_exceeded" });
  await small.close();
  right.postMessage({ jsonrpc: "2.0", id: 2, method: "m", params: { shared } });
  right.postMessage({ jsonrpc: "2.0", id: 3, method: "ping" });
  assert.equal(((await transport.receive())?.frame.message as { id: number }).id, 3);
  await settle();
  assert.deepEqual(got.map((answer) => (answer as { id: number }).id), [2]);
  await transport.close();
});
