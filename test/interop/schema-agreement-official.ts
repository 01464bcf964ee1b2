// The official SDKs' own validators, asked about parts of messages.
import { parseJSONRPCMessage, specTypeSchemas } from "@modelcontextprotocol/client";
import * as sdk1 from "@modelcontextprotocol/sdk/types.js";
import type { CorpusPart } from "../support/message-corpus.ts";

/** Whether a part is valid; `undefined` where that SDK has no validator for it. */
export type Judge = (part: CorpusPart) => boolean | undefined;

// Both SDKs name their types alike: for each method that of its message, without `Request` or `Notification`, and that of its result.
const NAMES = new Map<string, { message: string; result?: string }>([
  ["initialize", { message: "Initialize", result: "InitializeResult" }],
  ["server/discover", { message: "Discover", result: "DiscoverResult" }],
  ["ping", { message: "Ping", result: "EmptyResult" }],
  ["tools/list", { message: "ListTools", result: "ListToolsResult" }],
  ["tools/call", { message: "CallTool", result: "CallToolResult" }],
  ["prompts/list", { message: "ListPrompts", result: "ListPromptsResult" }],
  ["prompts/get", { message: "GetPrompt", result: "GetPromptResult" }],
  ["resources/list", { message: "ListResources", result: "ListResourcesResult" }],
  ["resources/templates/list", { message: "ListResourceTemplates", result: "ListResourceTemplatesResult" }],
  ["resources/read", { message: "ReadResource", result: "ReadResourceResult" }],
  ["resources/subscribe", { message: "Subscribe", result: "EmptyResult" }],
  ["resources/unsubscribe", { message: "Unsubscribe", result: "EmptyResult" }],
  ["subscriptions/listen", { message: "SubscriptionsListen", result: "SubscriptionsListenResult" }],
  ["completion/complete", { message: "Complete", result: "CompleteResult" }],
  ["logging/setLevel", { message: "SetLevel", result: "EmptyResult" }],
  ["sampling/createMessage", { message: "CreateMessage", result: "CreateMessageResultWithTools" }],
  ["elicitation/create", { message: "Elicit", result: "ElicitResult" }],
  ["roots/list", { message: "ListRoots", result: "ListRootsResult" }],
  ["tasks/get", { message: "GetTask", result: "GetTaskResult" }],
  ["tasks/result", { message: "GetTaskPayload", result: "GetTaskPayloadResult" }],
  ["tasks/cancel", { message: "CancelTask", result: "CancelTaskResult" }],
  ["tasks/list", { message: "ListTasks", result: "ListTasksResult" }],
  ["notifications/initialized", { message: "Initialized" }],
  ["notifications/cancelled", { message: "Cancelled" }],
  ["notifications/progress", { message: "Progress" }],
  ["notifications/message", { message: "LoggingMessage" }],
  ["notifications/tools/list_changed", { message: "ToolListChanged" }],
  ["notifications/prompts/list_changed", { message: "PromptListChanged" }],
  ["notifications/resources/list_changed", { message: "ResourceListChanged" }],
  ["notifications/resources/updated", { message: "ResourceUpdated" }],
  ["notifications/roots/list_changed", { message: "RootsListChanged" }],
  ["notifications/subscriptions/acknowledged", { message: "SubscriptionsAcknowledged" }],
  ["notifications/elicitation/complete", { message: "ElicitationComplete" }],
  ["notifications/tasks/status", { message: "TaskStatus" }],
]);

/** The name of the official type of a part, and the value in the form which that type has: a message with its method, or a bare result. */
function typed(part: CorpusPart): { type: string; value: unknown } | undefined {
  if (part.kind === "message" || part.kind === "error") return undefined;
  // Neither SDK exports what it checks an `input_required` result with: 2.x has a guard that looks at `resultType` alone.
  if (part.kind === "result" && part.as === "input") return undefined;
  const names = NAMES.get(part.method);
  if (names === undefined) throw new TypeError(`${part.method} has no official name here`);
  if (part.kind === "result") {
    const type = part.as === "task" ? "CreateTaskResult" : names.result;
    return type === undefined ? undefined : { type, value: part.value };
  }
  const value = { method: part.method, ...(part.value === undefined ? {} : { params: part.value }) };
  return { type: names.message + (part.kind === "request" ? "Request" : "Notification"), value };
}

// Their modules by name, since the names come from a table. A name that is not there is a part that this SDK does not know.
type Validator = { safeParse(value: unknown): { success: boolean } };
const schemas1 = sdk1 as unknown as Readonly<Record<string, Validator | undefined>>;
type Standard = { readonly "~standard": { validate(value: unknown): object | Promise<object> } };
const schemas2 = specTypeSchemas as unknown as Readonly<Record<string, Standard | undefined>>;

/** `@modelcontextprotocol/sdk` 1.x: the zod schemas of its types module. */
export const judge1: Judge = (part) => {
  if (part.kind === "message") return sdk1.JSONRPCMessageSchema.safeParse(part.value).success;
  const asked = typed(part);
  if (asked === undefined) return undefined;
  return schemas1[`${asked.type}Schema`]?.safeParse(asked.value).success;
};

/** `@modelcontextprotocol/client` 2.x: its schemas of the specification's types, which cover both eras. */
export const judge2: Judge = (part) => {
  if (part.kind === "message") return succeeds(() => parseJSONRPCMessage(part.value));
  const asked = typed(part);
  if (asked === undefined) return undefined;
  const outcome = schemas2[asked.type]?.["~standard"].validate(asked.value);
  if (outcome instanceof Promise) throw new TypeError(`${asked.type} is checked asynchronously`);
  return outcome === undefined ? undefined : !("issues" in outcome) || outcome.issues === undefined;
};

function succeeds(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
