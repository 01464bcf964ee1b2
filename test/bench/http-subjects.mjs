// The servers of the HTTP comparison: each function serves `tools/call` of one tool on a free port, in both eras, and gives its URL. Plain JavaScript over
// dist/, as in memory-subjects.mjs.
import { once } from "node:events";
import { createServer } from "node:http";
import { McpServer, serve } from "mcp-interceptors";
import { listenHttp } from "mcp-interceptors/node";
import { ARGUMENTS, INFO, INPUT_SCHEMA, inputSchemaOf, loadInterop, result, TOOL } from "./forecast.mjs";

async function listen(handle) {
  const server = createServer(handle);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${server.address().port}/mcp`;
}

/** `node:http` alone: the body is read, parsed, looked at, and answered. */
export const bare = () =>
  listen((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { id, params } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const text = JSON.stringify({ jsonrpc: "2.0", id, result: params?.name === TOOL ? result() : {} });
      response.writeHead(200, ["content-type", "application/json", "content-length", String(Buffer.byteLength(text))]);
      response.end(text);
    });
  });

/** This package, with its defaults. */
export async function ours() {
  const server = new McpServer(INFO);
  server.tool({ name: TOOL, inputSchema: INPUT_SCHEMA }, ({ location }) => (location === ARGUMENTS.location ? result() : "nowhere"));
  const listener = await listenHttp();
  void serve(server, listener);
  return listener.url;
}

/** The official SDK 2.x: its handler for 2026-07-28, and its transport, one for each session, for what came before; on Node by the adapter that it builds on. */
export async function official() {
  const { createMcpHandler, isLegacyRequest, McpServer: OfficialServer, WebStandardStreamableHTTPServerTransport } = await loadInterop(
    "@modelcontextprotocol/server/dist/index.mjs",
  );
  const { getRequestListener } = await loadInterop("@hono/node-server/dist/index.mjs");
  const inputSchema = await inputSchemaOf();
  const build = () => {
    const server = new OfficialServer(INFO);
    server.registerTool(TOOL, { inputSchema }, async ({ location }) => (location === ARGUMENTS.location ? result() : { content: [] }));
    return server;
  };
  const handler = createMcpHandler(build, { legacy: "reject" });
  const sessions = new Map();
  const open = async () => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      // As ours answers where there is nothing else to say: without it each answer is a stream.
      enableJsonResponse: true,
    });
    await build().connect(transport);
    return transport;
  };
  return listen(
    getRequestListener(
      async (request) => {
        // Known by the header, which costs it nothing.
        const id = request.headers.get("mcp-session-id");
        if (id !== null) return sessions.get(id).handleRequest(request);
        return (await isLegacyRequest(request)) ? (await open()).handleRequest(request) : handler.fetch(request);
      },
      { overrideGlobalObjects: false },
    ),
  );
}
