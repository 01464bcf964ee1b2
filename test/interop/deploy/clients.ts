// Official clients of both lines, and one that writes its requests by hand, all with a token.
import { Client as Client1x } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1x } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client as Client2x, StreamableHTTPClientTransport as Http2x } from "@modelcontextprotocol/client";
import { elicited } from "../official/session.ts";

export type Line = "1.x" | "2.x" | "2.x stateless";

export interface OfficialClient {
  /** The session that it was given, in revisions that have them. */
  readonly session: string | undefined;
  call(name: string, args?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

const CAPABILITIES = { elicitation: { form: {} } };
const TIMEOUT = { timeout: 20_000 };

export async function openClient(line: Line, url: string, token: string): Promise<OfficialClient> {
  const options = { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
  if (line === "1.x") {
    const client = new Client1x({ name: "deploy", version: "1" }, { capabilities: CAPABILITIES });
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicited("willing", params) as never);
    const transport = new Http1x(new URL(url), options);
    // Their types disagree about members that may be undefined.
    await client.connect(transport as Parameters<Client1x["connect"]>[0]);
    return {
      session: transport.sessionId,
      call: async (name, args = {}) => JSON.stringify(await client.callTool({ name, arguments: args }, undefined, TIMEOUT)),
      close: () => client.close(),
    };
  }
  const client = new Client2x({ name: "deploy", version: "1" }, { capabilities: CAPABILITIES, ...(line === "2.x" ? {} : { versionNegotiation: { mode: { pin: "2026-07-28" } } }) });
  client.setRequestHandler("elicitation/create", ({ params }) => elicited("willing", params) as never);
  const transport = new Http2x(new URL(url), options);
  await client.connect(transport);
  return {
    session: transport.sessionId,
    call: async (name, args = {}) => JSON.stringify(await client.callTool({ name, arguments: args }, TIMEOUT)),
    close: () => client.close(),
  };
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "deploy", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": CAPABILITIES,
};
const ASKS = "trigger-elicitation-request";

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

export async function post(url: string, token: string, body: object, headers: Readonly<Record<string, string>>): Promise<RawAnswer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", authorization: `Bearer ${token}`, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
  });
  return { status: response.status, text: await response.text() };
}

/** A call that asks its user: the first try, or with a state the retry that answers. */
export function ask(url: string, token: string, requestState?: string): Promise<RawAnswer> {
  const retry = requestState === undefined ? {} : { requestState, inputResponses: { "ask-1": { action: "decline" } } };
  const body = { method: "tools/call", params: { name: ASKS, arguments: {}, _meta: META, ...retry } };
  return post(url, token, body, { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": ASKS });
}

/** The state of a call that was parked, and the replica that it names. */
export function parkedIn({ text }: RawAnswer): { readonly state: string; readonly replica: string } {
  const [, state = "", replica = ""] = /"requestState":"(parked1\.([A-Za-z0-9_-]+)\.[^"]+)"/.exec(text) ?? [];
  if (state === "") throw new Error(`nothing was parked: ${text}`);
  return { state, replica };
}
