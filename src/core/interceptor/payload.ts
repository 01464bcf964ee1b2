import type { JsonObject } from "../base/json.ts";
import type { Phase } from "../wire/gen/interceptors.ts";
import type { ErrorObject } from "../wire/message.ts";
import type { McpPayloads } from "../wire/payloads.ts";
import type { KnownEvent } from "./event.ts";

/** Params or result of an MCP method whose members we do not spell out. */
export interface OpenPayload {
  _meta?: JsonObject;
  [member: string]: unknown;
}

/**
 * The payload of an event in a phase: `params` of the request, `result` of the response. Patterns over one namespace of MCP
 * give an open object; `*` and custom events may carry any JSON.
 */
export type PayloadOf<E extends string, P extends Phase> = E extends keyof McpPayloads
  ? McpPayloads[E][P]
  : E extends KnownEvent | "tools/*" | "prompts/*" | "resources/*" | "sampling/*" | "elicitation/*" | "roots/*"
    ? OpenPayload
    : unknown;

/** What an interceptor with `handlesErrors` gets in the response phase where the answer is an error. */
export interface ErrorPayload {
  error: ErrorObject;
}
