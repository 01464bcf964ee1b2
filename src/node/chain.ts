import { VERSION } from "../core/base/version.ts";
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
import type { Interceptors } from "../core/interceptor/define.ts";
import { connectHttp, type ConnectHttpOptions } from "../core/http/connect-http.ts";
import { McpClient } from "../core/mcp/client.ts";
import { spawnTransport, type SpawnOptions } from "./child.ts";
import { nodeHost } from "./host.ts";
import { createHttpSend } from "./http-send.ts";

/** `versions` are the revisions that may be spoken. `onNoise` and `onStderrLine` are for commands, the others for servers behind a URL: see `httpTransport`. */
export interface ConnectServerOptions extends Pick<SpawnOptions, "onNoise" | "onStderrLine">, Pick<ConnectHttpOptions, "authorize" | "log" | "limits" | "versions"> {}

const OPTIONS: OptionTable<ConnectServerOptions> = { onNoise: "a function", onStderrLine: "a function", authorize: "a function", log: "a function", limits: "an object", versions: "a list" };

/**
 * Connects a client to an MCP server: to the command that it starts, on stdio, or by URL over HTTP, in whatever revision the server speaks. The
 * client's `close` ends the process, or the connections; so does `signal` before. `onNoise` is told of what a command writes that is no message.
 */
export async function connectServer(target: ServerTarget, signal?: Signal, options: ConnectServerOptions = {}): Promise<McpClient> {
  checkOptions(options, "the options of connectServer", OPTIONS);
  const { onNoise, onStderrLine, ...http } = options;
  const { versions } = http;
  if (!("command" in target)) {
    const send = createHttpSend();
    return await connectHttp({ ...target, ...http, send, host: nodeHost(), release: () => send.close() }, signal);
  }
  const { command, args = [], env, cwd } = target;
  const optional = { ...(env === undefined ? {} : { env }), ...(cwd === undefined ? {} : { cwd }), ...(onNoise === undefined ? {} : { onNoise }), ...(onStderrLine === undefined ? {} : { onStderrLine }) };
  const start = () => spawnTransport({ command, args, ...optional });
  const transport = await start();
  const client = new McpClient({ name: "mcp-interceptors", version: VERSION }, versions === undefined ? {} : { versions });
  try {
    await client.connect(transport, { reconnect: start, ...(signal === undefined ? {} : { signal }) });
  } catch (thrown) {
    await transport.close();
    throw thrown;
  }
  return client;
}

/** `createChain` of the main entry, with a way to start and to reach servers: `chain.addServer({ command, args })`, `chain.addServer({ url })`. */
export function createChain(options: ConnectedChainOptions = {}): ConnectedChain {
  return createConnectedChain({ connect: connectServer, ...options });
}

/** `localChain` of the main entry, with a way to start and to reach servers. */
export function localChain(interceptors: Interceptors, options: ConnectedChainOptions & AddOptions = {}): Promise<ConnectedChain> {
  return localConnectedChain(interceptors, { connect: connectServer, ...options });
}
