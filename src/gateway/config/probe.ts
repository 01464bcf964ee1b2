import { resolveLimits, type Limits } from "../../core/base/limits.ts";
import type { Signal } from "../../core/base/signal.ts";
import { VERSION } from "../../core/base/version.ts";
import type { Log } from "../../core/jsonrpc/log.ts";
import { McpClient } from "../../core/mcp/client.ts";
import type { Era } from "../../core/mcp/lifecycle.ts";
import type { Implementation, ServerCapabilities, Tool } from "../../core/wire/gen/mcp.ts";
import { nodeHost } from "../../node/host.ts";
import type { UpstreamPlan } from "../plan.ts";
import { createConnector } from "../targets.ts";

/** What an upstream says of itself. Nobody has verified it. */
export interface UpstreamFacts {
  readonly era: Era | undefined;
  readonly protocolVersion: string | undefined;
  readonly info: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  /** Undefined where it has none to list. */
  readonly tools: readonly Tool[] | undefined;
}

export interface ProbeOptions {
  readonly log: Log;
  readonly limits: Partial<Limits> | undefined;
  /** Ends the attempt. */
  readonly signal?: Signal;
}

/** Connects to an upstream as the gateway would, asks what it is and which tools it has, and leaves again. */
export async function probeUpstream({ target, era }: Pick<UpstreamPlan, "target" | "era">, { log, limits, signal }: ProbeOptions): Promise<UpstreamFacts> {
  const connector = createConnector(target, { host: nodeHost(), limits: resolveLimits(limits), log });
  const client = new McpClient({ name: "mcp-interceptors", version: VERSION }, era === undefined ? {} : { era });
  try {
    const transport = await connector.connect();
    try {
      await client.connect(transport, { reconnect: () => connector.connect(), ...(signal === undefined ? {} : { signal }) });
    } catch (thrown) {
      await transport.close();
      throw thrown;
    }
    const { serverCapabilities: capabilities = {} } = client;
    const tools = capabilities.tools === undefined ? undefined : await client.listTools(signal === undefined ? {} : { signal });
    return { era: client.era, protocolVersion: client.protocolVersion, info: client.serverInfo, capabilities, tools };
  } finally {
    await client.close();
    connector.close();
  }
}
