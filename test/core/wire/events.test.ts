import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { EVENTS, isEventPattern, listedEvents, type PayloadOf } from "../../../src/core/wire/events.ts";
import type { CallToolParams, CallToolResult, ListToolsResult, PaginatedParams } from "../../../src/core/wire/gen/mcp.ts";

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
  holds<Same<PayloadOf<"*", "request">, JsonObject>>();
  holds<Same<PayloadOf<"tools/*", "response">, JsonObject>>();
  holds<Same<PayloadOf<"acme/run", "request">, JsonObject>>();
  holds<Same<PayloadOf<string, "request">, JsonObject>>();
  const payload: PayloadOf<"tools/call", "request"> = { name: "shell", _meta: { "com.example/x": 1 } };
  assert.equal(payload.name, "shell");
});

test("an event pattern is an exact name, * or ns/*", () => {
  for (const pattern of ["*", "tools/call", "tools/*", "a/b/*", "ping", ...EVENTS]) assert.equal(isEventPattern(pattern), true, pattern);
  const others = ["", "/*", "**", "tools/c*", "*/call", "*/request", "tools/*/x", "*/*", 5, null];
  for (const odd of others) assert.equal(isEventPattern(odd), false, String(odd));
});

test("a namespace pattern is listed with the SEP's events under it, once each", () => {
  assert.deepEqual(listedEvents(["tools/*", "tools/call", "acme/*", "*"]), ["tools/*", "tools/list", "tools/call", "acme/*", "*"]);
  assert.deepEqual(listedEvents(["tool/*"]), ["tool/*"]);
});
