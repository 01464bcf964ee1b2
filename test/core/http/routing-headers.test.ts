import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { decodeHeaderValue, encodeHeaderValue } from "../../../src/core/wire/header-value.ts";
import { paramHeadersOf, type ParamHeader } from "../../../src/core/http/param-headers.ts";
import { checkParamHeaders, checkRoutingHeaders, routingHeaders } from "../../../src/core/http/routing-headers.ts";
import type { RequestMessage } from "../../../src/core/wire/message.ts";
import { META } from "../../../src/core/wire/versions.ts";
import { seededRandom } from "../../support/random.ts";

const VERSION = "2026-07-28";

function request(method: string, params: JsonObject = {}): RequestMessage {
  return { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: { [META.protocolVersion]: VERSION } } };
}

const call = (name: unknown, args?: JsonObject) => request("tools/call", args === undefined ? { name } : { name, arguments: args });

/** What is wrong with a message under its own headers, some of them replaced, or left out with `undefined`. */
function check(message: RequestMessage, changed: Record<string, string | undefined> = {}, params: readonly ParamHeader[] = []): string | undefined {
  const headers = new Map(routingHeaders(message, params));
  for (const [name, value] of Object.entries(changed)) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  const error = checkRoutingHeaders(headers, message) ?? checkParamHeaders(headers, message.params?.["arguments"], params);
  if (error !== undefined) assert.equal(error.code, -32020);
  return error?.message;
}

describe("header values", () => {
  const cases: [text: string, encoded: string][] = [
    ["us-west1", "us-west1"],
    ["inner space", "inner space"],
    ["", ""],
    ["café", "=?base64?Y2Fmw6k=?="],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["a\r\nX-Evil: 1", "=?base64?YQ0KWC1FdmlsOiAx?="],
    ["a\tb", "=?base64?YQli?="],
    ["\u007f", "=?base64?fw==?="],
    ["=?base64?abc?=", "=?base64?PT9iYXNlNjQ/YWJjPz0=?="],
    ["=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="],
    ["=?BASE64?abc?=", "=?BASE64?abc?="],
    ["=?base64?abc", "=?base64?abc"],
  ];
  for (const [text, encoded] of cases) {
    it(`carries ${JSON.stringify(text)} as ${encoded}`, () => {
      assert.equal(encodeHeaderValue(text), encoded);
      assert.equal(decodeHeaderValue(encoded), text);
    });
  }

  it("refuses Base64 and UTF-8 that no encoder writes, and characters that a header may not have", () => {
    for (const bad of ["=?base64?abc?=", "=?base64?YQ=?=", "=?base64?Y Q=?=", "=?base64?YR==?=", "=?base64?gA==?=", "=?base64?=", "a\u0000", "a\nb", "é"]) {
      assert.equal(decodeHeaderValue(bad), undefined, JSON.stringify(bad));
    }
  });

  it("takes white space around a value for no part of it", () => {
    assert.equal(decodeHeaderValue(" \tfoo "), "foo");
  });

  it("comes back from any well-formed text", () => {
    const random = seededRandom(7);
    const pieces = ["a", " ", "é", "😀", "\u0000", "=?base64?", "?=", "\t", "~", "\r\n", ":", "/"];
    for (let round = 0; round < 500; round++) {
      const text = Array.from({ length: random.below(6) }, () => random.pick(pieces)).join("");
      const encoded = encodeHeaderValue(text);
      assert.match(encoded, /^(?:[!-~](?:[ -~]*[!-~])?)?$/, `seed 7, ${JSON.stringify(text)}`);
      assert.equal(decodeHeaderValue(encoded), text, "seed 7");
    }
  });
});

describe("routing headers", () => {
  it("repeat the method, the version, and the name or uri of the three methods that have one", () => {
    const names = (message: RequestMessage) => Object.fromEntries(routingHeaders(message));
    assert.deepEqual(names(request("tools/list")), { "mcp-method": "tools/list", "mcp-protocol-version": VERSION });
    assert.equal(names(call("café"))["mcp-name"], "=?base64?Y2Fmw6k=?=");
    assert.equal(names(request("prompts/get", { name: "p" }))["mcp-name"], "p");
    assert.equal(names(request("resources/read", { uri: "file:///a", name: "no" }))["mcp-name"], "file:///a");
    assert.equal(names(request("tasks/get", { taskId: "t" }))["mcp-name"], "t");
    assert.equal(names(request("resources/subscribe", { uri: "file:///a" }))["mcp-name"], undefined);
  });

  it("pass where they fit the body, for any name", () => {
    for (const name of ["safe", "café", " edge ", "a\r\nb", "=?base64?abc?=", "constructor"]) assert.equal(check(call(name)), undefined, name);
    assert.equal(check(call("safe"), { "mcp-name": " safe\t" }), undefined);
    assert.equal(check(call("safe"), { "mcp-name": "=?base64?c2FmZQ==?=" }), undefined);
  });

  it("are refused where they disagree with the body, or are missing", () => {
    assert.match(check(call("danger"), { "mcp-name": "safe" }) ?? "", /Mcp-Name is "safe", the body says "danger"/);
    assert.match(check(call("danger"), { "mcp-name": undefined }) ?? "", /Mcp-Name is missing/);
    assert.match(check(call("danger"), { "mcp-name": "=?base64?abc?=" }) ?? "", /badly encoded/);
    assert.match(check(call("danger"), { "mcp-name": "dangér" }) ?? "", /badly encoded/);
    assert.match(check(call("=?base64?abc?="), { "mcp-name": "=?base64?abc?=" }) ?? "", /badly encoded/);
    assert.match(check(call("x"), { "mcp-method": undefined }) ?? "", /Mcp-Method is missing/);
    assert.match(check(call("x"), { "mcp-method": "TOOLS/CALL" }) ?? "", /Mcp-Method is "TOOLS\/CALL"/);
    assert.match(check(call("x"), { "mcp-protocol-version": "2025-11-25" }) ?? "", /MCP-Protocol-Version is "2025-11-25"/);
    assert.match(check(call("x"), { "mcp-protocol-version": undefined }) ?? "", /MCP-Protocol-Version is missing/);
  });

  it("are not asked of a notification, but must fit one", () => {
    const message = { jsonrpc: "2.0", method: "notifications/x" } as const;
    assert.equal(checkRoutingHeaders(new Map(), message), undefined);
    assert.equal(checkRoutingHeaders(new Map([["mcp-method", "notifications/y"]]), message)?.code, -32020);
  });

  it("leave what the body itself lacks to whoever judges bodies", () => {
    assert.equal(check(request("tools/call", {}), {}), undefined);
    assert.equal(checkRoutingHeaders(new Map([["mcp-method", "x"], ["mcp-protocol-version", VERSION]]), { jsonrpc: "2.0", id: 1, method: "x" }), undefined);
  });
});

describe("mirrored parameters", () => {
  const params: ParamHeader[] = [
    { name: "Region", path: ["region"] },
    { name: "Size", path: ["size"] },
    { name: "Dry", path: ["options", "dry"] },
  ];
  const args = { region: "世界", size: 42, options: { dry: false } };

  it("are written from the arguments, and left out where there is no value or null", () => {
    const written = Object.fromEntries(routingHeaders(call("t", args), params));
    assert.equal(written["mcp-param-region"], "=?base64?5LiW55WM?=");
    assert.equal(written["mcp-param-size"], "42");
    assert.equal(written["mcp-param-dry"], "false");
    const few = routingHeaders(call("t", { region: null, size: 2 ** 60, options: [] }), params).filter(([name]) => name.startsWith("mcp-param"));
    assert.deepEqual(few, []);
    assert.deepEqual(routingHeaders(call("t", { constructor: 1 }), [{ name: "X", path: ["toString"] }]).length, 3);
  });

  it("must be there, decode, and say what the arguments say; numbers are compared as numbers", () => {
    assert.equal(check(call("t", args), {}, params), undefined);
    assert.equal(check(call("t", args), { "mcp-param-size": "42.0" }, params), undefined);
    assert.match(check(call("t", args), { "mcp-param-size": "43" }, params) ?? "", /differs/);
    for (const other of ["0x2a", "042", "42.", "+42", "42e", ".42e2"]) assert.match(check(call("t", args), { "mcp-param-size": other }, params) ?? "", /differs/, other);
    assert.match(check(call("t", args), { "mcp-param-region": undefined }, params) ?? "", /Mcp-Param-Region is missing/);
    assert.match(check(call("t", args), { "mcp-param-region": "=?base64?5LiW55W?=" }, params) ?? "", /badly encoded/);
    assert.match(check(call("t", args), { "mcp-param-dry": "False" }, params) ?? "", /differs/);
    assert.match(check(call("t", {}), { "mcp-param-region": "eu" }, params) ?? "", /no such value/);
    assert.match(check(call("t", { size: 2 ** 60 }), {}, params) ?? "", /missing/);
    assert.equal(check(call("t", args), { "mcp-param-unknown": "passes" }, params), undefined);
  });
});

describe("x-mcp-header", () => {
  const of = (properties: JsonObject, more: JsonObject = {}) => paramHeadersOf({ type: "object", properties, ...more });
  const mark = (name: unknown, type: unknown = "string") => ({ type, "x-mcp-header": name });

  it("is read from parameters that properties alone lead to", () => {
    const { headers } = of({ a: mark("A"), b: { type: "object", properties: { c: mark("C", "integer"), d: mark("D", ["boolean", "null"]) } } });
    assert.deepEqual(headers, [{ name: "A", path: ["a"] }, { name: "C", path: ["b", "c"] }, { name: "D", path: ["b", "d"] }]);
  });

  it("means nothing where it is data or the name of a parameter", () => {
    const { headers } = of({ "x-mcp-header": { type: "string", default: { "x-mcp-header": 1 } }, e: { enum: [{ "x-mcp-header": "" }] } });
    assert.deepEqual(headers, []);
    assert.deepEqual(paramHeadersOf(undefined), { headers: [] });
  });

  const refused: [name: string, properties: JsonObject, more?: JsonObject][] = [
    ["empty", { a: mark("") }],
    ["no text", { a: mark(1) }],
    ["no token: space", { a: mark("My Region") }],
    ["no token: colon", { a: mark("Region:Primary") }],
    ["no token: non-ASCII", { a: mark("Région") }],
    ["no token: line break", { a: mark("A\r\nB") }],
    ["on an object", { a: mark("A", "object") }],
    ["on a list", { a: mark("A", "array") }],
    ["on null", { a: mark("A", "null") }],
    ["on a number", { a: mark("A", "number") }],
    ["on two types", { a: mark("A", ["string", "integer"]) }],
    ["without a type", { a: { "x-mcp-header": "A" } }],
    ["there twice", { a: mark("A"), b: mark("A") }],
    ["there twice but for case", { a: mark("Region"), b: mark("REGION") }],
    ["under items", { a: { type: "array", items: mark("A") } }],
    ["under prefixItems", { a: { type: "array", prefixItems: [mark("A")] } }],
    ["under oneOf", { a: { oneOf: [mark("A")] } }],
    ["under properties of a composition", {}, { allOf: [{ properties: { a: mark("A") } }] }],
    ["under a condition", {}, { if: { properties: { a: mark("A") } } }],
    ["in a definition", {}, { $defs: { a: mark("A") } }],
    ["under patternProperties", {}, { patternProperties: { "^a": mark("A") } }],
    ["at the root", {}, { "x-mcp-header": "A" }],
  ];
  for (const [name, properties, more] of refused) {
    it(`makes a tool invalid where it is ${name}`, () => {
      assert.match(of(properties, more).refused ?? "", /x-mcp-header/);
    });
  }
});
