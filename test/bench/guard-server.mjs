// A server of the official SDK 1.x, as its own README makes one, with or without a guard on it. Arguments: `stdio` or `http`, and the number of
// interceptors, or `none` for no guard at all. Over HTTP its first line says the port.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createChain, fromSdkTransport, guardTransport, mutator, toSdkTransport, validator } from "mcp-interceptors";
import { McpServer } from "../interop/node_modules/@modelcontextprotocol/sdk/dist/esm/server/mcp.js";
import { StdioServerTransport } from "../interop/node_modules/@modelcontextprotocol/sdk/dist/esm/server/stdio.js";
import { StreamableHTTPServerTransport } from "../interop/node_modules/@modelcontextprotocol/sdk/dist/esm/server/streamableHttp.js";
import { z } from "../interop/node_modules/zod/index.js";

const [where, guards] = process.argv.slice(2);

const HOOKS = [
  { events: ["tools/call"], phase: "request" },
  { events: ["tools/call"], phase: "response" },
];

function guarded(transport) {
  if (guards === "none") return transport;
  const chain = createChain();
  // By turns one that looks at the message, and one that may change it and does not.
  for (let at = 0; at < Number(guards); at++) {
    const declaration = { name: `i-${at}`, hooks: HOOKS };
    chain.add(at % 2 === 0 ? validator(declaration, ({ payload }) => payload.name !== "shell") : mutator(declaration, ({ payload }) => payload));
  }
  return toSdkTransport(guardTransport(fromSdkTransport(transport), { role: "server", chain: { current: () => chain } }), { around: transport });
}

const server = new McpServer({ name: "echo", version: "1.0.0" });
server.registerTool("echo", { inputSchema: { text: z.string() } }, async ({ text }) => ({ content: [{ type: "text", text }] }));

if (where === "stdio") {
  await server.connect(guarded(new StdioServerTransport()));
} else {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, enableJsonResponse: true });
  await server.connect(guarded(transport));
  const listener = createServer((request, response) => void transport.handleRequest(request, response));
  listener.listen(0, "127.0.0.1", () => console.log(listener.address().port));
  process.stdin.resume().on("end", () => process.exit(0));
}
