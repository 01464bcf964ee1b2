// A validator on a server of your own: dangerous tool calls need the right principal.
//   node --import tsx -C mcp-interceptors-source examples/validator.ts          runs a check of itself
//   node --import tsx -C mcp-interceptors-source examples/validator.ts serve    serves MCP on stdio
import { allow, deny, guardServer, localChain, McpServer, validator } from "mcp-interceptors";
import { stdioTransport } from "mcp-interceptors/node";
import { check, selfCheck } from "./self-check.ts";

const DANGEROUS = new Set(["drop_table", "delete_file"]);

const noDangerousTools = validator(
  { name: "no-dangerous-tools", description: "Dangerous tools are for services only", hooks: [{ events: ["tools/call"], phase: "request" }] },
  ({ payload, context }) => {
    if (!DANGEROUS.has(payload.name) || context.principal?.type === "service") return allow();
    return deny(`${payload.name} may not be called by ${context.principal?.id ?? "anybody"}`, { path: "/name" });
  },
);

async function serve(): Promise<void> {
  const server = new McpServer({ name: "guarded-files", version: "1.0.0" });
  server.tool({ name: "read_file", inputSchema: { type: "object" } }, ({ path }) => `contents of ${String(path)}`);
  server.tool({ name: "delete_file", inputSchema: { type: "object" } }, ({ path }) => `${String(path)} is gone`);

  // On stdio the process belongs to one user, whom the environment names. On HTTP it would be the verified token.
  const principal = { type: "user" as const, id: process.env["EXAMPLE_USER"] ?? "nobody" };
  guardServer(server, await localChain([noDangerousTools]), { context: () => ({ principal }) });
  await server.connect(stdioTransport()).closed;
}

if (process.argv[2] === "serve") await serve();
else {
  await selfCheck(import.meta.url, { EXAMPLE_USER: "mallory" }, async (client) => {
    const read = await client.callTool({ name: "read_file", arguments: { path: "notes.txt" } });
    check("a harmless call passes", read.content[0], { type: "text", text: "contents of notes.txt" });
    const refused = await client.callTool({ name: "delete_file", arguments: { path: "notes.txt" } }).catch((error: unknown) => error);
    check("a dangerous one is refused, with the reason", refused, {
      code: -32602,
      message: "Interceptor validation failed",
      data: {
        validationErrors: [
          { interceptor: "no-dangerous-tools", severity: "error", message: "delete_file may not be called by mallory", path: "/name" },
        ],
      },
    });
  });
}
