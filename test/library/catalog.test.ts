import assert from "node:assert/strict";
import { test } from "node:test";
import { readyMade } from "../../src/library/catalog.ts";

test("makes every entry with its defaults, each interceptor under a name of its own", () => {
  const names = [...readyMade.values()].flatMap((entry) => entry.create().map(({ descriptor }) => descriptor.name));
  assert.deepEqual(names, ["redact", "tool-filter", "tool-filter-list", "tool-pinning", "tool-pinning-list", "schema-guard", "text-hygiene", "text-hygiene-lists", "path-guard", "url-guard", "command-guard", "sampling-guard", "elicitation-guard", "roots-guard"]);
});

test("describes every entry in a line, and gives its interceptors the config schema that it shows", () => {
  for (const [name, entry] of readyMade) {
    assert.match(entry.summary, /^[^\n.]{10,140}$/, name);
    for (const { descriptor } of entry.create({})) assert.deepEqual(descriptor.configSchema, entry.configSchema, name);
  }
});

test("refuses a config that does not fit, with the name of the interceptor and the member", () => {
  for (const [name, entry] of readyMade) {
    const start = new RegExp(`^config of ${name}: `);
    for (const config of [null, 5, [], "{}", { nothing: 1 }, JSON.parse('{"__proto__":1}')]) {
      assert.throws(() => entry.create(config), { name: "LocalError", code: "invalid_argument", message: start }, `${name}: ${JSON.stringify(config)}`);
    }
  }
});

test("finds nothing under the names that objects inherit", () => {
  assert.equal(readyMade.get("constructor"), undefined);
});

test("takes the same configs in code as by its config schema", () => {
  const members: Record<string, unknown[]> = {
    types: [[], ["email"], ["mail"], "email", [5], null],
    replacement: ["x", "{type}", "", "1", "@", "a+b", { ip: "x" }, { ip: "1" }, { ip: null }, { mail: "x" }, [], 5, null],
    numbers: ["mask", "keep", "zero", true, null],
    allow: [[], ["a"], ["a*"], ["*"], ["a*b"], ["**"], [""], "a", [5], null, {}],
    deny: [[], ["a"], ["a\n*"], ["\n**"], ["a*b"], [null], "a"],
    schemes: [[], ["http"], ["HTTP"], ["http:"], "http", [5]],
    mentions: [false, "no"],
    public: [true, false, 1],
    arguments: [[], ["a", "b*"], ["a*b"], [""], "a", [5]],
    windows: [true, "yes"],
    byName: [false, 0],
    prompts: [{}, { allow: ["a"] }, { allow: ["a*b"] }, { alow: [] }, [], null],
    resources: [{}, { deny: ["file:///*"] }, { deny: "a" }, "a"],
    rules: [[], [{ type: "user" }], [{ id: ["a"], allow: [] }], [{ claims: { a: ["b", 1, true] } }], [{ claims: { a: null } }], [{ allow: ["a"] }], [{ type: "x" }], [{ arguments: ["a"], checks: [] }], [{ arguments: ["a"], checks: ["shell"], tools: ["x*"] }], [{ arguments: ["a"] }], [{ arguments: ["a"], checks: ["x"] }], [{ checks: [] }], [5], {}, null],
    lock: [{}, "{}", { a: `sha256:${"0".repeat(64)}` }, { s: { a: `sha256:${"f".repeat(64)}` } }, { a: "sha256:0" }, { s: { a: 5 } }, { a: null }, [], 5, null],
    changed: ["hold", "block", "pass", null],
    lookAlikes: ["block", "pass", "hold"],
    shadowing: ["block", "pass", true],
    server: ["", "a", 5],
    scope: ["session", "principal", "global", "all", null],
    maxTokens: [1, 0, 1.5, "5", null],
    perMinute: [0, 1_000, 1_001, -1],
    total: [0, 5, -1],
    models: [[], ["a*"], ["a*b"], "a"],
    systemPrompt: [true, "no"],
    includeContext: [[], ["none", "allServers"], ["some"], "none"],
    tools: [false, [], null],
    maxFields: [0, 5, -1],
    fields: [[], ["pin*"], "pin"],
    hosts: [[], ["example.com", "*.example.com"], ["a*"], "a"],
    answers: [true, 1],
    unknown: ["pass", "block", "warn", null],
    results: [true, "yes"],
    mode: ["strip", "block", "warn", null],
    characters: [[], ["ansi", "tags"], ["emoji"], "ansi"],
    names: ["block", "warn", "pass", "strip"],
    instructions: ["block", "warn", "pass", true],
    nothing: [1],
  };
  for (const [name, entry] of readyMade) {
    for (const [member, values] of Object.entries(members)) {
      for (const value of values) {
        const config = { [member]: value };
        const problems = entry.create()[0]?.checkConfig?.(config);
        const create = () => entry.create(config);
        const shown = `${name} with ${JSON.stringify(config)}`;
        if (problems?.length === 0) assert.doesNotThrow(create, shown);
        else assert.throws(create, { code: "invalid_argument" }, shown);
      }
    }
  }
});

test("answers for what tool-filter hides as a server does for what it does not have", () => {
  const answer = readyMade.get("tool-filter")?.answerAs?.["tool-filter"] ?? assert.fail();
  const told = (method: string, params: unknown) => answer({ method, params }).toJson();
  assert.deepEqual(told("tools/call", { name: "a" }), { code: -32602, message: "Unknown tool: a" });
  assert.deepEqual(told("prompts/get", { name: "a" }), { code: -32602, message: "Unknown prompt: a" });
  assert.deepEqual(told("resources/read", { uri: "a:b" }), { code: -32002, message: "Resource not found", data: { uri: "a:b" } });
  assert.deepEqual(told("completion/complete", {}), { code: -32602, message: "Unknown reference" });
  assert.deepEqual(told("tools/call", null), { code: -32602, message: "Unknown tool: (no name)" });
});

test("tells which claims the rules of tool-filter ask for", () => {
  const claims = readyMade.get("tool-filter")?.claims;
  assert.deepEqual(claims?.({ rules: [{ claims: { groups: "a", tier: 1 } }, { type: "user" }] }), ["groups", "tier"]);
  assert.deepEqual([undefined, null, { rules: 5 }, { rules: [null] }].map((config) => claims?.(config)), [[], [], [], []]);
});
