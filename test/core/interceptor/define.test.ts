import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { interceptorList, mutator, validator, type Declaration } from "../../../src/core/interceptor/define.ts";
import { readExtras } from "../../../src/core/wire/descriptors.ts";

const hooks = [{ events: ["tools/call"], phase: "request" }] as const;

test("a descriptor leaves out what is at its default", () => {
  const made = mutator({ name: "m", hooks, mode: "active", failOpen: false, priorityHint: 0, handlesErrors: false }, ({ payload }) => payload);
  assert.deepEqual(made.descriptor, { name: "m", type: "mutation", hooks: [{ events: ["tools/call"], phase: "request" }] });
});

test("our own members go into _meta and are read back from there", () => {
  const { descriptor } = validator({ name: "v", hooks, handlesErrors: true, withRequest: true, timeoutMs: 50 }, () => true);
  assert.deepEqual(descriptor._meta, {
    "org.mcp-interceptors/handlesErrors": true,
    "org.mcp-interceptors/withRequest": true,
    "org.mcp-interceptors/timeoutMs": 50,
  });
  assert.deepEqual(readExtras(descriptor), { handlesErrors: true, withRequest: true, timeoutMs: 50 });
});

test("a validator's priority hint is ignored, whatever it is", () => {
  assert.equal("priorityHint" in validator({ name: "v", hooks, priorityHint: 1.5 }, () => true).descriptor, false);
});

test("an interceptor is frozen through and through, and keeps nothing of the declaration", () => {
  const declaration = { name: "v", hooks: [{ events: ["a/b"], phase: "request" as const }] };
  const made = validator(declaration, () => true);
  declaration.hooks[0]!.events.push("*");
  assert.deepEqual(made.descriptor.hooks, [{ events: ["a/b"], phase: "request" }]);
  assert.throws(() => made.descriptor.hooks[0]!.events.push("*"), TypeError);
  assert.throws(() => Object.assign(made, { handler: null }), TypeError);
});

test("a wrong declaration is refused with the interceptor and the member", () => {
  const table: [object, RegExp][] = [
    [{ name: "" }, /interceptor "": name must be/],
    [{ hooks: [] }, /"x": hooks must be a list of at least 1/],
    [{ hooks: [{ events: [], phase: "request" }] }, /hooks\[0\]\.events must/],
    [{ hooks: [{ events: ["a"], phase: "both" }] }, /hooks\[0\]\.phase must/],
    [{ hooks: [{ events: ["a*"], phase: "request" }] }, /hooks\[0\]\.events\[0\] must be an exact event/],
    [{ mode: "enforce" }, /mode must/],
    [{ failOpen: "yes" }, /failOpen must/],
    [{ priorityHint: 2 ** 31 }, /priorityHint must be an integer from -2147483648/],
    [{ priorityHint: { request: "1" } }, /priorityHint\.request must/],
    [{ timeoutMs: 0 }, /timeoutMs must be a whole number/],
    [{ timeoutMs: 2 ** 31 }, /timeoutMs must be a whole number/],
    [{ compat: "2025-06-18" }, /compat must/],
    [{ configSchema: [] }, /configSchema must be an object/],
    [{ configSchema: { type: "nonsense" } }, /"x": configSchema /],
    [{ answerAs: "Unknown tool" }, /answerAs must be a function/],
    [{ when: true }, /when must be a function/],
    [{ handlesErrors: "yes" }, /handlesErrors/],
    [{ prioityHint: 1 }, /prioityHint is no member of a declaration: did you mean priorityHint\?/],
  ];
  for (const [members, message] of table) {
    const declaration = { name: "x", hooks, ...members } as Declaration;
    assert.throws(() => mutator(declaration, ({ payload }) => payload), { code: "invalid_argument", message }, JSON.stringify(members));
  }
});

test("what is no declaration is refused in words", () => {
  for (const given of [undefined, null, "redact", 5]) assert.throws(() => validator(given as never, () => true), { code: "invalid_argument", message: /is declared by an object with a name and hooks/ });
});

test("the payload's type follows from event and phase", () => {
  // Compiles, or does not: the type checker is the judge of this test.
  const made = validator(
    { name: "v", hooks: [{ events: ["tools/call"], phase: "request" }, { events: ["custom/x"], phase: "response" }], handlesErrors: true },
    (input) => {
      if (input.event === "tools/call") return input.payload.name.length > 0;
      const anything: unknown = input.payload;
      return anything !== undefined;
    },
  );
  assert.equal(made.handlesErrors, true);
});

test("lists of interceptors may hold lists; what is none is refused, with its place and what to do", () => {
  const [one, two, three] = ["one", "two", "three"].map((name) => validator({ name, hooks }, () => true)) as [ReturnType<typeof validator>, ReturnType<typeof validator>, ReturnType<typeof validator>];
  assert.deepEqual(interceptorList(one), [one]);
  assert.deepEqual(interceptorList([one, [two, three], []]), [one, two, three]);
  const wrong: readonly [unknown, RegExp][] = [
    [[one, () => one], /interceptors\[1\] is a function: call it/],
    [[one, [two, "redact"]], /interceptors\[1\]\[1\] is the text "redact": import/],
    [[Promise.resolve(one)], /interceptors\[0\] is a promise: await it/],
    [[[[one]]], /interceptors\[0\]\[0\] is no interceptor/],
    [[{ descriptor: one.descriptor }], /interceptors\[0\] is no interceptor/],
    [() => [one], /the interceptors are a function/],
    [undefined, /the interceptors are no interceptor/],
  ];
  // What JavaScript lets through.
  for (const [given, message] of wrong) assert.throws(() => interceptorList(given as never), { code: "invalid_argument", message });
});

test("declarations that name the same configSchema have it compiled once, until somebody changes the object", () => {
  const configSchema = { type: "object", properties: { a: { type: "number" } } };
  const declare = () => validator({ name: "x", hooks: [{ events: ["tools/call"], phase: "request" }], configSchema }, () => true);
  const [first, second] = [declare(), declare()];
  assert.ok(first.checkConfig !== undefined && first.checkConfig === second.checkConfig);
  assert.equal(first.descriptor.configSchema, second.descriptor.configSchema);
  assert.ok(Object.isFrozen(first.descriptor.configSchema?.["properties"]) && !Object.isFrozen(configSchema.properties));
  configSchema.properties.a.type = "string";
  const changed = declare();
  assert.deepEqual([first, changed].map(({ checkConfig }) => checkConfig?.({ a: "b" }).length), [1, 0]);
  assert.deepEqual([first, changed].map(({ descriptor }) => descriptor.configSchema), [{ ...configSchema, properties: { a: { type: "number" } } }, configSchema]);
});

test("refuses a schema of its config that holds the same objects in too many places", () => {
  let configSchema: JsonObject = { description: "x".repeat(100_000) };
  for (let doubled = 0; doubled < 30; doubled++) configSchema = { oneOf: [configSchema, configSchema] };
  assert.throws(() => validator({ name: "x", hooks: [{ events: ["tools/call"], phase: "request" }], configSchema }, () => true), { code: "invalid_argument", message: /configSchema .* bytes as JSON text/ });
});
