import { createHttpServer, type HttpServer } from "../../../src/core/http/http-server.ts";
import type { HttpServerOptions } from "../../../src/core/http/http-server-options.ts";
import { serve, type Servable } from "../../../src/core/http/serve.ts";
import type { ServerContext } from "../../../src/core/mcp/context.ts";
import { McpServer, type McpServerOptions, type ServerConnection } from "../../../src/core/mcp/server.ts";
import type { ToolOutcome } from "../../../src/core/mcp/tools.ts";
import type { Transport } from "../../../src/core/transport/transport.ts";
import { fakeHost, type FakeHost } from "../../support/fake-host.ts";

export interface Served {
  readonly http: HttpServer;
  readonly server: McpServer;
  readonly host: FakeHost;
  /** All that were accepted, in order. */
  readonly connections: readonly ServerConnection[];
  /** Calls of the tool `hold` that have not ended, by their argument `key`. */
  readonly held: Map<string, { readonly context: ServerContext; finish(outcome: ToolOutcome): void }>;
}

/** A server with three tools: `echo` answers at once, `hold` when the test says so, `regional` has a parameter in a header. */
export function served(options: HttpServerOptions = {}, serverOptions: McpServerOptions = {}): Served {
  const host = fakeHost();
  const http = createHttpServer({ host, ...options });
  const server = new McpServer({ name: "s", version: "1" }, { host, ...(options.versions === undefined ? {} : { versions: options.versions }), ...serverOptions });
  const held: Served["held"] = new Map();
  server.tool({ name: "echo", inputSchema: { type: "object" } }, ({ text }) => String(text));
  server.tool({ name: "hold", inputSchema: { type: "object" } }, ({ key }, context) => {
    return new Promise<ToolOutcome>((finish) => {
      const name = String(key);
      context.coreSignal.onAbort(() => held.delete(name));
      held.set(name, { context, finish });
    });
  });
  server.tool(
    { name: "regional", inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } } },
    ({ region }) => String(region),
  );
  const connections: ServerConnection[] = [];
  void serve(
    {
      connect(transport: Transport) {
        connections.push(server.connect(transport));
      },
      toolSchema: (name: string) => server.toolSchema(name),
    } as Servable,
    http,
  );
  return { http, server, host, held, connections };
}
