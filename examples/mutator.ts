// A mutator on a server of your own: every tool result carries an audit trail.
//   node --import tsx -C mcp-interceptors-source examples/mutator.ts          runs a check of itself
//   node --import tsx -C mcp-interceptors-source examples/mutator.ts serve    serves MCP on stdio
import { guardServer, localChain, McpServer, mutator } from "mcp-interceptors";
import { stdioTransport } from "mcp-interceptors/node";
import { check, selfCheck } from "./self-check.ts";

const TRAIL = "com.example/audit-trail";

const auditTrail = mutator(
  {
    name: "audit-trail",
    description: "Says in each tool result who asked, and in which trace",
    hooks: [{ events: ["tools/call"], phase: "response" }],
    // Late, so that it stamps what the others have left.
    priorityHint: 1_000_000,
  },
  ({ payload, context }) => ({
    ...payload,
    _meta: { ...payload._meta, [TRAIL]: { by: context.principal?.id ?? "unknown", trace: context.traceId } },
  }),
);

async function serve(): Promise<void> {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  server.tool({ name: "get_weather", inputSchema: { type: "object" } }, ({ location }) => `Sunny in ${String(location)}`);
  const principal = { type: "user" as const, id: process.env["EXAMPLE_USER"] ?? "nobody" };
  guardServer(server, await localChain([auditTrail]), { context: () => ({ principal }) });
  await server.connect(stdioTransport()).closed;
}

if (process.argv[2] === "serve") await serve();
else {
  await selfCheck(import.meta.url, { EXAMPLE_USER: "ada" }, async (client) => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const result = await client.callTool({ name: "get_weather", arguments: { location: "Oslo" }, _meta: { traceparent } });
    check("the result itself is untouched", result.content, [{ type: "text", text: "Sunny in Oslo" }]);
    check("it carries the trail", result._meta?.[TRAIL], { by: "ada", trace: "0af7651916cd43dd8448eb211c80319c" });
  });
}
