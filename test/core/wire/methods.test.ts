import assert from "node:assert/strict";
import { test } from "node:test";
import { EVENTS, MCP_REQUESTS } from "../../../src/core/wire/events.ts";
import * as mcp from "../../../src/core/wire/gen/mcp.ts";
import { covers, METHODS, type MethodName, type Span } from "../../../src/core/wire/methods.ts";
import { PROTOCOL_VERSIONS } from "../../../src/core/wire/versions.ts";

const methods = [...METHODS];
const spansOf = (name: string): [string, Span][] =>
  Object.entries(METHODS.get(name)!).filter((entry): entry is [string, Span] => typeof entry[1] === "object");

test("every check of the table is a generated one", () => {
  const generated = new Set<unknown>(Object.values(mcp));
  for (const [name, method] of methods) {
    assert.ok(generated.has(method.params), `params of ${name}`);
    if (method.kind === "request") assert.ok(generated.has(method.result), `result of ${name}`);
    else assert.ok(!("result" in method), name);
  }
});

test("the kind of a method follows from its name", () => {
  for (const [name, { kind }] of methods) assert.equal(kind, name.startsWith("notifications/") ? "notification" : "request", name);
});

test("every method is sent by somebody, or travels inside results", () => {
  for (const [name, { client, server }] of methods) assert.ok(client !== undefined || server !== undefined, name);
});

test("every span begins and ends with revisions that we speak, in that order", () => {
  for (const [name] of methods) {
    for (const [where, span] of spansOf(name)) {
      assert.ok(PROTOCOL_VERSIONS.includes(span.from), `${name} ${where}`);
      if (span.until === undefined) continue;
      assert.ok(PROTOCOL_VERSIONS.includes(span.until), `${name} ${where}`);
      assert.ok(span.from <= span.until, `${name} ${where}`);
    }
  }
});

test("the requests of the table are those that have a list of their own, in its order", () => {
  assert.deepEqual(MCP_REQUESTS, methods.filter(([, { kind }]) => kind === "request").map(([name]) => name));
});

test("every event of SEP-2624 that is a method of MCP is in the table", () => {
  assert.deepEqual(EVENTS.filter((event) => !METHODS.has(event)), ["llm/completion"]);
});

test("no server sends a request of its own in a stateless revision", () => {
  for (const [name, method] of methods) {
    if (method.kind === "request") assert.equal(covers(method.server, "2026-07-28"), false, name);
  }
});

test("what a server asks for within a result is what it once asked for by itself", () => {
  for (const [name, method] of methods) {
    if (method.kind !== "request" || method.embedded === undefined) continue;
    assert.ok(covers(method.server, "2025-11-25") && !covers(method.embedded, "2025-11-25"), name);
  }
});

test("names of the prototype are no methods", () => {
  for (const name of ["constructor", "__proto__", "toString"]) assert.equal(METHODS.get(name), undefined);
});

test("the names are known to the type checker", () => {
  const name: MethodName = "tools/call";
  // @ts-expect-error: no such method
  const none: MethodName = "tools/cal";
  assert.ok(METHODS.has(name) && !METHODS.has(none));
});

test("a span covers its ends and what lies between them", () => {
  const span: Span = { from: "2025-03-26", until: "2025-06-18" };
  const covered = (version: string) => covers(span, version);
  assert.deepEqual(["2024-11-05", "2025-03-26", "2025-04-01", "2025-06-18", "2025-11-25", "later"].map(covered), [
    false,
    true,
    true,
    true,
    false,
    false,
  ]);
});

test("an open span covers all that follows, and no span covers nothing", () => {
  assert.equal(covers({ from: "2025-11-25" }, "2099-01-01"), true);
  assert.equal(covers({ from: "2025-11-25" }, "2025-06-18"), false);
  assert.equal(covers({ from: "2025-11-25" }, "2025-13-40"), false);
  assert.equal(covers(undefined, "2025-11-25"), false);
});
