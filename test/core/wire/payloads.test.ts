import assert from "node:assert/strict";
import { test } from "node:test";
import type { Check, MethodName } from "../../../src/core/wire/methods.ts";
import { METHODS } from "../../../src/core/wire/methods.ts";
import type { CreateMessageParams, ElicitParams, LogMessageParams } from "../../../src/core/wire/gen/mcp.ts";
import type { McpPayloads } from "../../../src/core/wire/payloads.ts";

/** Compiles only where both types are the same. */
type Same<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
function holds<Claim extends true>(claim?: Claim): void {
  assert.equal(claim, undefined);
}

test("the payloads and the table of methods know the same names", () => {
  holds<Same<keyof McpPayloads, MethodName>>();
});

test("a payload has the type that the method's check stands for", () => {
  holds<Same<McpPayloads["sampling/createMessage"]["request"], CreateMessageParams>>();
  holds<Same<McpPayloads["notifications/message"]["request"], LogMessageParams>>();
  holds<Same<McpPayloads["notifications/message"]["response"], never>>();
});

test("without a mode, an elicitation is a form to the type checker too", () => {
  const describe = (params: ElicitParams) => (params.mode === "url" ? params.url : Object.keys(params.requestedSchema.properties).join());
  const form: ElicitParams = { message: "Who?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } };
  const page: ElicitParams = { mode: "url", message: "Go", url: "https://example.com" };
  assert.deepEqual([form, page].map(describe), ["name", "https://example.com"]);
  const check: Check = METHODS.get("elicitation/create")!.params;
  for (const params of [form, page]) assert.equal(check(params), undefined);
});
