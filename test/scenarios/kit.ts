import assert from "node:assert/strict";
import { after, afterEach } from "node:test";
import { RpcError } from "../../src/core/base/errors.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { directSend } from "../../src/core/http/direct-send.ts";
import { httpTransport } from "../../src/core/http/http-client.ts";
import { McpClient } from "../../src/core/mcp/client.ts";
import type { Era } from "../../src/core/mcp/lifecycle.ts";
import { McpServer, type McpServerOptions } from "../../src/core/mcp/server.ts";
import type { ToolHandler } from "../../src/core/mcp/tools.ts";
import { DEFAULT_POLICY } from "../../src/gateway/config/default-policy.ts";
import { startGateway } from "../../src/gateway/config/start.ts";
import { temporaryFolder } from "../gateway/config/kit.ts";

export const ERAS: readonly Era[] = ["handshake", "stateless"];
export const ANY: JsonObject & { readonly type: "object" } = { type: "object" };

/** A client behind the gateway, with what has become of its calls. */
export interface Defended {
  readonly client: McpClient;
  /** The whole result, or the tool's own error, as JSON, of a call that passed; fails for one that was blocked. */
  passes(name: string, args?: JsonObject): Promise<string>;
  /** What a call was refused with, as the model reads it; fails for one that passed, or that failed in another way. */
  blocked(name: string, args?: JsonObject): Promise<string>;
}

export interface Defence {
  /** Connects to one of the servers through the gateway. */
  client(upstream: string, era?: Era, prepare?: (client: McpClient) => void): Promise<Defended>;
}

const place = globalThis as { scenarioServers?: Map<string, McpServer> };

/**
 * Gateways on configuration files with the default policy, before servers of this process. Call it once, at the top of a test file; what it
 * has opened ends with the test.
 */
export function defences(): (servers: Readonly<Record<string, McpServer>>) => Promise<Defence> {
  const folder = temporaryFolder();
  const servers = (place.scenarioServers ??= new Map());
  const open: { close(): Promise<void> }[] = [];
  let count = 0;
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
    servers.clear();
  });
  after(() => folder.remove());
  return async (named) => {
    const id = `${folder.path}-${++count}`;
    const upstreams: Record<string, JsonObject> = {};
    for (const [name, server] of Object.entries(named)) {
      const module = `${count}-${name}.mjs`;
      servers.set(`${id}/${name}`, server);
      folder.write(module, `export default () => globalThis.scenarioServers.get(${JSON.stringify(`${id}/${name}`)});`);
      upstreams[name] = { module };
      open.push(server);
    }
    // As `init` writes it, but for where it is served.
    const file = folder.write(`${count}.json`, { upstreams, interceptors: DEFAULT_POLICY, policy: { blockAs: "result" }, http: { port: 0 } });
    const { gateway, close } = await startGateway({ file, env: {}, watch: false });
    open.push({ close });
    return {
      async client(upstream, era = "stateless", prepare = () => {}) {
        const client = new McpClient({ name: "assistant", version: "1" }, { era });
        prepare(client);
        await client.connect(httpTransport({ url: `${gateway.url}/${upstream}/mcp`, send: directSend(gateway.handle) }));
        open.push(client);
        return defended(client);
      },
    };
  };
}

function defended(client: McpClient): Defended {
  const outcome = async (name: string, args: JsonObject) => {
    const result: unknown = await client.callTool({ name, arguments: args }).catch((thrown: unknown) => thrown);
    return { result, text: result instanceof RpcError ? JSON.stringify({ message: result.message, data: result.data }) : JSON.stringify(result) };
  };
  return {
    client,
    async passes(name, args = {}) {
      const { result, text } = await outcome(name, args);
      if (result instanceof Error && !(result instanceof RpcError)) throw result;
      assert.doesNotMatch(text, /Interceptor (?:validation|mutation|execution)/);
      return text;
    },
    async blocked(name, args = {}) {
      const { text } = await outcome(name, args);
      assert.match(text, /Interceptor validation failed/);
      return text;
    },
  };
}

/** A server with these tools; what a tool is called with is kept. */
export function serverWith(tools: Readonly<Record<string, ToolHandler>>, options: McpServerOptions = {}): McpServer & { readonly calls: JsonObject[] } {
  const calls: JsonObject[] = [];
  const server = new McpServer({ name: "server", version: "1" }, options);
  for (const [name, handler] of Object.entries(tools)) {
    server.tool({ name, inputSchema: ANY }, (args, context) => {
      calls.push(args);
      return handler(args, context);
    });
  }
  return Object.assign(server, { calls });
}
