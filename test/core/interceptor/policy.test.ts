import assert from "node:assert/strict";
import { test } from "node:test";
import { mutator, validator } from "../../../src/core/interceptor/define.ts";
import { resolvePolicy, type Overrides } from "../../../src/core/interceptor/policy.ts";

const hooks = [{ events: ["tools/*"], phase: "request" }] as const;
const plain = mutator({ name: "m", hooks }, ({ payload }) => payload).descriptor;
const declared = mutator(
  { name: "m", hooks, mode: "audit", failOpen: true, priorityHint: { request: 5 }, timeoutMs: 100 },
  ({ payload }) => payload,
).descriptor;

test("without anything said, an entry is active, fails closed, has priority 0 and 30 seconds", () => {
  const { mode, failOpen, priorities, timeoutMs, revalidate } = resolvePolicy(plain);
  assert.deepEqual({ mode, failOpen, priorities, timeoutMs, revalidate }, {
    mode: "active",
    failOpen: false,
    priorities: { request: 0, response: 0 },
    timeoutMs: 30_000,
    revalidate: true,
  });
});

test("what the interceptor declares beats the default", () => {
  const { mode, failOpen, priorities, timeoutMs } = resolvePolicy(declared);
  assert.deepEqual([mode, failOpen, priorities, timeoutMs], ["audit", true, { request: 5, response: 0 }, 100]);
});

test("an override beats what the interceptor declares, false and zero included", () => {
  const { mode, failOpen, priorities, timeoutMs } = resolvePolicy(declared, { mode: "active", failOpen: false, priorityHint: 0, timeoutMs: 7 });
  assert.deepEqual([mode, failOpen, priorities, timeoutMs], ["active", false, { request: 0, response: 0 }, 7]);
});

test("a validator has no priority", () => {
  const { descriptor } = validator({ name: "v", hooks }, () => true);
  assert.deepEqual(resolvePolicy(descriptor, { priorityHint: 9 }).priorities, { request: 0, response: 0 });
});

test("hooks may be narrowed to what lies under them", () => {
  const { hooks: narrowed } = resolvePolicy(plain, { hooks: [{ events: ["tools/call"], phase: "request" }] });
  assert.deepEqual(narrowed, [{ events: ["tools/call"], phase: "request" }]);
});

test("hooks that widen are refused with the interceptor and the event", () => {
  for (const [event, phase] of [["prompts/get", "request"], ["*", "request"], ["tools/call", "response"]] as const) {
    assert.throws(() => resolvePolicy(plain, { hooks: [{ events: ["tools/list", event], phase }] }), (error: { code: string; message: string }) => {
      assert.equal(error.code, "refused");
      assert.match(error.message, /interceptor "m"/);
      return true;
    });
  }
  assert.throws(() => resolvePolicy(plain, { hooks: [{ events: ["tools/list", "prompts/get"], phase: "request" }] }), {
    code: "refused",
    message: /"prompts\/get" in the request phase/,
  });
});

test("an override that is none is refused by name", () => {
  const table: [object, RegExp][] = [
    [{ hooks: [] }, /"m": hooks must be a list of at least 1/],
    [{ mode: "off" }, /mode must/],
    [{ failopen: true }, /failopen is no override/],
    [{ failOpen: 1 }, /failOpen must/],
    [{ timeoutMs: 1.5 }, /timeoutMs must/],
    [{ priorityHint: "high" }, /priorityHint must/],
    [{ when: "always" }, /when must/],
    [{ revalidate: 0 }, /revalidate must/],
  ];
  for (const [overrides, message] of table) {
    assert.throws(() => resolvePolicy(plain, overrides as Overrides), { code: "invalid_argument", message }, JSON.stringify(overrides));
  }
});
