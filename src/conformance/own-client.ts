import { LocalError, RpcError } from "../core/base/errors.ts";
import { detectHost, type Host } from "../core/base/host.ts";
import { cloneJson, type JsonObject } from "../core/base/json.ts";
import { createSignal } from "../core/base/signal.ts";
import { clientSource } from "../core/client/interceptor-client.ts";
import { McpClient } from "../core/mcp/client.ts";
import { memoryPair } from "../core/transport/memory.ts";
import type { Transport } from "../core/transport/transport.ts";
import { isRequest, type RequestMessage } from "../core/wire/message.ts";
import { scriptedHost } from "./clock.ts";
import type { ClientVector, ScriptedAnswer } from "./vector.ts";

const VERSION = "2025-11-25";
const UNKNOWN: ScriptedAnswer = { error: { code: -32601, message: "Method not found" } };

/** Runs a client vector on the client of this package, in memory, on a clock of its own. */
export async function runOwnClient(input: ClientVector["input"]): Promise<JsonObject> {
  const host = scriptedHost(detectHost());
  return await host.run(runOn(host, input));
}

async function runOn(host: Host, { capabilities, methods, ask }: ClientVector["input"]): Promise<JsonObject> {
  const [near, far] = memoryPair();
  const sent: JsonObject[] = [];
  const left = new Map(Object.entries(methods).map(([method, answers]) => [method, [...answers]]));
  const serving = serve(far, ({ method, params }) => {
    if (method === "initialize") return { result: { protocolVersion: VERSION, capabilities, serverInfo: { name: "scripted", version: "1" } } };
    sent.push({ method, ...(params?.["cursor"] !== undefined && { cursor: params["cursor"] }) });
    const answers = left.get(method) ?? [];
    return (answers.length > 1 ? answers.shift() : answers[0]) ?? UNKNOWN;
  });
  const client = new McpClient({ name: "vector", version: "1" }, { host, versions: [VERSION] });
  await client.connect(near);
  const source = clientSource(client, { label: "s" });
  const got: JsonObject[] = [];
  for (const what of ask) {
    try {
      if (what === "list") got.push({ interceptors: await source.list() });
      else got.push({ result: await source.invoke(CALL, createSignal().signal) });
    } catch (thrown) {
      if (!(thrown instanceof RpcError || thrown instanceof LocalError)) throw thrown;
      got.push({ failed: true });
    }
  }
  await client.close();
  await serving;
  return cloneJson({ sent, got });
}

const CALL = { name: "x", event: "tools/call", phase: "request", payload: {}, timeoutMs: 1000 } as const;

async function serve(transport: Transport, answer: (request: RequestMessage) => ScriptedAnswer): Promise<void> {
  for (;;) {
    const arrival = await transport.receive().catch(() => undefined);
    if (arrival === undefined) return;
    const { message } = arrival.frame;
    if (isRequest(message)) await transport.send({ message: { jsonrpc: "2.0", id: message.id, ...answer(message) } }).catch(() => {});
  }
}
