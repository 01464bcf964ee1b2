// The same by the official SDK of the 2.x line, in both eras.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { guardSdkTransport, localChain } from "../../../../dist/index.js";
import { isMain } from "../../matrix/servers/common.mjs";
import { aborted, createPolicy, OPTIONS } from "./policy.mjs";

const text = (value) => ({ content: [{ type: "text", text: value }] });
// Over HTTP the stateless era has a server for each request.
let cancelled = 0;

export function build() {
  const server = new McpServer({ name: "theirs", version: "1.0.0" }, { capabilities: { logging: {}, resources: { subscribe: true } } });
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, (args) => text(args.text));
  server.registerTool("progress", { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
    for (let progress = 1; progress <= 3; progress++) {
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken: mcpReq._meta?.progressToken, progress } });
    }
    return text("done");
  });
  server.registerTool("whoami", { inputSchema: z.object({}) }, (_args, { sessionId, http }) =>
    text(JSON.stringify({ session: sessionId !== undefined, client: http?.authInfo?.clientId, header: http?.req?.headers.get("x-test") ?? undefined })),
  );
  server.registerTool("slow", { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
    await mcpReq.notify({ method: "notifications/progress", params: { progressToken: mcpReq._meta?.progressToken, progress: 1 } });
    await aborted(mcpReq.signal);
    cancelled++;
    return text("cancelled");
  });
  server.registerTool("cancelled", { inputSchema: z.object({}) }, () => text(String(cancelled)));
  server.registerResource("one", "note://one", {}, (uri) => ({ contents: [{ uri: uri.href, text: "a note" }] }));
  return server;
}

/** `serveStdio` answers subscriptions itself, so it is its transport that is guarded. */
export async function guardedTransport(transport, interceptors) {
  return guardSdkTransport(transport, await localChain(interceptors), { ...OPTIONS, role: "server" });
}

if (isMain(import.meta.url)) {
  const transport = new StdioServerTransport();
  serveStdio(build, { transport: process.argv[2] === "guarded" ? await guardedTransport(transport, createPolicy()) : transport });
}
