// A server as its author wrote it, by the official SDK of the 1.x line; guarded, where the command line says so.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";
import { guardServer, localChain } from "../../../../dist/index.js";
import { isMain } from "../../matrix/servers/common.mjs";
import { aborted, createPolicy, OPTIONS } from "./policy.mjs";

const text = (value) => ({ content: [{ type: "text", text: value }] });

export function build() {
  let cancelled = 0;
  const server = new McpServer({ name: "theirs", version: "1.0.0" });
  server.registerTool("echo", { inputSchema: { text: z.string() } }, (args) => text(args.text));
  server.registerTool("progress", { inputSchema: {} }, async (_args, { _meta, sendNotification }) => {
    for (let progress = 1; progress <= 3; progress++) {
      await sendNotification({ method: "notifications/progress", params: { progressToken: _meta.progressToken, progress } });
    }
    return text("done");
  });
  server.registerTool("whoami", { inputSchema: {} }, (_args, { sessionId, authInfo, requestInfo }) =>
    text(JSON.stringify({ session: sessionId !== undefined, client: authInfo?.clientId, header: requestInfo?.headers["x-test"] })),
  );
  server.registerTool("slow", { inputSchema: {} }, async (_args, { _meta, signal, sendNotification }) => {
    await sendNotification({ method: "notifications/progress", params: { progressToken: _meta.progressToken, progress: 1 } });
    await aborted(signal);
    cancelled++;
    return text("cancelled");
  });
  server.registerTool("cancelled", { inputSchema: {} }, () => text(String(cancelled)));
  return server;
}

if (isMain(import.meta.url)) {
  const server = build();
  if (process.argv[2] === "guarded") guardServer(server, await localChain(createPolicy()), OPTIONS);
  await server.connect(new StdioServerTransport());
}
