import { foldCase } from "../base/json-refusal.ts";

// Names that peers must spell exactly. A reader that ignores case would take a variant for the member itself, and act on what nobody judged.

const ENVELOPE: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params", "result", "error"]);

/** Methods whose params we know; others may name their members as they like. */
const METHODS: ReadonlySet<string> = new Set([
  ...["initialize", "server/discover", "ping", "tools/list", "tools/call", "prompts/list", "prompts/get", "completion/complete"],
  ...["resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"],
  ...["subscriptions/listen", "sampling/createMessage", "elicitation/create", "roots/list", "tasks/get", "tasks/result", "tasks/list", "tasks/cancel"],
  ...["interceptors/list", "interceptor/list", "interceptor/invoke", "interceptors/invoke"],
]);

/** Every member of their params. */
const PARAMS: ReadonlySet<string> = new Set([
  ...["_meta", "name", "arguments", "uri", "cursor", "ref", "argument", "context", "level", "task", "taskId", "notifications"],
  ...["requestState", "inputResponses", "protocolVersion", "capabilities", "clientInfo", "messages", "modelPreferences", "systemPrompt"],
  ...["includeContext", "temperature", "maxTokens", "stopSequences", "metadata", "tools", "toolChoice", "mode", "message", "requestedSchema"],
  ...["url", "elicitationId", "event", "phase", "payload", "config", "timeoutMs"],
]);
const FOLDED_PARAMS: ReadonlySet<string> = new Set([...PARAMS].map(foldCase));

/** The first member of a message that JSON-RPC does not have; what it holds would pass unread. */
export function strangeMember(message: object): string | undefined {
  for (const name of Object.keys(message)) if (!ENVELOPE.has(name)) return name;
  return undefined;
}

/** The first member of a method's params that differs from one that we know in case alone. */
export function misspeltParam(method: string, params: object): string | undefined {
  if (!METHODS.has(method)) return undefined;
  for (const name of Object.keys(params)) if (!PARAMS.has(name) && FOLDED_PARAMS.has(foldCase(name))) return name;
  return undefined;
}
