import assert from "node:assert/strict";
import { test } from "node:test";
import { readyMade } from "../../src/library/catalog.ts";

test("makes every entry with its defaults, each interceptor under a name of its own", () => {
  const names = [...readyMade.values()].flatMap((entry) => entry.create().map(({ descriptor }) => descriptor.name));
  assert.deepEqual(names, ["redact", "secret-guard", "secret-guard-masks", "tool-filter", "tool-filter-list"]);
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
    replacement: ["x", "{type}", "'", "a=b", "", "1", "@", "a+b", { ip: "x" }, { ip: "1" }, { ip: null }, { mail: "x" }, [], 5, null],
    numbers: ["mask", "keep", "zero", true, null],
    allow: [[], ["a"], ["a*"], ["*"], ["a*b"], ["**"], [""], "a", [5], null, {}],
    deny: [[], ["a"], ["a\n*"], ["\n**"], ["a*b"], [null], "a"],
    action: ["mask", "block", "ask", null],
    kinds: [[], ["jwt"], ["known"], "jwt", [5]],
    known: [[], ["s3cret"], ["abc"], ["\u{1f511}\u{1f511}\u{1f511}"], [5], "s3cret"],
    refuse: [[], ["***"], [""], "***", [null]],
    maxTextChars: [1, 5_000_000, 0, 1.5, -1, "5", null],
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
