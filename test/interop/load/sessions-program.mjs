// What abandoned sessions take: opened over sockets, never used, never ended, and swept once the clock has moved on. Run with --expose-gc; writes one line of
// JSON, see `SessionsOutcome`. Plain JavaScript over the build: a loader that keeps function names gives every function a table of its own.
import { setImmediate as turn } from "node:timers/promises";
import { createHttpServer, createSignal, detectHost, McpServer, memoryEventStore, serve } from "../../../dist/index.js";
import { createHttpSend, listenHandler } from "../../../dist/node.js";

const SESSIONS = 10_000;
const WARM_UP = 5_000;
const AT_ONCE = 16;
const IDLE_MS = 30 * 60_000;

// A clock that stands still, and jumps.
let clock = 0;
const timers = new Map();
const host = {
  ...detectHost(),
  now: () => clock,
  setTimer(callback, ms) {
    const timer = {};
    timers.set(timer, { due: clock + ms, callback });
    return () => timers.delete(timer);
  },
};
function jump(ms) {
  clock += ms;
  for (const [timer, { due, callback }] of [...timers]) {
    if (due <= clock && timers.delete(timer)) callback();
  }
}

const eventStore = memoryEventStore();
const mcp = new McpServer({ name: "sessions", version: "1.0.0" }, { host });
mcp.tool({ name: "echo", inputSchema: { type: "object" } }, () => "echo");
const server = createHttpServer({ host, eventStore, sessionIdleMs: IDLE_MS });
void serve(mcp, server);
const { origin, close } = await listenHandler(server.handle);
const send = createHttpSend();
const never = createSignal().signal;
const headers = [["content-type", "application/json"], ["accept", "application/json, text/event-stream"]];
const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "gone", version: "1.0.0" } };
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });

async function open() {
  const answer = await send({ method: "POST", url: `${origin}/mcp`, headers, body, signal: never });
  while ((await answer.body.next()) !== undefined);
  if (answer.status !== 200 || !answer.headers.has("mcp-session-id")) throw new Error(`no session: HTTP ${answer.status}`);
}

async function abandon(count) {
  let left = count;
  const lane = async () => {
    while (left-- > 0) await open();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const { sessions } = server.stats();
  if (sessions !== count) throw new Error(`${sessions} sessions are open, not ${count}`);
}

async function usedBytes() {
  for (let round = 0; round < 5; round++) {
    await turn();
    globalThis.gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const sweep = () => jump(IDLE_MS + 1_000);

await abandon(WARM_UP);
sweep();
const before = await usedBytes();
await abandon(SESSIONS);
const first = (await usedBytes()) - before;
sweep();
const between = (await usedBytes()) - before;
await abandon(SESSIONS);
const second = (await usedBytes()) - before;
sweep();
const after = (await usedBytes()) - before;
console.log(JSON.stringify({ sessions: SESSIONS, first, between, second, after, stats: server.stats(), events: eventStore.size, timers: timers.size }));
send.close();
await server.close();
await close();
