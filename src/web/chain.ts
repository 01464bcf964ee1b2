import { LocalError } from "../core/base/errors.ts";
import { detectHost, type Host } from "../core/base/host.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import type { Signal } from "../core/base/signal.ts";
import type { AddOptions } from "../core/chain/installed.ts";
import {
  createChain as createConnectedChain,
  localChain as localConnectedChain,
  type ConnectedChain,
  type ConnectedChainOptions,
  type ServerTarget,
} from "../core/client/local-chain.ts";
import { connectHttp, type ConnectHttpOptions } from "../core/http/connect-http.ts";
import type { Interceptors } from "../core/interceptor/define.ts";
import type { McpClient } from "../core/mcp/client.ts";
import { fetchSend } from "./fetch-send.ts";

/** `versions` are the revisions that may be spoken; the others are for the transport: see `httpTransport`. */
export interface ConnectServerOptions extends Pick<ConnectHttpOptions, "authorize" | "log" | "limits" | "versions"> {
  readonly host?: Host;
}

const OPTIONS: OptionTable<ConnectServerOptions> = { host: "an object", authorize: "a function", log: "a function", limits: "an object", versions: "a list" };

/** Connects a client to an MCP server by its URL, over the host's `fetch`. Rejects with `unsupported` for a command: nothing is started here. */
export async function connectServer(target: ServerTarget, signal?: Signal, options: ConnectServerOptions = {}): Promise<McpClient> {
  if ("command" in target) throw new LocalError("unsupported", "servers are reached by URL here; mcp-interceptors/node starts commands");
  checkOptions(options, "the options of connectServer", OPTIONS);
  const { host = detectHost() } = options;
  return await connectHttp({ ...target, ...options, host, send: fetchSend(host) }, signal);
}

/** `createChain` of the main entry, with a way to reach servers: `chain.addServer({ url })`. */
export function createChain(options: ConnectedChainOptions = {}): ConnectedChain {
  return createConnectedChain({ connect: connectServer, ...options });
}

/** `localChain` of the main entry, with a way to reach servers. */
export function localChain(interceptors: Interceptors, options: ConnectedChainOptions & AddOptions = {}): Promise<ConnectedChain> {
  return localConnectedChain(interceptors, { connect: connectServer, ...options });
}
