// What the tests of remote interceptors share: a connected client and server, in memory, on a fake clock.
import type { JsonObject } from "../../../src/core/base/json.ts";
import { McpClient, type McpClientOptions } from "../../../src/core/mcp/client.ts";
import { McpServer, type ServerConnection } from "../../../src/core/mcp/server.ts";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import { fakeHost, type FakeHost } from "../../support/fake-host.ts";

export interface Connected {
  readonly host: FakeHost;
  readonly client: McpClient;
  readonly server: McpServer;
  readonly connection: ServerConnection;
}

export async function connected(prepare: (server: McpServer, host: FakeHost) => void = () => {}, options: McpClientOptions = {}): Promise<Connected> {
  const host = fakeHost();
  const server = new McpServer({ name: "remote", version: "1" }, { host });
  prepare(server, host);
  const client = new McpClient({ name: "c", version: "1" }, { host, ...options });
  const [near, far] = memoryPair();
  const connection = server.connect(far);
  await client.connect(near);
  return { host, client, server, connection };
}

/** A server that answers `interceptors/list` page by page, by cursor ("" is the first). */
export function listing(pages: Readonly<Record<string, JsonObject>>, method = "interceptors/list") {
  return (server: McpServer) => void server.method(method, (params) => pages[typeof params.cursor === "string" ? params.cursor : ""] ?? {});
}

export const descriptor = (name: string, extra: JsonObject = {}): JsonObject => ({
  name,
  type: "validation",
  hooks: [{ events: ["tools/call"], phase: "request" }],
  ...extra,
});
