// What the in-memory comparison calls: each function sets one thing up, and gives the call to measure. Plain JavaScript over dist/, since a
// loader that keeps function names slows the code it loads.
import assert from "node:assert/strict";
import {
  allow,
  compileSchema,
  createChain,
  createPeer,
  deny,
  guardServer,
  McpClient,
  McpServer,
  memoryPair,
  mutator,
  validator,
} from "mcp-interceptors";
import { ARGUMENTS, FORECAST, INFO, INPUT_SCHEMA, inputSchemaOf, loadInterop, result, TOOL } from "./forecast.mjs";

// A new object for each call, as a caller has.
const callParams = () => ({ name: TOOL, arguments: { ...ARGUMENTS } });

async function checked(call) {
  assert.equal((await call()).content[0].text, FORECAST);
  return call;
}

/** A JSON-RPC request over `memoryPair`, and nothing of MCP above it. */
export async function peer() {
  const [near, far] = memoryPair();
  createPeer(far, { handler: ({ params }) => (params.name === TOOL ? result() : undefined) });
  const client = createPeer(near, { handler: () => undefined });
  return checked(() => client.request("tools/call", callParams()));
}

async function mcp(options, guard) {
  const [near, far] = memoryPair();
  const server = new McpServer(INFO, { compileSchema });
  server.tool({ name: TOOL, inputSchema: INPUT_SCHEMA }, ({ location }) => (location === ARGUMENTS.location ? result() : "nowhere"));
  guard?.(server);
  server.connect(far);
  const client = new McpClient(INFO, { compileSchema, ...options });
  await client.connect(near);
  return checked(() => client.callTool(callParams()));
}

/** `McpClient.callTool` to a tool of `McpServer`, arguments checked against their schema, in the revision that the two agree on by default. */
export const clientCall = () => mcp({});

/** The same in the era that the official client defaults to. */
export const handshakeCall = () => mcp({ era: "handshake" });

function oneAndOne() {
  const hooks = [{ events: ["tools/call"], phase: "request" }];
  const chain = createChain();
  chain.add([
    validator({ name: "no-shell", hooks }, ({ payload }) => (payload.name === "shell" ? deny("shell is not allowed here") : allow())),
    mutator({ name: "stamp", hooks }, ({ payload }) => ({ ...payload, _meta: { ...payload._meta, "com.example/audited": true } })),
  ]);
  return chain;
}

/** The request phase of `tools/call` through a validator that reads, and a mutator that changes. */
export async function chain() {
  const chain = oneAndOne();
  const call = () => chain.execute({ event: "tools/call", phase: "request", payload: callParams() });
  const { status, finalPayload } = await call();
  assert.equal(status, "success");
  assert.deepEqual(finalPayload, { ...callParams(), _meta: { "com.example/audited": true } });
  return call;
}

/** The same through 4 validators and 4 mutators, each of which changes it. */
export async function chainFour() {
  const chain = createChain();
  const hooks = [{ events: ["tools/call"], phase: "request" }];
  for (const at of [1, 2, 3, 4]) {
    chain.add([
      validator({ name: `no-shell-${at}`, hooks }, ({ payload }) => (payload.name === "shell" ? deny("shell is not allowed here") : allow())),
      mutator({ name: `stamp-${at}`, hooks }, ({ payload }) => ({ ...payload, _meta: { ...payload._meta, [`com.example/audited-${at}`]: true } })),
    ]);
  }
  const call = () => chain.execute({ event: "tools/call", phase: "request", payload: callParams() });
  const { status, finalPayload } = await call();
  assert.equal(status, "success");
  assert.equal(Object.keys(finalPayload._meta).length, 4);
  return call;
}

/** `clientCall` to a server that is guarded by that chain. */
export const guardedCall = () => mcp({}, (server) => guardServer(server, oneAndOne()));

/** The official SDK 2.x over its own in-memory transport, with its defaults, and arguments checked by the zod that it comes with. */
export async function official() {
  const { Client, InMemoryTransport } = await loadInterop("@modelcontextprotocol/client/dist/index.mjs");
  const { McpServer: OfficialServer } = await loadInterop("@modelcontextprotocol/server/dist/index.mjs");
  const inputSchema = await inputSchemaOf();
  const server = new OfficialServer(INFO);
  server.registerTool(TOOL, { inputSchema }, async ({ location }) => (location === ARGUMENTS.location ? result() : { content: [] }));
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new Client(INFO);
  await client.connect(near);
  return checked(() => client.callTool(callParams()));
}
