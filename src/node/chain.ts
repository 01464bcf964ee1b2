import { LocalError } from "../core/base/errors.ts";
import { VERSION } from "../core/base/version.ts";
import type { Signal } from "../core/base/signal.ts";
import type { AddOptions } from "../core/chain/installed.ts";
import {
  createChain as createConnectedChain,
  localChain as localConnectedChain,
  type ConnectedChain,
  type ConnectedChainOptions,
  type ServerTarget,
} from "../core/client/local-chain.ts";
import type { Interceptor } from "../core/interceptor/define.ts";
import { McpClient } from "../core/mcp/client.ts";
import { spawnTransport, type SpawnOptions } from "./child.ts";

/**
 * Starts the command as an MCP server on stdio, and connects a client to it. The client's `close` ends the process, and so does `signal` before.
 * `onNoise` is told of what the server writes that is no message.
 */
export async function connectServer(target: ServerTarget, signal?: Signal, { onNoise }: Pick<SpawnOptions, "onNoise"> = {}): Promise<McpClient> {
  if (!("command" in target)) {
    const instead = "this version speaks stdio only; pass { command }, or a client that you have connected";
    throw new LocalError("unsupported", `${target.url} cannot be reached: ${instead}`);
  }
  const { command, args = [], env, cwd } = target;
  const optional = { ...(env === undefined ? {} : { env }), ...(cwd === undefined ? {} : { cwd }), ...(onNoise === undefined ? {} : { onNoise }) };
  const start = () => spawnTransport({ command, args, ...optional });
  const transport = await start();
  const client = new McpClient({ name: "mcp-interceptors", version: VERSION });
  try {
    await client.connect(transport, { reconnect: start, ...(signal === undefined ? {} : { signal }) });
  } catch (thrown) {
    await transport.close();
    throw thrown;
  }
  return client;
}

/** `createChain` of the main entry, with a way to start servers: `chain.addServer({ command, args })`. */
export function createChain(options: ConnectedChainOptions = {}): ConnectedChain {
  return createConnectedChain({ connect: connectServer, ...options });
}

/** `localChain` of the main entry, with a way to start servers. */
export function localChain(interceptors: readonly Interceptor[], options: ConnectedChainOptions & AddOptions = {}): Promise<ConnectedChain> {
  return localConnectedChain(interceptors, { connect: connectServer, ...options });
}
