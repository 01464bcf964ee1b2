import assert from "node:assert/strict";
import { RpcError } from "../../src/core/base/errors.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { McpClient, type McpClientOptions } from "../../src/core/mcp/client.ts";
import type { Era } from "../../src/core/mcp/lifecycle.ts";
import type { Message, RequestId, RequestMessage } from "../../src/core/wire/message.ts";
import { fakeHost, settle, type FakeHost } from "./fake-host.ts";
import { scriptedTransport, type ScriptedTransport } from "./scripted-transport.ts";

/** An answer that never comes. */
export const SILENCE = Symbol("silence");
export type Answer = JsonObject | RpcError | typeof SILENCE;

export interface Parts {
  readonly era?: Era;
  readonly version?: string;
  readonly capabilities?: JsonObject;
  readonly options?: McpClientOptions;
  /** Answers everything but the lifecycle. */
  answer?(method: string, params: JsonObject, id: RequestId): Answer;
  prepare?(client: McpClient): void;
}

/** A connected client, and the server that the test plays for it. */
export interface ScriptedServer {
  readonly client: McpClient;
  readonly host: FakeHost;
  readonly transport: ScriptedTransport;
  /** Everything that the client has sent after the lifecycle. */
  sent(): Message[];
  /** The requests among it, of one method or all. */
  requests(method?: string): RequestMessage[];
  notify(method: string, params?: JsonObject): Promise<void>;
  reply(id: RequestId, answer: Answer): Promise<void>;
  /** Sends a request of the server's, and gives the client's response. */
  ask(method: string, params?: JsonObject): Promise<Message>;
}

/** Every capability, so that a test names the ones that it is about. */
export const EVERYTHING: JsonObject = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

export async function scriptedServer(parts: Parts): Promise<ScriptedServer> {
  const { era = "stateless", version = era === "stateless" ? "2026-07-28" : "2025-11-25", capabilities = EVERYTHING, options = {} } = parts;
  const host = fakeHost();
  const transport = scriptedTransport();
  const client = new McpClient({ name: "c", version: "1" }, { host, versions: [version], ...options });
  parts.prepare?.(client);
  const deliver = (id: RequestId, answer: Answer) => {
    if (answer !== SILENCE) transport.deliver({ jsonrpc: "2.0", id, ...(answer instanceof RpcError ? { error: answer.toJson() } : { result: answer }) });
  };
  transport.onSend = async (message) => {
    if (!("method" in message) || !("id" in message)) return;
    const { id, method, params = {} } = message as RequestMessage;
    if (method === "server/discover") deliver(id, { resultType: "complete", supportedVersions: [version], capabilities });
    else if (method === "initialize") deliver(id, { protocolVersion: version, capabilities, serverInfo: { name: "s", version: "1" } });
    else deliver(id, parts.answer?.(method, params, id) ?? new RpcError(-32601, "Method not found"));
  };
  await client.connect(transport);
  // The lifecycle is server/discover alone, or initialize and its notification.
  const before = era === "stateless" ? 1 : 2;
  const sent = () => transport.sent.slice(before).map(({ message }) => message);
  let asked = 0;
  return {
    client,
    host,
    transport,
    sent,
    requests: (method) =>
      sent().filter((message): message is RequestMessage => "method" in message && "id" in message && (method === undefined || message.method === method)),
    async notify(method, params) {
      transport.deliver({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
      await settle();
    },
    async reply(id, answer) {
      deliver(id, answer);
      await settle();
    },
    async ask(method, params) {
      const id = `asked-${++asked}`;
      transport.deliver({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
      await settle();
      const response = sent().find((message) => !("method" in message) && message.id === id);
      assert.ok(response, `${method} got no response`);
      return response;
    },
  };
}
