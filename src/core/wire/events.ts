import type { JsonObject } from "../base/json.ts";
import type { CompletionPayloads } from "./completion.ts";
import type { Phase } from "./gen/interceptors.ts";
import type { ErrorObject } from "./message.ts";
import type { McpPayloads } from "./payloads.ts";

/** The events that SEP-2624 names (Hooks). The list is open: any method is an event, and programs may add their own. */
export const EVENTS = [
  "tools/list",
  "tools/call",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "sampling/createMessage",
  "elicitation/create",
  "roots/list",
  "llm/completion",
] as const;

/** The name of an event whose payloads have types. */
export type KnownEvent = (typeof EVENTS)[number];

// Requests that only a client sends. Without a direction a chain takes them from the server's side (semantics, section 4).
const CLIENT_REQUESTS = [
  "tools/list",
  "tools/call",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "subscriptions/listen",
  "completion/complete",
  "logging/setLevel",
] as const;
const SERVER_REQUESTS = ["sampling/createMessage", "elicitation/create", "roots/list"] as const;

/** Every request that MCP has or had, in the order of `METHODS`; here without the checks that these have. */
export const MCP_REQUESTS: readonly string[] = [
  ...["initialize", "server/discover", "ping"],
  ...CLIENT_REQUESTS,
  ...SERVER_REQUESTS,
  ...["tasks/get", "tasks/result", "tasks/cancel", "tasks/list"],
];

const FROM_CLIENTS: ReadonlySet<string> = new Set(CLIENT_REQUESTS);
const FROM_SERVERS: ReadonlySet<string> = new Set(SERVER_REQUESTS);
const OF_MCP: ReadonlySet<string> = new Set([...CLIENT_REQUESTS, ...SERVER_REQUESTS]);

/** Sampling, elicitation, roots, `llm/completion` and custom events go both ways: a chain must be told which. */
export function needsDirection(event: string): boolean {
  return !FROM_CLIENTS.has(event);
}

/** Requests that only a server sends, to its client. */
export function isServerRequest(event: string): boolean {
  return FROM_SERVERS.has(event);
}

/** Events whose payload MCP defines, and defines as an object. */
export function isMcpEvent(event: string): boolean {
  return OF_MCP.has(event);
}

type McpEvent = (typeof CLIENT_REQUESTS | typeof SERVER_REQUESTS)[number];
type McpNamespace = McpEvent extends infer Event ? (Event extends `${infer Namespace}/${string}` ? Namespace : never) : never;

/** What a hook may name: a method, `ns/*` or `*`. Any text may be an event; those of MCP and SEP-2624 are there for editors to offer. */
export type EventPattern = "*" | KnownEvent | McpEvent | `${McpNamespace}/*` | (string & {});

/** Params or result of an MCP method whose members we do not spell out. */
export interface OpenPayload {
  _meta?: JsonObject;
  [member: string]: unknown;
}

interface Payloads extends McpPayloads, CompletionPayloads {}

/**
 * The payload of an event in a phase: `params` of the request, `result` of the response, and of `llm/completion` the common ones. MCP's are
 * objects, and so is what `*` and a namespace of MCP's see on a connection. A custom event may carry any JSON, so its payload is `unknown`, and so
 * is that of an event that is not known when the program is compiled. Distributes over unions.
 */
export type PayloadOf<Event extends string, P extends Phase> = Event extends keyof Payloads
  ? Payloads[Event][P]
  : Event extends "*" | KnownEvent | McpEvent | `${McpNamespace}/*` | `notifications/${string}`
    ? OpenPayload
    : unknown;

/** What an interceptor with `handlesErrors` gets in the response phase where the answer is an error. */
export interface ErrorPayload {
  error: ErrorObject;
}
