import { setTimeout as sleep } from "node:timers/promises";
import { McpServer } from "mcp-interceptors";
import { addQuestions } from "./questions.ts";
import { addPrompts, addResources } from "./texts.ts";
import { addTools, type Pause } from "./tools.ts";

/** An MCP server with all that the protocol has. `pause` is what its tools wait by. */
export function everythingServer(pause: Pause = sleep): McpServer {
  const server = new McpServer(
    { name: "everything", version: "1.0.0" },
    {
      instructions: "Every feature of the protocol, one tool each.",
      // All other capabilities follow from what is registered.
      capabilities: { logging: {} },
      // The same for everybody, and good for as long as no change is told.
      cache: { ttlMs: 5_000, cacheScope: "public" },
    },
  );
  addTools(server, pause);
  addQuestions(server);
  addPrompts(server);
  addResources(server);
  return server;
}
