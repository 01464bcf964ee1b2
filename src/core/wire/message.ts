import type { ErrorMessage, NotificationMessage, RequestMessage, ResultMessage } from "./gen/json-rpc.ts";

export type { ErrorMessage, ErrorObject, NotificationMessage, RequestId, RequestMessage, ResultMessage } from "./gen/json-rpc.ts";

/** One JSON-RPC 2.0 message, never a batch. */
export type Message = RequestMessage | NotificationMessage | ResultMessage | ErrorMessage;

// Presence of a member decides, never its truthiness: `"id": 0` is a request (MCP basic/index, Messages).
export function isRequest(message: Message): message is RequestMessage {
  return "method" in message && "id" in message;
}
export function isNotification(message: Message): message is NotificationMessage {
  return "method" in message && !("id" in message);
}
export function isResult(message: Message): message is ResultMessage {
  return "result" in message;
}
export function isErrorResponse(message: Message): message is ErrorMessage {
  return "error" in message;
}
