import { LocalError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { checkOptions, type OptionTable } from "../base/options.ts";
import type { Signal } from "../base/signal.ts";
import { ADD_SOURCE_OPTIONS, CHAIN_OPTIONS, createChain as createBareChain, type AddSourceOptions, type Chain, type ChainOptions } from "../chain/chain.ts";
import { ADD_OPTIONS, type AddOptions } from "../chain/installed.ts";
import { harmless } from "../chain/report.ts";
import type { InterceptorSource } from "../chain/source.ts";
import { interceptorList, type Interceptors } from "../interceptor/define.ts";
import { McpClient } from "../mcp/client.ts";
import { hintsAtChange } from "../wire/dialects.ts";
import { clientSource } from "./interceptor-client.ts";

/** A server to start or to reach; what it can be depends on the runtime. */
export type ServerTarget =
  | { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string | undefined>>; readonly cwd?: string }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

/** How a server's interceptors are added to a chain. */
export interface AddServerOptions extends AddSourceOptions {
  /** How its interceptors are addressed, `label/name`; by default the first that is free of `server-1`, `server-2`, … Without `/`. */
  readonly label?: string;
}

/** A chain that can find interceptors on servers. What a server says of a changed list goes to the log, and changes nothing. */
export interface ConnectedChain extends Chain {
  /**
   * Adds all interceptors of a server, or nothing: of a connected client, of a source of your own, or of a server that the runtime starts or
   * reaches. Rejects with `invalid_argument` for anything else, and where the server cannot be had, does not list interceptors (-32601
   * included), or lists one that is refused.
   */
  addServer(server: McpClient | InterceptorSource | ServerTarget, options?: AddServerOptions): Promise<void>;
  /** Ends the connections that `addServer` has made. Their interceptors fail from then on. Idempotent. */
  close(): Promise<void>;
}

/** Options of a chain that can add servers. */
export interface ConnectedChainOptions extends ChainOptions {
  /** Makes a connected client of a target. `mcp-interceptors/node` brings one. */
  readonly connect?: (target: ServerTarget, signal?: Signal) => Promise<McpClient>;
}

const CONNECTED: OptionTable<ConnectedChainOptions> = { ...CHAIN_OPTIONS, connect: "a function" };

const ADD_SERVER_OPTIONS: OptionTable<AddServerOptions> = { ...ADD_SOURCE_OPTIONS, label: "any" };

/**
 * An empty chain that can also add servers: `createChain` of the engine, with `addServer`. Without `connect` it takes clients that are connected, and no
 * commands or URLs.
 */
export function createChain(options: ConnectedChainOptions = {}): ConnectedChain {
  checkOptions(options, "the options of a chain", CONNECTED);
  const { connect, ...own } = options;
  const chain = createBareChain(own);
  const opened = new Set<McpClient>();
  // Labels of what was added here, or is about to be: those show on no entry yet, and a server without interceptors never does.
  const labels = new Set<string>();

  const freeLabel = () => {
    const taken = new Set([...labels, ...chain.entries.map(({ label }) => label)]);
    let number = 1;
    while (taken.has(`server-${number}`)) number++;
    return `server-${number}`;
  };

  const addSource = async (source: InterceptorSource, settings: AddSourceOptions) => {
    const { label } = source;
    const isNew = !labels.has(label);
    labels.add(label);
    try {
      await chain.addSource(source, settings);
    } catch (thrown) {
      if (isNew) labels.delete(label);
      throw thrown;
    }
  };
  const log = harmless(options.log);
  const unlisten = new Set<() => void>();
  // A server that says so has not changed the chain: that takes a refresh.
  const addClient = async (client: McpClient, { label = freeLabel(), ...rest }: AddServerOptions) => {
    await addSource(clientSource(client, { label, ...(options.limits === undefined ? {} : { limits: options.limits }) }), rest);
    const heard = (method: string) => {
      if (!hintsAtChange(method)) return;
      log?.({ level: "info", message: `the server ${JSON.stringify(label)} says that its interceptors have changed; refresh() takes that in` });
    };
    unlisten.add(client.onNotification(heard));
  };

  // The members are accessors, which a spread would freeze at their first value.
  return Object.assign(Object.create(null, Object.getOwnPropertyDescriptors(chain)) as Chain, {
    async addServer(server: McpClient | InterceptorSource | ServerTarget, settings: AddServerOptions = {}) {
      checkOptions(settings, "the options of addServer", ADD_SERVER_OPTIONS);
      if (server instanceof McpClient) return addClient(server, settings);
      if (isSource(server)) {
        const { label: _label, ...rest } = settings;
        return addSource(server, rest);
      }
      if (!isTarget(server)) throw new LocalError("invalid_argument", NO_SERVER);
      if (connect === undefined) {
        const instead = "use createChain of mcp-interceptors/node, or pass a connected client";
        throw new LocalError("host_missing", `this chain cannot start or reach servers by itself: ${instead}`);
      }
      const client = await connect(server, settings.signal);
      try {
        await addClient(client, settings);
        opened.add(client);
      } catch (thrown) {
        await client.close();
        throw thrown;
      }
    },
    async close() {
      for (const end of unlisten) end();
      unlisten.clear();
      const clients = [...opened];
      opened.clear();
      await Promise.all(clients.map((client) => client.close()));
    },
  });
}

const NO_SERVER = "a server must be a connected McpClient, a source with list and invoke, or a target: { command } or { url }, which are texts";

function isSource(server: unknown): server is InterceptorSource {
  return isObject(server) && typeof server["list"] === "function" && typeof server["invoke"] === "function";
}

function isTarget(server: unknown): server is ServerTarget {
  if (!isObject(server)) return false;
  const { command, url } = server;
  return command === undefined ? isText(url) : isText(command) && url === undefined;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** A chain of interceptors in this process; more can be added to it, servers included. */
export async function localChain(interceptors: Interceptors, options: ConnectedChainOptions & AddOptions = {}): Promise<ConnectedChain> {
  checkOptions(options, "the options of a chain", { ...CONNECTED, ...ADD_OPTIONS });
  const { overrides, config, ...rest } = options;
  const chain = createChain(rest);
  const list = interceptorList(interceptors);
  if (list.length > 0) chain.add(list, { ...(overrides === undefined ? {} : { overrides }), ...(config === undefined ? {} : { config }) });
  return chain;
}
