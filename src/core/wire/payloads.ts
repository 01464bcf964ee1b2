import type * as Mcp from "./gen/mcp.ts";

interface Exchange<Params, Result> {
  request: Params;
  response: Result;
}

/** A notification has no response phase. */
interface Signal<Params> {
  request: Params;
  response: never;
}

/** For each method of MCP, what interceptors see: the params of the message, and the result that completes a request. */
export interface McpPayloads {
  initialize: Exchange<Mcp.InitializeParams, Mcp.InitializeResult>;
  "server/discover": Exchange<Mcp.RequestParams, Mcp.DiscoverResult>;
  ping: Exchange<Mcp.RequestParams, Mcp.Result>;

  "tools/list": Exchange<Mcp.PaginatedParams, Mcp.ListToolsResult>;
  "tools/call": Exchange<Mcp.CallToolParams, Mcp.CallToolResult>;
  "prompts/list": Exchange<Mcp.PaginatedParams, Mcp.ListPromptsResult>;
  "prompts/get": Exchange<Mcp.GetPromptParams, Mcp.GetPromptResult>;
  "resources/list": Exchange<Mcp.PaginatedParams, Mcp.ListResourcesResult>;
  "resources/templates/list": Exchange<Mcp.PaginatedParams, Mcp.ListResourceTemplatesResult>;
  "resources/read": Exchange<Mcp.ReadResourceParams, Mcp.ReadResourceResult>;
  "resources/subscribe": Exchange<Mcp.SubscribeParams, Mcp.Result>;
  "resources/unsubscribe": Exchange<Mcp.SubscribeParams, Mcp.Result>;
  "subscriptions/listen": Exchange<Mcp.ListenParams, Mcp.ListenResult>;
  "completion/complete": Exchange<Mcp.CompleteParams, Mcp.CompleteResult>;
  "logging/setLevel": Exchange<Mcp.SetLevelParams, Mcp.Result>;

  "sampling/createMessage": Exchange<Mcp.CreateMessageParams, Mcp.CreateMessageResult>;
  "elicitation/create": Exchange<Mcp.ElicitParams, Mcp.ElicitResult>;
  "roots/list": Exchange<Mcp.RequestParams, Mcp.ListRootsResult>;

  "tasks/get": Exchange<Mcp.TaskParams, Mcp.TaskResult>;
  "tasks/result": Exchange<Mcp.TaskParams, Mcp.Result>;
  "tasks/cancel": Exchange<Mcp.TaskParams, Mcp.TaskResult>;
  "tasks/list": Exchange<Mcp.PaginatedParams, Mcp.ListTasksResult>;

  "notifications/initialized": Signal<Mcp.NotificationParams>;
  "notifications/cancelled": Signal<Mcp.CancelledParams>;
  "notifications/progress": Signal<Mcp.ProgressParams>;
  "notifications/message": Signal<Mcp.LogMessageParams>;
  "notifications/tools/list_changed": Signal<Mcp.NotificationParams>;
  "notifications/prompts/list_changed": Signal<Mcp.NotificationParams>;
  "notifications/resources/list_changed": Signal<Mcp.NotificationParams>;
  "notifications/resources/updated": Signal<Mcp.ResourceUpdatedParams>;
  "notifications/roots/list_changed": Signal<Mcp.NotificationParams>;
  "notifications/subscriptions/acknowledged": Signal<Mcp.SubscriptionAcknowledgedParams>;
  "notifications/elicitation/complete": Signal<Mcp.ElicitationCompleteParams>;
  "notifications/tasks/status": Signal<Mcp.TaskStatusParams>;
}
