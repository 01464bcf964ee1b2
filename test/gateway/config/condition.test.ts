import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConditionInput } from "../../../src/core/interceptor/policy.ts";
import { callerCheck, compileCondition, MAX_CONDITION_DEPTH, MAX_CONDITIONS } from "../../../src/gateway/config/condition.ts";
import { collectProblems, ConfigError } from "../../../src/gateway/config/problems.ts";
import { createToolHints } from "../../../src/gateway/config/tool-hints.ts";

const hints = createToolHints();
hints.learn({ tools: [{ name: "read", annotations: { readOnlyHint: true, title: "Read" } }, { name: "bare" }, { name: "odd", annotations: 7 }, 7, { name: 7 }] });

interface Sent {
  readonly event?: string;
  readonly phase?: "request" | "response";
  readonly payload?: unknown;
  readonly context?: ConditionInput["context"];
}

const call = (name: unknown, args?: unknown): Sent => ({ event: "tools/call", payload: { name, arguments: args } });
const answered = (name: unknown, args?: unknown): Sent => ({
  event: "tools/call",
  phase: "response",
  payload: { content: [] },
  context: { request: { method: "tools/call", params: { name, arguments: args } } },
});
const by = (claims: Record<string, unknown>): Sent => ({ context: { principal: { type: "user", id: "ann", claims } } });

function compiled(condition: unknown) {
  const problems = collectProblems("f", () => undefined);
  const result = compileCondition(condition, { problems, pointer: "/when" });
  problems.throwIfAny();
  return result;
}

/** True, false, or why it cannot be judged. */
function judge(condition: unknown, { event = "tools/list", phase = "request", payload = {}, context = {} }: Sent = {}): boolean | string {
  try {
    return compiled(condition).holds({ event, phase, payload, context, name: "x" }, hints);
  } catch (thrown) {
    assert.ok(thrown instanceof Error && !(thrown instanceof ConfigError), String(thrown));
    return thrown.message.replace("the condition cannot be judged: ", "");
  }
}

function complaint(condition: unknown, callerOnly = false): string {
  const problems = collectProblems("f", () => undefined);
  compileCondition(condition, { problems, pointer: "/when", callerOnly });
  try {
    problems.throwIfAny();
  } catch (thrown) {
    assert.ok(thrown instanceof ConfigError);
    return thrown.message;
  }
  return "";
}

describe("a condition", () => {
  it("asks for the method, the phase and the tool, in requests as in responses", () => {
    const table: readonly (readonly [condition: unknown, sent: Sent, expected: boolean | string])[] = [
      [{ method: "tools/*" }, {}, true],
      [{ method: ["ping", "resources/read"] }, {}, false],
      [{ method: "*" }, { event: "x" }, true],
      [{ phase: "request" }, {}, true],
      [{ phase: "response" }, {}, false],
      [{ tool: "delete_*" }, call("delete_all"), true],
      [{ tool: ["a", "b"] }, call("b"), true],
      [{ tool: "B" }, call("b"), false],
      [{ tool: "b" }, answered("b"), true],
      [{ tool: "b" }, { event: "prompts/get", payload: { name: "b" } }, false],
      [{ tool: "b" }, {}, false],
    ];
    for (const [condition, sent, expected] of table) assert.equal(judge(condition, sent), expected, JSON.stringify(condition));
  });

  it("asks for arguments, the payload, the caller and what a tool says of itself", () => {
    const table: readonly (readonly [condition: unknown, sent: Sent, expected: boolean | string])[] = [
      [{ argument: "/path", prefix: "/etc/" }, call("x", { path: "/etc/passwd" }), true],
      [{ argument: "/path", prefix: "/etc/" }, answered("x", { path: "/home" }), false],
      [{ argument: "/a/1/b", equals: { c: [1] } }, call("x", { a: [0, { b: { c: [1] } }] }), true],
      [{ argument: "/city", equals: "Rome" }, { event: "prompts/get", payload: { name: "p", arguments: { city: "Rome" } } }, true],
      [{ argument: "/city", exists: true }, { event: "x/y", payload: { arguments: { city: "Rome" } } }, false],
      [{ payload: "/uri", suffix: ".env" }, { event: "resources/read", payload: { uri: "file:///a/.env" } }, true],
      [{ claim: "role", in: ["admin", "ops"] }, by({ role: "ops" }), true],
      [{ claim: "https://example.com/groups", hasItem: "crm" }, by({ "https://example.com/groups": ["crm", "x"] }), true],
      [{ claim: "/realm/level", atLeast: 3 }, by({ realm: { level: 2 } }), false],
      [{ claim: "role", exists: false }, {}, true],
      [{ principal: "type", equals: "user" }, by({}), true],
      [{ principal: "id", equals: "bob" }, by({}), false],
      [{ annotation: "readOnlyHint", equals: true }, call("read"), true],
      [{ annotation: "title", contains: "ea" }, call("read"), true],
      [{ annotation: "destructiveHint", equals: true }, answered("bare"), true],
      [{ annotation: "openWorldHint", equals: true }, call("odd"), true],
      [{ annotation: "readOnlyHint", equals: true }, {}, false],
    ];
    for (const [condition, sent, expected] of table) assert.equal(judge(condition, sent), expected, JSON.stringify(condition));
  });

  it("holds where all its tests do; a value that is not there passes none but exists: false", () => {
    const tests = { equals: 1, in: [1], prefix: "a", suffix: "a", contains: "a", hasItem: "a", atLeast: 1, atMost: 1, exists: true };
    for (const [test, expected] of Object.entries(tests)) assert.equal(judge({ payload: "/none", [test]: expected }), false, test);
    assert.equal(judge({ payload: "/none", exists: false }), true);
    assert.equal(judge({ payload: "/n", atLeast: 1, atMost: 3 }, { payload: { n: 3 } }), true);
    assert.equal(judge({ payload: "/n", atLeast: 1, atMost: 3 }, { payload: { n: 4 } }), false);
    assert.equal(judge({ payload: "/n", exists: true }, { payload: { n: null } }), true);
  });

  it("cannot be judged where a value is of another kind than the test: nobody gets past by sending something else", () => {
    const table: readonly (readonly [condition: Record<string, unknown>, value: unknown, why: string])[] = [
      [{ prefix: "/etc" }, ["/etc/passwd"], "the value is no text"],
      [{ suffix: "x" }, 1, "the value is no text"],
      [{ atMost: 3 }, "2", "the value is no number"],
      [{ contains: "x" }, ["x"], "the value is no text"],
      [{ hasItem: "x" }, "x", "the value is no list"],
    ];
    for (const [test, value, why] of table) {
      const sent = { payload: { value } };
      assert.equal(judge({ payload: "/value", ...test }, sent), why);
      assert.equal(judge({ not: { payload: "/value", ...test } }, sent), why);
    }
    assert.equal(judge({ tool: "x" }, call(7)), "the name of the tool is no text");
    assert.equal(judge({ tool: "x" }, { event: "tools/call", phase: "response" }), "the request that is answered is not known");
    assert.equal(judge({ argument: "/a", exists: true }, { event: "tools/call", phase: "response", context: { request: { method: "tasks/result" } } }), "the request that is answered is not known");
    assert.equal(judge({ annotation: "readOnlyHint", equals: false }, call("never-listed")), "no list has had this tool yet, so its annotations are not known");
  });

  it("is decided by what decides, whatever the order: the parts that cannot be judged count only where they matter", () => {
    const yes = { phase: "request" };
    const no = { phase: "response" };
    const odd = { payload: "/n", prefix: "x" };
    const sent = { payload: { n: 1 } };
    const why = "the value is no text";
    const table: readonly (readonly [condition: unknown, expected: boolean | string])[] = [
      [{ all: [yes, yes] }, true],
      [{ all: [yes, no] }, false],
      [{ any: [no, yes] }, true],
      [{ any: [no, no] }, false],
      [{ not: no }, true],
      [{ all: [odd, no] }, false],
      [{ all: [no, odd] }, false],
      [{ all: [yes, odd] }, why],
      [{ any: [odd, yes] }, true],
      [{ any: [yes, odd] }, true],
      [{ any: [odd, no] }, why],
      [{ not: { not: odd } }, why],
    ];
    for (const [condition, expected] of table) assert.equal(judge(condition, sent), expected, JSON.stringify(condition));
  });

  it("reads own members alone, and cannot be made to judge by a value that looks like no answer", () => {
    assert.equal(judge({ payload: "/constructor", exists: true }), false);
    assert.equal(judge({ payload: "/__proto__", exists: true }), false);
    assert.equal(judge({ payload: "/a/length", exists: true }, { payload: { a: [1] } }), false);
    assert.equal(judge({ payload: "/a", equals: { why: "x" } }, { payload: { a: { why: "x" } } }), true);
    assert.equal(judge({ payload: "/__proto__/x", equals: 1 }, { payload: JSON.parse('{"__proto__":{"x":1}}') }), true);
    assert.equal(judge({ annotation: "toString", exists: true }, call("read")), false);
  });

  it("that is none is refused with the place and what to do", () => {
    const known = "all, any, not, method, phase, tool, argument, payload, claim, principal, annotation";
    const tests = "exists, equals, in, prefix, suffix, contains, hasItem, atLeast, atMost";
    const table: readonly (readonly [condition: unknown, expected: string])[] = [
      [7, `f: /when must be an object with one of ${known}`],
      [{}, `f: /when must say what it is about: one of ${known}`],
      [{ tol: "x" }, "f: /when/tol is no part of a condition; did you mean tool?"],
      [{ constructor: "x" }, `f: /when/constructor is no part of a condition; known are ${known}`],
      [{ tool: "x", phase: "request" }, 'f: /when is about tool and phase; put each into a condition of its own, and these into "all": [ … ]'],
      [{ claim: "role" }, `f: /when/claim needs a test beside it: one of ${tests}`],
      [{ tool: "x", equals: "x" }, "f: /when/equals tests a value, and tool is none; tests go with argument, payload, claim, principal, annotation"],
      [{ tool: "a*b" }, 'f: /when/tool must be the name of a tool or a list of some, such as "search" or "delete_*"'],
      [{ tool: [] }, 'f: /when/tool must be the name of a tool or a list of some, such as "search" or "delete_*"'],
      [{ method: "tools*" }, 'f: /when/method must be a method or a list of some, such as "tools/call", "tools/*" or "*"'],
      [{ phase: "both" }, 'f: /when/phase must be "request" or "response"'],
      [{ argument: "path", exists: true }, 'f: /when/argument must be a JSON pointer, such as "/path" or "/items/0/name"'],
      [{ principal: "name", exists: true }, 'f: /when/principal must be "type" or "id"; what a token says beyond that are claims'],
      [{ all: [{ any: [] }] }, "f: /when/all/0/any must be a list of conditions, with one at least"],
      [{ not: { all: [{ payload: "/x", prefix: 1 }] } }, "f: /when/not/all/0/prefix must be a text that is not empty"],
      [{ payload: "/x", atLeast: "1" }, "f: /when/atLeast must be a number"],
      [{ payload: "/x", exists: "yes" }, "f: /when/exists must be true or false"],
      [{ payload: "/x", in: "a" }, "f: /when/in must be a list of values"],
    ];
    for (const [condition, expected] of table) assert.equal(complaint(condition), expected);
  });

  it("is bounded in number and depth", () => {
    const nested = (depth: number): unknown => (depth === 1 ? { phase: "request" } : { not: nested(depth - 1) });
    assert.equal(complaint(nested(MAX_CONDITION_DEPTH)), "");
    assert.match(complaint(nested(MAX_CONDITION_DEPTH + 1)), /is nested deeper than 32$/);
    const many = (count: number) => ({ any: Array.from({ length: count }, () => ({ phase: "request" })) });
    assert.equal(complaint(many(MAX_CONDITIONS - 1)), "");
    assert.match(complaint(many(MAX_CONDITIONS + 500)), /^f: \/when\/any\/999 has more than 1000 conditions$/);
  });

  it("about callers alone refuses to look at messages, and refuses callers that it cannot judge", () => {
    assert.equal(complaint({ all: [{ tool: "x" }] }, true), "f: /when/all/0/tool says nothing about a caller; here only all, any, not, claim, principal do");
    const admits = callerCheck(compiled({ claim: "level", atLeast: 2 }));
    const caller = (level: unknown) => ({ type: "user", claims: { level } }) as const;
    assert.deepEqual([admits(caller(2)), admits(caller(1)), admits(caller("2")), admits(undefined)], [true, false, false, false]);
  });
});
