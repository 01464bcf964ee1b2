import { LocalError } from "../base/errors.ts";
import type { Signal } from "../base/signal.ts";
import { createChain as createBareChain, type AddOptions, type Chain, type ChainOptions } from "../chain/chain.ts";
import type { InterceptorSource } from "../chain/source.ts";
import type { Interceptor } from "../interceptor/define.ts";
import { McpClient } from "../mcp/client.ts";
import { clientSource } from "./interceptor-client.ts";

/** A server to start or to reach; what it can be depends on the runtime. */
export type ServerTarget =
  | { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string | undefined>>; readonly cwd?: string }
  | { readonly url: string };

export interface AddServerOptions extends AddOptions {
  /** How its interceptors are addressed, `label/name`; by default `server-1`, `server-2`, … Without `/`. */
  readonly label?: string;
  readonly signal?: Signal;
}

/** A chain that can find interceptors on servers. */
export interface ConnectedChain extends Chain {
  /**
   * Adds all interceptors of a server, or nothing: of a connected client, of a source of your own, or of a server that the runtime starts or
   * reaches. Rejects where the server cannot be had, does not list interceptors (-32601 included), or lists one that is refused.
   */
  addServer(server: McpClient | InterceptorSource | ServerTarget, options?: AddServerOptions): Promise<void>;
  /** Ends the connections that `addServer` has made. Their interceptors fail from then on. Idempotent. */
  close(): Promise<void>;
}

export interface ConnectedChainOptions extends ChainOptions {
  /** Makes a connected client of a target. `mcp-interceptors/node` brings one. */
  readonly connect?: (target: ServerTarget, signal?: Signal) => Promise<McpClient>;
}

export function createChain(options: ConnectedChainOptions = {}): ConnectedChain {
  const chain = createBareChain(options);
  const opened = new Set<McpClient>();
  let servers = 0;

  const addClient = (client: McpClient, { label = `server-${++servers}`, ...rest }: AddServerOptions) =>
    chain.addSource(clientSource(client, { label, ...(options.limits === undefined ? {} : { limits: options.limits }) }), rest);

  // The members are accessors, which a spread would freeze at their first value.
  return Object.assign(Object.create(null, Object.getOwnPropertyDescriptors(chain)) as Chain, {
    async addServer(server: McpClient | InterceptorSource | ServerTarget, settings: AddServerOptions = {}) {
      if (server instanceof McpClient) return addClient(server, settings);
      if ("invoke" in server) {
        const { label: _label, ...rest } = settings;
        return chain.addSource(server, rest);
      }
      if (options.connect === undefined) {
        const instead = "use createChain of mcp-interceptors/node, or pass a connected client";
        throw new LocalError("host_missing", `this chain cannot start or reach servers by itself: ${instead}`);
      }
      const client = await options.connect(server, settings.signal);
      try {
        await addClient(client, settings);
        opened.add(client);
      } catch (thrown) {
        await client.close();
        throw thrown;
      }
    },
    async close() {
      const clients = [...opened];
      opened.clear();
      await Promise.all(clients.map((client) => client.close()));
    },
  });
}

/** A chain of interceptors in this process; more can be added to it, servers included. */
export async function localChain(interceptors: readonly Interceptor[], options: ConnectedChainOptions & AddOptions = {}): Promise<ConnectedChain> {
  const { overrides, config, ...rest } = options;
  const chain = createChain(rest);
  if (interceptors.length > 0) chain.add(interceptors, { ...(overrides === undefined ? {} : { overrides }), ...(config === undefined ? {} : { config }) });
  return chain;
}
