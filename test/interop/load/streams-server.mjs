// A server that logs to its sessions when told to. Run with --expose-gc, as a child with IPC: gets `{ speak }`, `{ flood }` or `{ memory }`, and answers each once.
import { setImmediate as turn } from "node:timers/promises";
import { McpServer, serve } from "../../../dist/index.js";
import { listenHttp } from "../../../dist/node.js";

const server = new McpServer({ name: "streams", version: "1.0.0" }, { capabilities: { logging: {} } });
const listener = await listenHttp({ sessionIdleMs: 10 * 60_000, stallMs: 10 * 60_000 });
void serve(server, listener);

const FLOOD = "x".repeat(4_096);
const WORDS = "a line of the usual length, as servers write it ".repeat(4);

async function usedBytes() {
  for (let round = 0; round < 5; round++) {
    await turn();
    globalThis.gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

process.on("message", async ({ speak, flood, memory }) => {
  // Of the system's monotonic clock, which all its processes share.
  if (speak !== undefined) server.log("error", { at: Number(process.hrtime.bigint()) / 1e6, words: WORDS });
  // Only who asked for it gets this.
  for (let left = flood ?? 0; left > 0; left--) {
    server.log("debug", FLOOD);
    if (left % 16 === 0) await turn();
  }
  process.send(memory === undefined ? {} : { bytes: await usedBytes(), stats: listener.stats() });
});
process.on("disconnect", () => process.exit());
process.send({ url: listener.url });
