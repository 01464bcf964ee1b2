import assert from "node:assert/strict";
import { test } from "node:test";
import type { Interceptor } from "../../src/core/interceptor/define.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { filterList, toolFilter, type ToolFilterConfig } from "../../src/library/tool-filter.ts";
import { decided } from "./invoke.ts";
import { verdictOf } from "./verdict-of.ts";

function call(interceptor: Interceptor, name: unknown, config: JsonObject = {}): unknown {
  return decided(interceptor, { event: "tools/call", phase: "request", payload: { name }, config }).valid;
}

function listed(interceptor: Interceptor, tools: unknown, config: JsonObject = {}): unknown {
  const payload = { tools, nextCursor: "c", _meta: { a: 1 } };
  const result = decided(interceptor, { event: "tools/list", phase: "response", payload, config });
  return result.modified === false ? "unchanged" : result.payload;
}

test("lets through what is allowed and not denied", () => {
  const cases: readonly [config: object, name: string, passes: boolean][] = [
    [{}, "anything", true],
    [{ allow: ["a", "read_*"] }, "a", true],
    [{ allow: ["a", "read_*"] }, "read_file", true],
    [{ allow: ["a", "read_*"] }, "b", false],
    [{ allow: [] }, "a", false],
    [{ deny: ["a"] }, "a", false],
    [{ deny: ["a"] }, "b", true],
    [{ deny: [] }, "a", true],
    [{ allow: ["a"], deny: ["a"] }, "a", false],
    [{ allow: ["read_*"], deny: ["read_secret*"] }, "read_secrets", false],
    [{ allow: ["read_*"], deny: ["read_secret*"] }, "read_file", true],
    [{ deny: ["*"] }, "a", false],
    [{ allow: ["*"] }, "a", true],
    [{ allow: ["Read"] }, "read", false],
    [{ allow: ["a"] }, "constructor", false],
    [{ allow: ["a"] }, "__proto__", false],
    [{ allow: ["__proto__", "toString"] }, "__proto__", true],
    [{ deny: ["a"] }, "toString", true],
    [{ deny: ["constructor"] }, "constructor", false],
  ];
  for (const [config, name, passes] of cases) {
    const [validator, mutator] = toolFilter(config);
    assert.equal(call(validator, name), passes, `call ${name} with ${JSON.stringify(config)}`);
    const entry = { name, inputSchema: { type: "object" } };
    const expected = passes ? "unchanged" : { tools: [], nextCursor: "c", _meta: { a: 1 } };
    assert.deepEqual(listed(mutator, [entry]), expected, `list ${name} with ${JSON.stringify(config)}`);
  }
});

test("refuses a call as if there were no such tool", () => {
  const [validator] = toolFilter({ deny: ["rm"] });
  const result = decided(validator, { event: "tools/call", phase: "request", payload: { name: "rm" } });
  assert.deepEqual(result, { valid: false, severity: "error", messages: [{ path: "/name", message: "Unknown tool: rm", severity: "error" }] });
});

test("refuses a call whose name is no string, and one without a name", () => {
  const [validator] = toolFilter({});
  for (const name of [undefined, null, 5, {}, ["a"], true]) assert.equal(call(validator, name), false);
  for (const payload of [null, [], "a", {}]) {
    assert.equal(decided(validator, { event: "tools/call", phase: "request", payload }).valid, false);
  }
});

test("keeps the order and everything else of the tools that pass", () => {
  const [, mutator] = toolFilter({ deny: ["b"] });
  const [a, b, c] = ["a", "b", "c"].map((name) => ({ name, title: name, inputSchema: { type: "object" }, _meta: { [name]: 1 } }));
  assert.deepEqual(listed(mutator, [c, b, a]), { tools: [c, a], nextCursor: "c", _meta: { a: 1 } });
});

test("drops tools without a name that is a string", () => {
  const [, mutator] = toolFilter({});
  const good = { name: "a" };
  const inherited: unknown = JSON.parse('{"__proto__":{"name":"a"}}');
  assert.deepEqual(listed(mutator, [{}, { name: 5 }, null, "a", ["a"], { name: ["a"] }, inherited, good]), { tools: [good], nextCursor: "c", _meta: { a: 1 } });
});

test("fails on a list result without a list of tools", () => {
  const [, mutator] = toolFilter({});
  for (const payload of [{}, { tools: "a" }, null]) {
    assert.throws(() => decided(mutator, { event: "tools/list", phase: "response", payload }), { name: "RpcError", code: -32603 });
  }
  for (const result of [{}, { tools: null }, { tools: {} }, { tools: "a" }, null, [], "x"]) {
    assert.throws(() => filterList({}, "tools/list", result), { name: "LocalError", code: "invalid_message" }, JSON.stringify(result));
  }
});

test("overlays the config of the call, and fails on a wrong one", () => {
  const [validator, mutator] = toolFilter({ deny: ["a"] });
  assert.equal(call(validator, "b", { allow: ["c"] }), false);
  assert.equal(call(validator, "c", { allow: ["c", "a"] }), true);
  assert.equal(call(validator, "a", { allow: ["c", "a"] }), false);
  assert.equal(call(validator, "a", { deny: [] }), true);
  assert.equal(listed(mutator, [{ name: "a" }], { deny: [] }), "unchanged");
  assert.throws(() => call(validator, "a", { deny: "a" }), { name: "RpcError", code: -32603 });
});

test("refuses a wrong config with the name of the member", () => {
  const cases: readonly [config: unknown, message: RegExp][] = [
    ["a", /config of tool-filter: it must be an object/],
    [{ alow: ["a"] }, /alow is not known; known are allow, deny, prompts, resources, rules/],
    [{ allow: "a" }, /allow must be a list of strings/],
    [{ deny: ["a", 1] }, /deny\[1\] must be a string/],
    [{ deny: ["a*b"] }, /deny\[0\] must be a name, or a prefix with one \* after it/],
    [{ allow: ["x", "**"] }, /allow\[1\] must be a name/],
    [{ allow: [""] }, /allow\[0\] must be a name/],
    [{ prompts: [] }, /prompts must be an object/],
    [{ prompts: { allow: "a" } }, /tool-filter, prompts: allow must be a list/],
    [{ resources: { alow: [] } }, /tool-filter, resources: alow is not known/],
    [{ rules: {} }, /rules must be a list of rules/],
    [{ rules: [5] }, /rules\[0\] must be an object/],
    [{ rules: [{ allow: [] }] }, /rules\[0\] must say whom it is for/],
    [{ rules: [{ claims: {}, allow: [] }] }, /rules\[0\] must say whom it is for/],
    [{ rules: [{ id: ["a"] }, { type: "admin" }] }, /rules\[1\]: type must be one of "user"/],
    [{ rules: [{ claims: { a: null } }] }, /rules\[0\]: claims.a must be a text/],
  ];
  for (const [config, message] of cases) {
    // What comes off a command line need not have the type that it should.
    assert.throws(() => toolFilter(config as ToolFilterConfig), { name: "LocalError", code: "invalid_argument", message }, JSON.stringify(config));
  }
});

test("declares a validator of calls and a late mutator of lists under names of their own", () => {
  const [validator, mutator] = toolFilter();
  assert.equal(validator.descriptor.name, "tool-filter");
  assert.equal(validator.descriptor.type, "validation");
  assert.deepEqual(validator.descriptor.hooks, [{ events: ["tools/call"], phase: "request" }]);
  assert.equal(mutator.descriptor.name, "tool-filter-list");
  assert.equal(mutator.descriptor.type, "mutation");
  assert.deepEqual(mutator.descriptor.hooks, [{ events: ["tools/list"], phase: "response" }]);
  assert.equal(mutator.descriptor.priorityHint, 1000);
});

test("hooks prompts and resources where the config has something to say of them", () => {
  const hooked = (config: ToolFilterConfig) => toolFilter(config).map(({ descriptor }) => descriptor.hooks[0]?.events);
  assert.deepEqual(hooked({ prompts: { deny: ["x"] } }), [["tools/call", "prompts/get", "completion/complete"], ["tools/list", "prompts/list"]]);
  assert.deepEqual(hooked({ rules: [{ type: "user", resources: { allow: [] } }] }), [
    ["tools/call", "resources/read", "resources/subscribe", "resources/unsubscribe", "completion/complete"],
    ["tools/list", "resources/list", "resources/templates/list"],
  ]);
});

test("refuses the use of prompts and resources that are not allowed, and hides them", () => {
  const [use, list] = toolFilter({ prompts: { deny: ["secret*"] }, resources: { allow: ["file:///srv/*"] } });
  const judge = (event: string, payload: object) => verdictOf(use, { event, phase: "request", payload });
  assert.equal(judge("prompts/get", { name: "hello" }), "pass");
  assert.equal(judge("prompts/get", { name: "secrets" }), "/name: Unknown prompt: secrets");
  assert.equal(judge("resources/read", { uri: "file:///srv/a" }), "pass");
  assert.equal(judge("resources/subscribe", { uri: "file:///srv/../etc" }), "/uri: Resource not found: file:///srv/../etc");
  assert.match(judge("resources/unsubscribe", { uri: 5 }), /must be a string/);
  assert.equal(judge("completion/complete", { ref: { type: "ref/prompt", name: "hello" } }), "pass");
  assert.match(judge("completion/complete", { ref: { type: "ref/prompt", name: "secret" } }), /^\/ref\/name: Unknown prompt/);
  assert.equal(judge("completion/complete", { ref: { type: "ref/resource", uri: "file:///{path}" } }), "pass");
  assert.match(judge("completion/complete", { ref: { type: "ref/resource", uri: "db://{table}" } }), /^\/ref\/uri/);
  assert.match(judge("completion/complete", { ref: { type: "ref/else" } }), /^\/ref: /);
  assert.equal(judge("tools/call", { name: "anything" }), "pass");

  const names = (event: string, payload: object) => JSON.stringify(decided(list, { event, phase: "response", payload }).payload ?? payload);
  assert.equal(names("prompts/list", { prompts: [{ name: "a" }, { name: "secret" }, {}] }), '{"prompts":[{"name":"a"}]}');
  assert.equal(names("resources/list", { resources: [{ uri: "file:///srv/a", name: "a" }, { uri: "file:///etc/passwd", name: "b" }] }), '{"resources":[{"uri":"file:///srv/a","name":"a"}]}');
  assert.equal(names("resources/templates/list", { resourceTemplates: [{ uriTemplate: "file:///srv/{x}" }, { uriTemplate: "db://{x}" }] }), '{"resourceTemplates":[{"uriTemplate":"file:///srv/{x}"}]}');
  assert.throws(() => names("prompts/list", {}), { name: "RpcError", code: -32603 });
});

test("goes by the first rule that fits the caller, and by the lists beside it for other kinds and callers", () => {
  const [use, list] = toolFilter({
    deny: ["admin_*"],
    prompts: { deny: ["p"] },
    rules: [
      { claims: { groups: ["ops", "root"] }, allow: ["*"] },
      { type: "service", id: ["ci", "cd"], allow: ["build"] },
      { type: "anonymous", allow: [] },
    ],
  });
  const as = (principal: object | undefined, name: string, event = "tools/call") => verdictOf(use, { event, phase: "request", payload: { name }, context: { ...(principal && { principal: principal as never }) } }) === "pass";
  const ada = { type: "user", id: "ada", claims: { groups: ["dev", "ops"] } };
  assert.deepEqual([as(ada, "admin_x"), as(ada, "p", "prompts/get")], [true, false]);
  assert.deepEqual([as({ type: "user", id: "bob", claims: { groups: "dev" } }, "admin_x"), as({ type: "user", id: "bob" }, "x")], [false, true]);
  assert.deepEqual([as({ type: "service", id: "ci" }, "build"), as({ type: "service", id: "ci" }, "x"), as({ type: "service", id: "x" }, "x")], [true, false, true]);
  assert.deepEqual([as({ type: "user", id: "ci" }, "x"), as({ type: "service" }, "x")], [true, true]);
  assert.deepEqual([as(undefined, "x"), as({ type: "anonymous" }, "x")], [false, false]);
  const payload = { tools: [{ name: "admin_x" }] };
  assert.equal(decided(list, { event: "tools/list", phase: "response", payload, context: { principal: ada as never } }).modified, false);
  assert.deepEqual(decided(list, { event: "tools/list", phase: "response", payload, context: { principal: { type: "user" } } }).payload, { tools: [] });
});
