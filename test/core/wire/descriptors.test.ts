import assert from "node:assert/strict";
import { test } from "node:test";
import { describeMember, describeProblem } from "../../../src/core/wire/check.ts";
import { acceptDescriptor, checkHint, checkHooks, descriptorProblem, readDescriptor, readExtras, writeDescriptor } from "../../../src/core/wire/descriptors.ts";
import type { InterceptorDescriptor } from "../../../src/core/wire/gen/interceptors.ts";

const descriptor: InterceptorDescriptor = { name: "a", type: "mutation", hooks: [{ events: ["tools/call"], phase: "request" }] };

test("a descriptor is written in the SEP's order, without defaults, with unknown members before _meta", () => {
  const written = writeDescriptor({
    _meta: { x: 1 }, ...{ future: true }, configSchema: {}, failOpen: false, mode: "active", priorityHint: 0, ...descriptor, version: "",
  });
  assert.equal(
    JSON.stringify(written),
    '{"name":"a","version":"","type":"mutation","hooks":[{"events":["tools/call"],"phase":"request"}],"configSchema":{},"future":true,"_meta":{"x":1}}',
  );
});

test("policy that differs from the default is written, an empty or zero priority is not", () => {
  const written = writeDescriptor({ ...descriptor, mode: "audit", failOpen: true, priorityHint: { request: -1 } });
  assert.deepEqual(written, { ...descriptor, mode: "audit", failOpen: true, priorityHint: { request: -1 } });
  for (const priorityHint of [0, {}, { request: 0, response: 0 }]) assert.deepEqual(writeDescriptor({ ...descriptor, priorityHint }), descriptor);
});

test("namespace patterns are listed with the events under them, and the source stays as it was", () => {
  const source: InterceptorDescriptor = { ...descriptor, hooks: [{ events: ["roots/*"], phase: "request" }] };
  assert.deepEqual(writeDescriptor(source).hooks, [{ events: ["roots/*", "roots/list"], phase: "request" }]);
  assert.deepEqual(source.hooks[0]!.events, ["roots/*"]);
});

test("a canonical descriptor is read as it came, unknown members too", () => {
  const value = { ...descriptor, hooks: [{ events: ["*", "acme/*"], phase: "response", more: 1 }], future: { deep: [] } };
  assert.equal(readDescriptor(value).value, value);
});

test("a malformed descriptor is refused with place and reason", () => {
  const rows: [unknown, string, string][] = [
    [null, "", "descriptor must be an object"],
    [{ ...descriptor, name: "" }, "/name", "descriptor/name must be a string that is not empty"],
    [{ ...descriptor, hooks: [] }, "/hooks", "descriptor/hooks must be a list of at least 1"],
    [
      { ...descriptor, hooks: [{ events: ["a", "tools/c*"], phase: "request" }] },
      "/hooks/0/events/1",
      'descriptor/hooks/0/events/1 must be an exact event, "*", or "ns/*"',
    ],
    [
      { ...descriptor, priorityHint: 2 ** 31 },
      "/priorityHint",
      "descriptor/priorityHint must be an integer from -2147483648 to 2147483647 or an object",
    ],
    [{ ...descriptor, type: 5 }, "/type", 'descriptor/type must be one of "validation", "mutation"'],
  ];
  for (const [value, path, message] of rows) {
    const { refused } = readDescriptor(value);
    assert.ok(refused !== undefined);
    assert.deepEqual([refused.unknownType, refused.path, describeProblem(refused, "descriptor")], [false, path, message]);
  }
});

test("an interceptor type that we do not know is told apart from a malformed descriptor", () => {
  assert.equal(readDescriptor({ ...descriptor, type: "oracle" }).refused?.unknownType, true);
  assert.throws(() => acceptDescriptor({ ...descriptor, type: "oracle" }, "s"), { code: "refused", details: { unknownType: true }, message: /interceptor "a" of "s": type must .*"oracle"/ });
  assert.throws(() => acceptDescriptor({ ...descriptor, hooks: 1 }, "s"), { code: "refused", details: undefined });
});

test("a validator's priority has no meaning, so a malformed one is dropped", () => {
  const validator = { ...descriptor, type: "validation" };
  assert.deepEqual(readDescriptor({ ...validator, priorityHint: "high" }).value, validator);
  assert.deepEqual(readDescriptor({ ...validator, priorityHint: 5 }).value, { ...validator, priorityHint: 5 });
});

test("members that only a prototype has make no descriptor", () => {
  assert.notEqual(readDescriptor(Object.create(descriptor)).refused, undefined);
});

test("a priority is a 32-bit signed integer, alone or for each phase", () => {
  for (const hint of [0, -2_147_483_648, 2_147_483_647, {}, { request: 1 }, { request: -1, response: 2 }]) {
    assert.equal(checkHint(hint), undefined, JSON.stringify(hint));
  }
  for (const hint of [2_147_483_648, -2_147_483_649, 1.5, NaN, "1", null, [], { request: 0.5 }, { both: 1 }]) {
    assert.notEqual(checkHint(hint), undefined, JSON.stringify(hint));
  }
});


test("hooks are refused at the place of the fault, in the words of a program's source too", () => {
  const rows: [unknown, string, string][] = [
    [{}, "", "hooks must be a list"],
    [[], "", "hooks must be a list of at least 1"],
    [["tools/call"], "/0", "[0] must be an object"],
    [[{ events: ["a"], phase: "both" }], "/0/phase", '[0].phase must be one of "request", "response"'],
    [[{ events: ["a", "*/x"], phase: "request" }], "/0/events/1", '[0].events[1] must be an exact event, "*", or "ns/*"'],
  ];
  for (const [hooks, path, message] of rows) {
    const found = checkHooks(hooks);
    assert.ok(found !== undefined);
    assert.deepEqual([found.path, describeMember(found, "hooks")], [path, message]);
  }
  assert.equal(checkHooks([{ events: ["a", "a/*", "*"], phase: "response" }]), undefined);
});

test("a bound of compat that is no date is left to whoever compares it, and compat must be an object", () => {
  for (const compat of [{ minProtocol: "soon" }, { minProtocol: 5 }, {}, { maxProtocol: "2026-07-28" }]) {
    assert.equal(readDescriptor({ ...descriptor, compat }).refused, undefined, JSON.stringify(compat));
  }
  assert.equal(readDescriptor({ ...descriptor, compat: "2025-06-18" }).refused?.path, "/compat");
});

test("our own members of _meta are checked and read, those of others are not looked at", () => {
  const own = (members: Record<string, unknown>) => ({
    ...descriptor,
    _meta: { "com.example/handlesErrors": 1, ...Object.fromEntries(Object.entries(members).map(([name, value]) => [`org.mcp-interceptors/${name}`, value])) },
  });
  const { value } = readDescriptor(own({ handlesErrors: true, timeoutMs: 50 }));
  assert.ok(value !== undefined);
  assert.deepEqual(readExtras(value), { handlesErrors: true, withRequest: false, timeoutMs: 50 });
  for (const wrong of [{ handlesErrors: 1 }, { withRequest: "yes" }, { timeoutMs: 0 }, { timeoutMs: 2 ** 31 }]) {
    assert.match(readDescriptor(own(wrong)).refused?.path ?? "", /^\/_meta\/org\.mcp-interceptors~1/, JSON.stringify(wrong));
  }
});

const request = (...events: string[]) => ({ events, phase: "request" });
const response = (...events: string[]) => ({ events, phase: "response" });

test("hooks are read in every spelling of the field", () => {
  const rows: [listed: object, hooks: object[]][] = [
    [{ hooks: [request("a"), response("b")] }, [request("a"), response("b")]],
    [{ hook: request("a", "b") }, [request("a", "b")]],
    [{ hook: { events: ["a"], phase: "both" } }, [request("a"), response("a")]],
    [{ events: ["a"], phase: "response" }, [response("a")]],
    [{ events: ["a"], phase: "both" }, [request("a"), response("a")]],
    [{ hooks: [request("a"), { events: ["b"], phase: "both" }] }, [request("a"), request("b"), response("b")]],
    // The first of the three that is there wins.
    [{ hooks: [request("a")], hook: response("b"), ...response("c") }, [request("a")]],
    [{ hook: request("b"), events: ["c"], phase: "response" }, [request("b")]],
    [{ hooks: null, hook: request("b") }, [request("b")]],
    [{ hooks: null, hook: null, ...request("c") }, [request("c")]],
    // A wildcard of one phase says more than the phase of its hook.
    [{ hooks: [response("*/request")] }, [request("*")]],
    [{ hooks: [request("*/request", "a", "*/response")] }, [request("a"), request("*"), response("*")]],
    [{ hooks: [{ events: ["a", "*/response"], phase: "both" }] }, [request("a"), response("a"), response("*")]],
    [{ hook: { events: ["*/response"] } }, [response("*")]],
    [{ events: ["*/request", "*/response"] }, [request("*"), response("*")]],
    [{ hooks: [{ ...request("a"), more: 1 }, { events: ["b"], phase: "both", more: 2 }] }, [{ ...request("a"), more: 1 }, { ...request("b"), more: 2 }, { ...response("b"), more: 2 }]],
  ];
  for (const [spelling, hooks] of rows) {
    const listed = { name: "a", type: "validation", ...spelling };
    const before = structuredClone(listed);
    // Nothing of another spelling is left beside them.
    const { value } = readDescriptor(listed);
    assert.deepEqual(value, { name: "a", type: "validation", hooks }, JSON.stringify(spelling));
    assert.equal(readDescriptor(value).value, value, "what has been read is read as it is");
    assert.deepEqual(listed, before, "what is read stays as it was");
  }
});

test("a descriptor without a hook in any spelling is refused, and so is a spelling that wins and is wrong", () => {
  const rows: object[] = [
    {}, { hooks: [] }, { hooks: null }, { hook: null }, { hook: {} }, { hook: [] }, { hook: "a" }, { events: [] }, { events: [], phase: "both" }, { phase: "request" },
    { hooks: [], hook: request("a") }, { hooks: {}, hook: request("a") }, { hook: 5, ...request("a") },
    { events: ["a"] }, { events: ["a"], phase: "sometimes" }, { events: "a", phase: "request" }, { hook: request("x*") }, { hooks: [request("*/reply")] },
    { hooks: [request("a"), 5] }, { hooks: [{ events: ["a", 5], phase: "both" }] }, { hooks: [{ events: [], phase: "both" }] },
  ];
  for (const spelling of rows) assert.notEqual(readDescriptor({ name: "a", type: "validation", ...spelling }).refused, undefined, JSON.stringify(spelling));
});

test("a mode that is not audit is active, however it is spelt", () => {
  for (const mode of ["enforce", "", "enforced", "Audit", null, 5, true]) {
    assert.deepEqual(readDescriptor({ ...descriptor, mode }).value, descriptor, String(mode));
  }
  for (const mode of ["audit", "active"]) assert.deepEqual(readDescriptor({ ...descriptor, mode }).value, { ...descriptor, mode }, mode);
});

test("a sink is read, with its hooks in any spelling, and a priority of no meaning is dropped", () => {
  const read = readDescriptor({ name: "s", type: "sink", hook: { events: ["a"], phase: "both" }, mode: "", priorityHint: "high" });
  assert.deepEqual(read.value, { name: "s", type: "sink", hooks: [request("a"), response("a")] });
  assert.equal(readDescriptor({ name: "", type: "sink", hooks: [request("a")] }).refused?.path, "/name");
});

test("what we declare is held to the form that we write", () => {
  assert.equal(descriptorProblem(descriptor), undefined);
  for (const dialect of [{ type: "sink" }, { mode: "enforce" }, { hooks: undefined, hook: request("a") }, { hooks: [request("*/request")] }, { hooks: [{ events: ["a"], phase: "both" }] }]) {
    assert.notEqual(descriptorProblem({ ...descriptor, ...dialect }), undefined, JSON.stringify(dialect));
  }
});
