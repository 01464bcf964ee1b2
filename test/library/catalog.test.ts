import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { RpcError } from "../../src/core/base/errors.ts";
import { withoutRequired } from "../../src/core/interceptor/config-schema.ts";
import { readyMade } from "../../src/library/catalog.ts";

// What some cannot do without.
const NEEDED: Readonly<Record<string, object>> = {
  budget: { max: { requests: 5 } },
  approval: { url: "https://x.example/" },
  audit: { url: "https://x.example/" },
  webhook: { url: "https://x.example/" },
};

test("makes every entry with its defaults, or with what it cannot do without, each interceptor under a name of its own", () => {
  const names = [...readyMade].flatMap(([name, entry]) => entry.create(NEEDED[name]).map(({ descriptor }) => descriptor.name));
  assert.equal(new Set(names).size, names.length);
  for (const name of readyMade.keys()) assert.ok(names.includes(name), name);
  for (const name of Object.keys(NEEDED)) assert.throws(() => readyMade.get(name)?.create(), { code: "invalid_argument" }, name);
});

test("describes every entry in a line, and gives its interceptors the config schema that it shows, in which a call may leave out anything", () => {
  for (const [name, entry] of readyMade) {
    assert.match(entry.summary, /^[^\n.]{10,140}$/, name);
    for (const { descriptor } of entry.create(NEEDED[name])) assert.deepEqual(descriptor.configSchema, withoutRequired(entry.configSchema), name);
  }
});

test("has a section in the README for every entry", () => {
  const readme = readFileSync(new URL("../../src/library/README.md", import.meta.url), "utf8");
  for (const name of readyMade.keys()) {
    assert.ok(readme.includes(`| [\`${name}\`](#${name}) |`), `a row for ${name}`);
    assert.ok(readme.includes(`\n## ${name}\n`), `a section for ${name}`);
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
    replacement: ["x", "{type}", "'", "a=b", "", "1", "@", "a+b", { ip: "x" }, { ip: "1" }, { ip: null }, { mail: "x" }, [], 5, null],
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
    server: ["", "a", 5, "a", "", 5, null, "a", "", 5, null],
    kinds: [[], ["jwt"], ["known"], "jwt", [5]],
    known: [[], ["s3cret"], ["abc"], ["\u{1f511}\u{1f511}\u{1f511}"], [5], "s3cret"],
    refuse: [[], ["***"], [""], "***", [null]],
    tokens: [true, false, "yes", 1, null],
    fit: [true, false, "yes", null],
    maxTextChars: [1, 5_000_000, 0, 1.5, -1, "5", null],
    nothing: [1, 1],
    scope: ["session", "principal", "global", "all", null],
    maxTokens: [1, 0, 1.5, "5", null],
    perMinute: [0, 1_000, 1_001, -1, 1, 60, 0, 1.5, -1, 1e9, "5", null],
    total: [0, 5, -1],
    models: [[], ["a*"], ["a*b"], "a"],
    systemPrompt: [true, "no"],
    includeContext: [[], ["none", "allServers"], ["some"], "none"],
    tools: [false, [], null, [], ["a*"], ["*a"], "a", {}, { a: {} }, { a: { title: "x" } }, { a: { title: 5 } }, { a: { readOnlyHint: true, x: 1 } }, { "a*b": {} }, { "": {} }, null],
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
    events: [["tools/call"], ["*"], ["tools/*"], [], ["a*b"], ["**"], ["/*"], [""], "tools/call", [5], null],
    burst: [1, 0, null],
    each: ["all", "tool", "x", null],
    max: [{ requests: 0 }, { chars: 1, cost: 2 }, {}, { x: 1 }, { cost: -1 }, { cost: 0.5 }, [], 5, null],
    costs: [{}, { a: 1, "b*": 0 }, { "a*b": 1 }, { a: -1 }, { a: "1" }, [], null],
    windowMs: [1, 0, 1.5, null],
    maxBytes: [256, 255, 1e6, "x", null],
    maxTextBytes: [256, 1, null],
    maxItems: [1, 0, null],
    maxDepth: [1, 0, null],
    action: ["block", "truncate", "x", null, "block", "truncate", "mask", "x", null],
    sharedChars: [32, 31, 10_000, 10_001, null],
    url: ["https://x.example/", "http://localhost/", "http://x.example/", "http://localhost.x.example/", "http://127.0.0.1:80?x", "http://[::1]/a b", "ftp://x", "https://", "", 5, null],
    secret: ["sixteen letters or more", "short", 5, null],
    headers: [{}, { a: "b" }, { "a b": "c" }, { a: "b\n" }, { a: 5 }, [], null],
    blockAt: [40, 100, 0, 101, 1.5, null],
    warnAt: [1, 40, 0, null],
    maxChars: [1, 0, null],
    waitMs: [1, 0, 2_147_483_647, 2_147_483_648, null],
    reuseMs: [0, -1, null],
    key: ["sixteen letters or more", "short", null],
    request: [{}, { "com.example/a": 1 }, [], 5, null],
    type: ["validator", "mutator", "sink", null],
    phases: [["request"], ["response", "request"], [], ["both"], "request", null],
  };
  for (const [name, entry] of readyMade) {
    const check = entry.create(NEEDED[name])[0]?.checkConfig;
    const own = Object.keys(entry.configSchema["properties"] as object);
    for (const [member, values] of Object.entries(members)) {
      // Of members that it does not have, one will do.
      if (!own.includes(member) && member !== "nothing") continue;
      for (const value of values) {
        const config = { ...NEEDED[name], [member]: value };
        const problems = check?.(config);
        const create = () => entry.create(config);
        const shown = `${name} with ${JSON.stringify(config)}`;
        if (problems?.length === 0) assert.doesNotThrow(create, shown);
        else assert.throws(create, { code: "invalid_argument" }, shown);
      }
    }
  }
});

test("answers for what tool-filter hides as a server does for what it does not have", () => {
  const answer = readyMade.get("tool-filter")?.create()[0]?.answerAs ?? assert.fail();
  const error = new RpcError(-32602, "Interceptor validation failed");
  const told = (method: string, params: unknown) => answer({ method, params, interceptor: "tool-filter", error }).toJson();
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
