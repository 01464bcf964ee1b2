// One of several processes that serve the same tools behind a proxy: `node replica.mjs PORT FILE`. Writes a line `TOOL NONCE` into its file for each run
// of a tool, before anything else, so that a kill at any later moment leaves it there.
import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { McpServer, serve } from "../../../dist/index.js";
import { listenHttp } from "../../../dist/node.js";

const [port, file] = process.argv.slice(2);
const server = new McpServer({ name: "replica", version: "1.0.0" }, { versions: ["2026-07-28"] });
const inputSchema = { type: "object", properties: { nonce: { type: "string" } }, required: ["nonce"] };
const ran = (tool, nonce) => appendFileSync(file, `${tool} ${nonce}\n`);

server.tool({ name: "look", inputSchema, annotations: { readOnlyHint: true, idempotentHint: true } }, ({ nonce }) => {
  ran("look", nonce);
  return nonce;
});
server.tool({ name: "add", inputSchema, annotations: { idempotentHint: false } }, ({ nonce }) => {
  ran("add", nonce);
  return nonce;
});
// Answers by a stream, and takes its time, so that a kill finds it at work.
server.tool({ name: "work", inputSchema, annotations: { idempotentHint: false } }, async ({ nonce }, { reportProgress }) => {
  ran("work", nonce);
  for (let step = 1; step <= 3; step++) {
    await reportProgress(step, 3);
    await pause(5);
  }
  return nonce;
});

const listener = await listenHttp({ port: Number(port), versions: ["2026-07-28"] });
void serve(server, listener);
process.on("disconnect", () => process.exit());
process.send(listener.url);
