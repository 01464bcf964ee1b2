// The server, the client and the chain of this package as a target behind connections. It reads no file, so that a mutant of the sources can
// be measured in the same way.
import { detectHost } from "../../src/core/base/host.ts";
import { McpClient } from "../../src/core/mcp/client.ts";
import { McpServer } from "../../src/core/mcp/server.ts";
import { hostInterceptors } from "../../src/core/server/interceptor-server.ts";
import { clientSource } from "../../src/core/client/interceptor-client.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import type { Transport } from "../../src/core/transport/transport.ts";
import { fixtureServer } from "../../src/conformance/fixture-server.ts";
import type { OpenSource } from "../../src/conformance/own-chain.ts";
import { ownTarget } from "../../src/conformance/own-target.ts";
import type { Target } from "../../src/conformance/target.ts";
import type { FixtureDeclaration } from "../../src/conformance/vector.ts";

/** The two ends of a connection. */
export type Pair = () => [Transport, Transport];

export const memory: Pair = () => memoryPair();

/** Chains whose sources are behind a connection, in each vector a new one. */
const openOver = (pair: Pair): OpenSource => async (interceptors, { label, host }) => {
  const server = new McpServer({ name: label, version: "1" }, { host });
  hostInterceptors(server, interceptors, { host });
  const client = new McpClient({ name: "c", version: "1" }, { host });
  const [near, far] = pair();
  server.connect(far);
  await client.connect(near);
  return clientSource(client, { label });
};

export interface ConnectedTarget {
  /** All behind connections. */
  readonly target: Target;
  /** The server behind a connection, and chains whose sources are in process. */
  readonly near: Target;
  close(): Promise<void>;
}

export async function targetOver(pair: Pair, fixtures: readonly FixtureDeclaration[]): Promise<ConnectedTarget> {
  const host = detectHost();
  const [near, far] = pair();
  const connection = fixtureServer(fixtures, host).connect(far);
  const client = new McpClient({ name: "c", version: "1" });
  await client.connect(near);
  const ask = (params: Record<string, unknown>, method: string) => client.request(method, params);
  return {
    target: { ...ownTarget(openOver(pair)), list: ask, invoke: ask },
    near: { ...ownTarget(), list: ask, invoke: ask },
    async close() {
      await client.close();
      await connection.closed;
    },
  };
}
