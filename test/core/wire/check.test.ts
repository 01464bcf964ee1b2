import assert from "node:assert/strict";
import { test } from "node:test";
import { describeProblem, problem, under, wrong, type Problem } from "../../../src/core/wire/check.ts";
import * as interceptors from "../../../src/core/wire/gen/interceptors.ts";
import * as jsonRpc from "../../../src/core/wire/gen/json-rpc.ts";
import * as mcp from "../../../src/core/wire/gen/mcp.ts";

type Check = (value: unknown) => Problem | undefined;

/** Value, then where and why it is refused; a value alone passes. */
type Row = readonly [value: unknown] | readonly [value: unknown, path: string, reason: string | RegExp];

function table(name: string, check: Check, rows: readonly Row[]): void {
  test(`${name} passes what is right, and says path and reason of what is not`, () => {
    for (const [value, path, reason] of rows) {
      const found = check(value);
      const shown = JSON.stringify(value);
      if (path === undefined) {
        assert.equal(found, undefined, shown);
        continue;
      }
      assert.notEqual(found, undefined, `${shown} passes`);
      assert.equal(found!.path, path, shown);
      if (typeof reason === "string") assert.equal(found!.reason, reason, shown);
      else assert.match(found!.reason, reason!, shown);
    }
  });
}

table("a request id", jsonRpc.checkRequestId, [
  ["a"], [""], [0], [-1], [2 ** 53 - 1],
  [2 ** 53, "", "must be a string or an integer within ±(2^53 - 1)"],
  [1.5, "", /string or an integer/], [null, "", /string or an integer/], [true, "", /string/], [NaN, "", /string/], [undefined, "", /string/],
]);

table("an error message", jsonRpc.checkErrorMessage, [
  [{ jsonrpc: "2.0", error: { code: 1, message: "m" } }],
  [{ jsonrpc: "2.0", id: null, error: { code: 1, message: "m", data: [] } }],
  [{ jsonrpc: "2.0", id: 1, error: null }, "/error", "must be an object"],
  [{ jsonrpc: "2.0", id: 1, error: { code: 1.5, message: "m" } }, "/error/code", "must be an integer"],
  [{ jsonrpc: "2.0", id: 1, error: { code: 1, message: "m" }, result: {} }, "", 'must not have the member "result"'],
  [{ jsonrpc: "1.0", error: { code: 1, message: "m" } }, "/jsonrpc", 'must be "2.0"'],
]);

table("a hook", interceptors.checkHook, [
  [{ events: ["tools/call"], phase: "request" }],
  [{ events: ["*"], phase: "response", more: 1 }],
  [{ events: [], phase: "request" }, "/events", "must be a list of at least 1"],
  [{ events: ["a", ""], phase: "request" }, "/events/1", "must be a string that is not empty"],
  [{ events: "a", phase: "request" }, "/events", "must be a list"],
  [{ events: ["a"], phase: "both" }, "/phase", 'must be one of "request", "response"'],
  [{ events: ["a"] }, "", 'must have the member "phase"'],
  [[], "", "must be an object"], [null, "", "must be an object"],
]);

table("a priority hint", interceptors.checkPriorityHint, [
  [0], [-(2 ** 31)], [2 ** 31 - 1], [{}], [{ request: -1, response: 1 }],
  [2 ** 31, "", "must be an integer from -2147483648 to 2147483647 or an object"],
  [{ request: 0.5 }, "/request", "must be an integer from -2147483648 to 2147483647"],
  ["1", "", /or an object/], [null, "", /or an object/], [[], "", /or an object/],
]);

const validation = { type: "validation", interceptor: "a", phase: "request", durationMs: 0.5, valid: true };
const mutation = { type: "mutation", interceptor: "a", phase: "request", durationMs: 1, modified: false };
table("an invoke result", interceptors.checkInvokeResult, [
  [validation], [{ ...validation, messages: [], more: {} }], [mutation], [{ ...mutation, modified: true, payload: null }],
  [{ ...mutation, modified: true }, "", 'must have the member "payload"'],
  [{ ...mutation, modified: true, payload: undefined }, "", 'must have the member "payload"'],
  [{ ...validation, type: "sink" }, "/type", 'must be one of "validation", "mutation"'],
  [{ ...validation, type: undefined }, "", 'must have the member "type"'],
  [{ ...validation, type: "mutation" }, "", 'must have the member "modified"'],
  [{ ...validation, valid: "no" }, "/valid", "must be a boolean"],
  [{ ...validation, messages: {} }, "/messages", "must be a list"],
  [{ ...validation, messages: [{ message: "m", severity: "fatal" }] }, "/messages/0/severity", 'must be one of "info", "warn", "error"'],
  [{ ...validation, durationMs: -1 }, "/durationMs", "must be a number of at least 0"],
  [{ ...validation, durationMs: Infinity }, "/durationMs", /number/],
]);

table("invoke params", interceptors.checkInvokeParams, [
  [{ name: "a", event: "tools/call", phase: "request" }],
  [{ name: "a", event: "e", phase: "response", payload: null, timeoutMs: 1, context: { principal: { type: "user" } } }],
  [{ name: "a", event: "e", phase: "request", timeoutMs: 0 }, "/timeoutMs", "must be an integer of at least 1"],
  [{ name: "a", event: "e", phase: "request", timeoutMs: 1.5 }, "/timeoutMs", /integer/],
  [{ name: "a", event: "e", phase: "request", config: [] }, "/config", "must be an object"],
  [{ name: "a", event: "e", phase: "request", context: { principal: { type: "root" } } }, "/context/principal/type", /"user"/],
  [{ name: {}, event: "e", phase: "request" }, "/name", "must be a string"],
]);

table("a content block", mcp.checkContentBlock, [
  [{ type: "text", text: "" }], [{ type: "audio", data: "", mimeType: "audio/wav" }], [{ type: "resource_link", uri: "u", name: "n" }],
  [{ type: "resource", resource: { uri: "u", text: "" } }], [{ type: "hologram", text: 5 }],
  [{ type: "text" }, "", 'must have the member "text"'],
  [{ type: "image", data: 1, mimeType: "m" }, "/data", "must be a string"],
  [{ type: "resource", resource: { uri: "u" } }, "/resource", 'must have the member "text" or "blob"'],
  [{ text: "a" }, "", 'must have the member "type"'], [{ type: 1 }, "/type", "must be a string"],
]);

table("a tool call", mcp.checkCallToolParams, [
  [{ name: "echo" }], [{ name: "constructor", arguments: { a: 1 }, _meta: { progressToken: "t" } }],
  [{ name: "x", arguments: 5 }, "/arguments", "must be an object"], [{ name: {} }, "/name", "must be a string"],
  [{ name: "x", _meta: null }, "/_meta", "must be an object"],
  [{ name: "x", _meta: { progressToken: 1.5 } }, "/_meta/progressToken", /string or an integer/],
  [{ name: "x", inputResponses: { "a/b": 1 } }, "/inputResponses/a~1b", "must be an object"],
  [{}, "", 'must have the member "name"'], [[], "", "must be an object"],
]);

table("a tool result", mcp.checkCallToolResult, [
  [{ content: [] }], [{ content: [{ type: "text", text: "a" }], structuredContent: 5, isError: true, resultType: "complete" }],
  [{ content: [{ type: "text", text: "a" }, { type: "text" }] }, "/content/1", 'must have the member "text"'],
  [{ content: [], isError: "no" }, "/isError", "must be a boolean"], [{ content: {} }, "/content", "must be a list"],
  [{}, "", 'must have the member "content"'],
]);

table("a list of tools", mcp.checkListToolsResult, [
  [{ tools: [{ name: "a", inputSchema: { type: "object" } }], ttlMs: 0, cacheScope: "private", nextCursor: "" }],
  [{ tools: [{ name: "a", inputSchema: {} }] }, "/tools/0/inputSchema", 'must have the member "type"'],
  [{ tools: [{ name: "a", inputSchema: { type: "array" } }] }, "/tools/0/inputSchema/type", 'must be "object"'],
  [{ tools: [{ name: "a", inputSchema: { type: "object" }, icons: [{ src: "s", theme: "pink" }] }] }, "/tools/0/icons/0/theme", /"light"/],
  [{ tools: [], cacheScope: "all" }, "/cacheScope", 'must be one of "public", "private"'],
  [{ tools: [], ttlMs: -1 }, "/ttlMs", "must be an integer of at least 0"],
]);

const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
table("params of the stateless revision", mcp.checkStatelessRequestParams, [
  [{ _meta: meta }], [{ _meta: { ...meta, "com.example/x": 1 } }],
  [{}, "", 'must have the member "_meta"'],
  [{ _meta: {} }, "/_meta", 'must have the member "io.modelcontextprotocol/protocolVersion"'],
  [{ _meta: { ...meta, "io.modelcontextprotocol/protocolVersion": 1 } }, "/_meta/io.modelcontextprotocol~1protocolVersion", "must be a string"],
  [{ _meta: { ...meta, "io.modelcontextprotocol/clientInfo": { name: "a" } } }, "/_meta/io.modelcontextprotocol~1clientInfo", /"version"/],
]);

table("an initialize result", mcp.checkInitializeResult, [
  [{ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "a", version: "1" } }],
  [
    { protocolVersion: "v", capabilities: { tools: { listChanged: 1 } }, serverInfo: { name: "a", version: "1" } },
    "/capabilities/tools/listChanged", "must be a boolean",
  ],
  [{ protocolVersion: "v", capabilities: {} }, "", 'must have the member "serverInfo"'],
]);

table("an input-required result", mcp.checkInputRequiredResult, [
  [{ resultType: "input_required", requestState: "s" }], [{ resultType: "input_required", inputRequests: { k: { method: "roots/list" } } }],
  [{ resultType: "input_required" }, "", 'must have the member "inputRequests" or "requestState"'],
  [{ resultType: "input_required", inputRequests: { k: {} } }, "/inputRequests/k", 'must have the member "method"'],
]);

test("members are read from the object itself, never from its prototype", () => {
  const inherited = Object.create({ name: "echo" }) as object;
  assert.equal(mcp.checkCallToolParams(inherited)?.reason, 'must have the member "name"');
  const parsed: unknown = JSON.parse('{"__proto__":{"name":"echo"}}');
  assert.equal(mcp.checkCallToolParams(parsed)?.reason, 'must have the member "name"');
});

test("members that a base type describes are checked as well", () => {
  assert.equal(mcp.checkCallToolResult({ content: [], resultType: 5 })?.path, "/resultType");
  assert.equal(mcp.checkResourcesCapability({ subscribe: true, listChanged: 0 })?.path, "/listChanged");
});

test("a problem reads as a sentence, and its path is a JSON pointer", () => {
  assert.equal(describeProblem(problem([], "must be a string"), "params"), "params must be a string");
  assert.equal(describeProblem(under("a/b", under(0, problem(["~"], "is odd"))), "params"), "params/a~1b/0/~0 is odd");
  assert.deepEqual(wrong(undefined, "a", "must be x"), { path: "", reason: 'must have the member "a"' });
});
