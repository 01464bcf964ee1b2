import assert from "node:assert/strict";
import { test } from "node:test";
import { withParamHeaders } from "../../../src/core/transport/sdk-param-headers.ts";
import type { Message } from "../../../src/core/wire/message.ts";

const call = (args: Record<string, unknown>, method = "tools/call"): Message => ({ jsonrpc: "2.0", id: 1, method, params: { name: "t", arguments: args } });
const headersFor = (headers: Record<string, string>, given: Message, sent: Message) => withParamHeaders({ headers, resumptionToken: "r" }, given, sent);

test("a header that mirrors an argument follows what became of it", () => {
  const given = call({ region: "eu", at: { depth: 3, on: true }, plain: "x" });
  const headers = { "Mcp-Param-Region": "eu", "mcp-param-depth": "3", "Mcp-Param-On": "true", "X-Other": "eu" };
  assert.deepEqual(headersFor(headers, given, call({ region: "世界", at: { depth: 4, on: true }, plain: "x" })), {
    headers: { "Mcp-Param-Region": "=?base64?5LiW55WM?=", "mcp-param-depth": "4", "Mcp-Param-On": "true", "X-Other": "eu" },
    resumptionToken: "r",
  });
});

test("a header whose argument is gone, or cannot be told from another, is left out", () => {
  const headers = { "Mcp-Param-Name": "ann" };
  for (const sent of [{}, { name: null }, { name: { first: "ann" } }, { name: ["ann"] }]) {
    assert.deepEqual(headersFor(headers, call({ name: "ann" }), call(sent)).headers, {});
  }
  assert.deepEqual(headersFor(headers, call({ name: "ann", friend: "ann" }), call({ name: "[name]", friend: "ann" })).headers, {});
  assert.deepEqual(headersFor(headers, call({ name: "ann", friend: "ann" }), call({ name: "bob", friend: "bob" })).headers, { "Mcp-Param-Name": "bob" });
});

test("options stay as they are where nothing of the arguments was changed", () => {
  const options = { headers: { "Mcp-Param-Name": "ann" } };
  assert.equal(withParamHeaders(options, call({ name: "ann" }), call({ name: "ann" })), options);
  assert.equal(withParamHeaders(options, call({ name: "ann" }, "acme/do"), call({ name: "bob" }, "acme/do")), options);
  assert.equal(withParamHeaders(options, undefined, call({ name: "bob" })), options);
  const bare = { relatedRequestId: 1 };
  assert.equal(withParamHeaders(bare, call({ name: "ann" }), call({ name: "bob" })), bare);
});
