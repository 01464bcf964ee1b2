// An MCP server with all that the protocol has, on HTTP: one endpoint serves every revision.
//   node -C mcp-interceptors-source --import tsx examples/everything-server.ts [PORT]
import { memoryEventStore, serve } from "mcp-interceptors";
import { listenHttp } from "mcp-interceptors/node";
import { everythingServer } from "./everything/server.ts";

// With an event store, clients of the handshake revisions get what they missed when they come back after a cut connection.
const listener = await listenHttp({ port: Number(process.argv[2] ?? 0), eventStore: memoryEventStore() });
console.log(`The everything server listens on ${listener.url}`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void listener.close());
await serve(everythingServer(), listener);
