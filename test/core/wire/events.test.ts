import assert from "node:assert/strict";
import { test } from "node:test";
import { EVENTS, isMcpEvent, needsDirection, type OpenPayload, type PayloadOf } from "../../../src/core/wire/events.ts";
import type { LlmCompletionRequest, LlmCompletionResponse } from "../../../src/core/wire/gen/completion.ts";
import type { CallToolParams, CallToolResult, ListRootsResult, ListToolsResult, LogMessageParams, PaginatedParams } from "../../../src/core/wire/gen/mcp.ts";

/** Compiles only where both types are the same. */
type Same<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
function holds<Claim extends true>(claim?: Claim): void {
  assert.equal(claim, undefined);
}

test("the payload's type follows from event and phase", () => {
  holds<Same<PayloadOf<"tools/call", "request">, CallToolParams>>();
  holds<Same<PayloadOf<"tools/call", "response">, CallToolResult>>();
  holds<Same<PayloadOf<"tools/list" | "tools/call", "request">, CallToolParams | PaginatedParams>>();
  holds<Same<PayloadOf<"tools/list", "response">, ListToolsResult>>();
  holds<Same<PayloadOf<"*", "request">, OpenPayload>>();
  holds<Same<PayloadOf<"tools/*", "response">, OpenPayload>>();
  holds<Same<PayloadOf<"roots/list", "response">, ListRootsResult>>();
  holds<Same<PayloadOf<"notifications/message", "request">, LogMessageParams>>();
  holds<Same<PayloadOf<"llm/completion", "request">, LlmCompletionRequest>>();
  holds<Same<PayloadOf<"llm/completion", "response">, LlmCompletionResponse>>();
  holds<Same<PayloadOf<"notifications/*" | "notifications/acme", "request">, OpenPayload>>();
  const payload: PayloadOf<"tools/call", "request"> = { name: "shell", _meta: { "com.example/x": 1 } };
  assert.equal(payload.name, "shell");
});

test("a custom event may carry any JSON, and its handler has to look", () => {
  holds<Same<PayloadOf<"acme/run", "request">, unknown>>();
  holds<Same<PayloadOf<"acme/*", "request">, unknown>>();
  holds<Same<PayloadOf<string, "request">, unknown>>();
  assert.equal(isMcpEvent("acme/run"), false);
  assert.equal(isMcpEvent("llm/completion"), false);
  assert.equal(isMcpEvent("resources/templates/list"), true);
});

test("events that go both ways need a direction", () => {
  const both = EVENTS.filter(needsDirection);
  assert.deepEqual(both, ["sampling/createMessage", "elicitation/create", "roots/list", "llm/completion"]);
  assert.equal(needsDirection("custom/operation"), true);
  assert.equal(needsDirection("completion/complete"), false);
});
