// The server, the client and the chain of this package as a target behind connections. It reads no file, so that a mutant of the sources can
// be measured in the same way.
import { detectHost, type Host } from "../../src/core/base/host.ts";
import { McpClient } from "../../src/core/mcp/client.ts";
import type { Era } from "../../src/core/mcp/lifecycle.ts";
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

/** What lies between a client and a server. */
export interface Seam {
  /** The era that the client asks for; whichever it finds where not said. */
  readonly era?: Era;
  /** Connects the two. Gives what ends the server's side of it. */
  join(server: McpServer, client: McpClient, host: Host): Promise<() => Promise<unknown>>;
}

/** One connection, by its two ends. */
export const over = (pair: () => [Transport, Transport]): Seam => ({
  async join(server, client) {
    const [near, far] = pair();
    const { closed } = server.connect(far);
    await client.connect(near);
    return () => closed;
  },
});

export const memory: Seam = over(() => memoryPair());

const clientOf = ({ era }: Seam, host: Host) => new McpClient({ name: "c", version: "1" }, { host, ...(era !== undefined && { era }) });

/** Chains whose sources are behind a connection, in each vector a new one. */
const openOver = (seam: Seam): OpenSource => async (interceptors, { label, host }) => {
  const server = new McpServer({ name: label, version: "1" }, { host });
  hostInterceptors(server, interceptors, { host });
  const client = clientOf(seam, host);
  await seam.join(server, client, host);
  return clientSource(client, { label });
};

export interface ConnectedTarget {
  /** All behind connections. */
  readonly target: Target;
  /** The server behind a connection, and chains whose sources are in process. */
  readonly near: Target;
  close(): Promise<void>;
}

export async function targetOver(seam: Seam, fixtures: readonly FixtureDeclaration[]): Promise<ConnectedTarget> {
  const host = detectHost();
  const client = clientOf(seam, host);
  const end = await seam.join(fixtureServer(fixtures, host), client, host);
  const ask = (params: Record<string, unknown>, method: string) => client.request(method, params);
  return {
    target: { ...ownTarget(openOver(seam)), list: ask, invoke: ask },
    near: { ...ownTarget(), list: ask, invoke: ask },
    async close() {
      await client.close();
      await end();
    },
  };
}
