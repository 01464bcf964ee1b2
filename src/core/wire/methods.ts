import type { Problem } from "./check.ts";
import {
  checkCallToolParams,
  checkCallToolResult,
  checkCancelledParams,
  checkCompleteParams,
  checkCompleteResult,
  checkCreateMessageParams,
  checkCreateMessageResult,
  checkDiscoverResult,
  checkElicitationCompleteParams,
  checkElicitParams,
  checkElicitResult,
  checkGetPromptParams,
  checkGetPromptResult,
  checkInitializeParams,
  checkInitializeResult,
  checkListenParams,
  checkListenResult,
  checkListPromptsResult,
  checkListResourcesResult,
  checkListResourceTemplatesResult,
  checkListRootsResult,
  checkListTasksResult,
  checkListToolsResult,
  checkLogMessageParams,
  checkNotificationParams,
  checkPaginatedParams,
  checkProgressParams,
  checkReadResourceParams,
  checkReadResourceResult,
  checkRequestParams,
  checkResourceUpdatedParams,
  checkResult,
  checkSetLevelParams,
  checkSubscribeParams,
  checkSubscriptionAcknowledgedParams,
  checkTaskParams,
  checkTaskResult,
  checkTaskStatusParams,
} from "./gen/mcp.ts";
import { compareVersions, type HandshakeVersion, type StatelessVersion } from "./versions.ts";

export type Check = (value: unknown) => Problem | undefined;

/** Revisions from one to another, both included; open where `until` is left out. */
export interface Span {
  readonly from: HandshakeVersion | StatelessVersion;
  readonly until?: HandshakeVersion | StatelessVersion;
}

/** What all methods have in common: in which revisions each side sends it as a message of its own, and what its params must be. */
interface Sent {
  readonly client?: Span;
  readonly server?: Span;
  /** Checks `params`, or `{}` where the message has none. */
  readonly params: Check;
}

export interface RequestMethod extends Sent {
  readonly kind: "request";
  /** Checks the result that completes the request. */
  readonly result: Check;
  /** Revisions in which it travels inside an `input_required` result, and its result inside the retry. */
  readonly embedded?: Span;
  /** Revisions in which its answer may be `input_required`. */
  readonly asksForInput?: Span;
  /** Revisions in which its answer may be a task (`CreateTaskResult`), if it was asked for. */
  readonly becomesTask?: Span;
}

export interface NotificationMethod extends Sent {
  readonly kind: "notification";
}

export type Method = RequestMethod | NotificationMethod;

const EVER: Span = { from: "2024-11-05" };
const HANDSHAKE: Span = { from: "2024-11-05", until: "2025-11-25" };
const STATELESS: Span = { from: "2026-07-28" };
const ELICITING: Span = { from: "2025-06-18", until: "2025-11-25" };
const TASKS: Span = { from: "2025-11-25", until: "2025-11-25" };

const page = { kind: "request", client: EVER, params: checkPaginatedParams } as const;
const subscription = { kind: "request", client: HANDSHAKE, params: checkSubscribeParams, result: checkResult } as const;
const task = { kind: "request", client: TASKS, server: TASKS, params: checkTaskParams } as const;
const signal = { kind: "notification", params: checkNotificationParams } as const;

const TABLE = {
  initialize: { kind: "request", client: HANDSHAKE, params: checkInitializeParams, result: checkInitializeResult },
  "server/discover": { kind: "request", client: STATELESS, params: checkRequestParams, result: checkDiscoverResult },
  ping: { kind: "request", client: HANDSHAKE, server: HANDSHAKE, params: checkRequestParams, result: checkResult },

  "tools/list": { ...page, result: checkListToolsResult },
  "tools/call": {
    kind: "request",
    client: EVER,
    params: checkCallToolParams,
    result: checkCallToolResult,
    asksForInput: STATELESS,
    becomesTask: TASKS,
  },
  "prompts/list": { ...page, result: checkListPromptsResult },
  "prompts/get": { kind: "request", client: EVER, params: checkGetPromptParams, result: checkGetPromptResult, asksForInput: STATELESS },
  "resources/list": { ...page, result: checkListResourcesResult },
  "resources/templates/list": { ...page, result: checkListResourceTemplatesResult },
  "resources/read": { kind: "request", client: EVER, params: checkReadResourceParams, result: checkReadResourceResult, asksForInput: STATELESS },
  "resources/subscribe": subscription,
  "resources/unsubscribe": subscription,
  "subscriptions/listen": { kind: "request", client: STATELESS, params: checkListenParams, result: checkListenResult },
  "completion/complete": { kind: "request", client: EVER, params: checkCompleteParams, result: checkCompleteResult },
  "logging/setLevel": { kind: "request", client: HANDSHAKE, params: checkSetLevelParams, result: checkResult },

  "sampling/createMessage": {
    kind: "request",
    server: HANDSHAKE,
    params: checkCreateMessageParams,
    result: checkCreateMessageResult,
    embedded: STATELESS,
    becomesTask: TASKS,
  },
  "elicitation/create": {
    kind: "request",
    server: ELICITING,
    params: checkElicitParams,
    result: checkElicitResult,
    embedded: STATELESS,
    becomesTask: TASKS,
  },
  "roots/list": { kind: "request", server: HANDSHAKE, params: checkRequestParams, result: checkListRootsResult, embedded: STATELESS },

  "tasks/get": { ...task, result: checkTaskResult },
  // The result of the request that the task stands for, which only the task's creator can name.
  "tasks/result": { ...task, result: checkResult },
  "tasks/cancel": { ...task, result: checkTaskResult },
  "tasks/list": { kind: "request", client: TASKS, server: TASKS, params: checkPaginatedParams, result: checkListTasksResult },

  "notifications/initialized": { ...signal, client: HANDSHAKE },
  "notifications/cancelled": { kind: "notification", client: EVER, server: EVER, params: checkCancelledParams },
  "notifications/progress": { kind: "notification", client: HANDSHAKE, server: EVER, params: checkProgressParams },
  "notifications/message": { kind: "notification", server: EVER, params: checkLogMessageParams },
  "notifications/tools/list_changed": { ...signal, server: EVER },
  "notifications/prompts/list_changed": { ...signal, server: EVER },
  "notifications/resources/list_changed": { ...signal, server: EVER },
  "notifications/resources/updated": { kind: "notification", server: EVER, params: checkResourceUpdatedParams },
  "notifications/roots/list_changed": { ...signal, client: HANDSHAKE },
  "notifications/subscriptions/acknowledged": { kind: "notification", server: STATELESS, params: checkSubscriptionAcknowledgedParams },
  "notifications/elicitation/complete": { kind: "notification", server: TASKS, params: checkElicitationCompleteParams },
  "notifications/tasks/status": { kind: "notification", client: TASKS, server: TASKS, params: checkTaskStatusParams },
} satisfies Record<string, Method>;

/** A method that MCP has or had. */
export type MethodName = keyof typeof TABLE;

/**
 * Every method of MCP over all revisions, by name: requests and notifications, who sends them and when, and the checks of their parts. The
 * interceptor methods of SEP-2624 are not among them.
 */
export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>(Object.entries(TABLE));

/** Whether a revision lies in a span. Without a span, or for what is no revision, it does not. */
export function covers(span: Span | undefined, version: string): boolean {
  if (span === undefined) return false;
  const fromStart = compareVersions(span.from, version);
  const toEnd = span.until === undefined ? 0 : compareVersions(version, span.until);
  return fromStart !== undefined && fromStart <= 0 && toEnd !== undefined && toEnd <= 0;
}
