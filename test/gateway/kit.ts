import assert from "node:assert/strict";
import { createChain } from "../../src/core/client/local-chain.ts";
import { directSend } from "../../src/core/http/direct-send.ts";
import { httpTransport } from "../../src/core/http/http-client.ts";
import { createHttpServer } from "../../src/core/http/http-server.ts";
import { serve } from "../../src/core/http/serve.ts";
import { McpClient, type McpClientOptions } from "../../src/core/mcp/client.ts";
import { elicit } from "../../src/core/mcp/features/server-ask.ts";
import type { Era } from "../../src/core/mcp/lifecycle.ts";
import { McpServer, type McpServerOptions } from "../../src/core/mcp/server.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import type { Transport } from "../../src/core/transport/transport.ts";
import { HANDSHAKE_VERSIONS, STATELESS_VERSIONS } from "../../src/core/wire/versions.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import type { Gateway, GatewayPlan, UpstreamPlan, UpstreamTarget } from "../../src/gateway/plan.ts";

export type Way = "memory" | "http";

/** A server of one era with something of everything, and what has become of its calls. */
export interface Behind {
  readonly server: McpServer;
  readonly target: UpstreamTarget;
  /** Names of calls of `slow` that run, and that were cancelled. */
  readonly running: Set<string>;
  readonly cancelled: string[];
  finish(name: string, text?: string): void;
  close(): Promise<void>;
}

const ANY = { type: "object" } as const;
const FORM = { type: "object", properties: { ok: { type: "boolean" } } } as const;

export function versionsOf(era: Era): readonly string[] {
  return era === "stateless" ? STATELESS_VERSIONS : HANDSHAKE_VERSIONS;
}

export function behind(way: Way, era: Era, options: McpServerOptions = {}, only: "tools" | "everything" = "everything"): Behind {
  const server = new McpServer({ name: "upstream", version: "1.2.3" }, { versions: versionsOf(era), ...options });
  const waiting = new Map<string, (text: string) => void>();
  const cancelled: string[] = [];
  const running = new Set<string>();
  server.tool({ name: "echo", inputSchema: ANY }, ({ text }) => String(text));
  server.tool({ name: "steps", inputSchema: ANY }, async (_args, context) => {
    for (const step of [1, 2, 3]) await context.reportProgress(step, 3, `step ${step}`);
    return "done";
  });
  server.tool({ name: "slow", inputSchema: ANY }, ({ name }, context) => {
    const key = String(name);
    running.add(key);
    return new Promise<string>((resolve) => {
      context.coreSignal.onAbort(() => {
        if (running.delete(key)) cancelled.push(key);
      });
      waiting.set(key, (text) => {
        running.delete(key);
        resolve(text);
      });
    });
  });
  server.tool({ name: "ask", inputSchema: ANY }, async ({ about }, context) => {
    const first = await context.ask(elicit({ message: `about ${String(about)}?`, requestedSchema: FORM }));
    return JSON.stringify(first);
  });
  if (only === "everything") {
    server.resource({ uri: "mem:///a", name: "a" }, () => ({ contents: [{ uri: "mem:///a", text: "A" }] }));
    server.resource({ uri: "mem:///b", name: "b" }, () => ({ contents: [{ uri: "mem:///b", text: "B" }] }));
  }
  const finish = (name: string, text = name) => waiting.get(name)?.(text);
  if (way === "memory") return { server, target: { server }, running, cancelled, finish, close: () => server.close() };
  const http = createHttpServer({ allowedHosts: ["upstream.example"], versions: versionsOf(era), ...(options.host === undefined ? {} : { host: options.host }) });
  void serve(server, http);
  return {
    server,
    target: { url: "https://upstream.example/mcp", send: directSend(http.handle) },
    running,
    cancelled,
    finish,
    async close() {
      await server.close();
      await http.close();
    },
  };
}

/** A gateway for one upstream, `up`, reached without sockets. */
export async function gatewayFor(target: UpstreamTarget, more: Partial<GatewayPlan> = {}, upstream: Partial<UpstreamPlan> = {}): Promise<Gateway> {
  return await createGateway({ upstreams: [{ name: "up", target, ...upstream }], chain: () => createChain(), ...more });
}

export function faceTransport(gateway: Gateway, way: Way): Transport {
  if (way === "http") return httpTransport({ url: "http://localhost/up/mcp", send: directSend(gateway.handle) });
  const [near, far] = memoryPair();
  gateway.serve("up", far);
  return near;
}

export async function clientOf(gateway: Gateway, way: Way, era: Era, prepare: (client: McpClient) => void = () => {}, options: McpClientOptions = {}): Promise<McpClient> {
  const client = new McpClient({ name: "caller", version: "1" }, { era, ...options });
  prepare(client);
  await client.connect(faceTransport(gateway, way));
  return client;
}

// Far beyond what any condition takes: it ends a test that would never end.
const HANGS_MS = 60_000;

/**
 * Polls by turns of the event loop, `turns` at most where that many are enough to see that nothing comes. Otherwise not by a number of them: what other threads
 * do, such as WebCrypto and the file system, takes more the busier the machine is.
 */
export async function until(condition: () => boolean, turns = Infinity): Promise<void> {
  const end = performance.now() + HANGS_MS;
  for (let turn = 0; turn < turns && !condition(); turn++) {
    if (performance.now() > end) assert.fail(`it never came: ${condition.toString()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
