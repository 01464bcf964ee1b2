import type { Host } from "../core/base/host.ts";
import { McpServer } from "../core/mcp/server.ts";
import { hostInterceptors } from "../core/server/interceptor-server.ts";
import { VERSION } from "../core/base/version.ts";
import { fixtureInterceptor } from "./behaviours.ts";
import type { FixtureDeclaration } from "./vector.ts";

/** A server that hosts the fixtures, for `list` and `invoke` vectors; connect it to any transport. */
export function fixtureServer(fixtures: readonly FixtureDeclaration[], host: Host): McpServer {
  const server = new McpServer({ name: "mcp-interceptors-fixtures", version: VERSION }, { host });
  hostInterceptors(server, fixtures.map((fixture) => fixtureInterceptor(fixture, { host })), { host });
  return server;
}
