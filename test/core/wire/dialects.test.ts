import assert from "node:assert/strict";
import { test } from "node:test";
import {
  interceptorMethod, readDescriptor, readInvokeResult, resolveSeverity, writeCapability, writeDescriptor, writeInvokeResult,
} from "../../../src/core/wire/dialects.ts";
import type { InterceptorDescriptor, MutationResult, ValidationResult } from "../../../src/core/wire/gen/interceptors.ts";

const descriptor: InterceptorDescriptor = { name: "a", type: "mutation", hooks: [{ events: ["tools/call"], phase: "request" }] };
const validation: ValidationResult = { type: "validation", interceptor: "a", phase: "request", durationMs: 1, valid: false };
const mutation: MutationResult = { type: "mutation", interceptor: "a", phase: "response", durationMs: 0.2, modified: false };
const expected = { name: "a", type: "validation", phase: "request" } as const;

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
  for (const [value, path, message] of rows) assert.deepEqual(readDescriptor(value).refused, { reason: "malformed", path, message });
});

test("an interceptor type that we do not know is told apart from a malformed descriptor", () => {
  assert.equal(readDescriptor({ ...descriptor, type: "sink" }).refused?.reason, "unknown_type");
});

test("a validator's priority has no meaning, so a malformed one is dropped", () => {
  const validator = { ...descriptor, type: "validation" };
  assert.deepEqual(readDescriptor({ ...validator, priorityHint: "high" }).value, validator);
  assert.deepEqual(readDescriptor({ ...validator, priorityHint: 5 }).value, { ...validator, priorityHint: 5 });
});

test("a result is written type first, resultType and _meta last, in whole milliseconds rounded up", () => {
  const written = writeInvokeResult({ _meta: {}, ...{ resultType: "complete", extra: 1 }, payload: null, ...mutation });
  assert.equal(
    JSON.stringify(written),
    '{"type":"mutation","interceptor":"a","phase":"response","durationMs":1,"modified":false,"payload":null,"extra":1,"resultType":"complete","_meta":{}}',
  );
});

test("a blocking verdict says so in its severity and in an error message, whoever reads it", () => {
  const rejected = { message: "rejected", severity: "error" };
  assert.deepEqual(writeInvokeResult(validation), { ...validation, severity: "error", messages: [rejected] });
  const warning = { message: "m", severity: "warn" } as const;
  assert.deepEqual(writeInvokeResult({ ...validation, messages: [warning] }), { ...validation, severity: "warn", messages: [warning] });
  assert.deepEqual(writeInvokeResult({ ...validation, severity: "error", messages: [warning] }), {
    ...validation, severity: "error", messages: [warning, rejected],
  });
  const reason = { message: "no", severity: "error", path: "/a" } as const;
  assert.deepEqual(writeInvokeResult({ ...validation, messages: [reason] }), { ...validation, severity: "error", messages: [reason] });
});

test("a message without a severity of ours is written as an error", () => {
  const odd = { message: "m", severity: "fatal" as "error" };
  const messages = [{ message: "m", severity: "error" }];
  assert.deepEqual(writeInvokeResult({ ...validation, messages: [odd] }), { ...validation, severity: "error", messages });
});

test("a passing verdict gets nothing added", () => {
  assert.deepEqual(writeInvokeResult({ ...validation, valid: true }), { ...validation, valid: true });
  assert.deepEqual(writeInvokeResult({ ...validation, valid: true, messages: [] }), { ...validation, valid: true, messages: [] });
});

test("severity is the result's own, else the highest of its messages, else error", () => {
  const message = (severity: string) => ({ message: "m", severity: severity as "info" });
  assert.equal(resolveSeverity({ severity: "info", messages: [message("error")] }), "info");
  assert.equal(resolveSeverity({ messages: [message("info"), message("warn")] }), "warn");
  assert.equal(resolveSeverity({ messages: [message("info")] }), "info");
  assert.equal(resolveSeverity({ messages: [] }), "error");
  assert.equal(resolveSeverity({}), "error");
  assert.equal(resolveSeverity({ messages: [message("info"), message("fatal")] }), "error");
});

test("a result that leaves out what was asked for is completed, and its name and duration are the caller's", () => {
  assert.deepEqual(readInvokeResult({ valid: true }, { ...expected, durationMs: 2.5 }).value, { ...validation, valid: true, durationMs: 2.5 });
  assert.deepEqual(readInvokeResult({ ...validation, interceptor: "other", durationMs: "5" }, expected).value, { ...validation, durationMs: 0 });
  assert.equal(readInvokeResult({ ...validation, durationMs: 0.25 }, expected).value?.durationMs, 0.25);
});

test("a severity that is none of ours counts as error, in the result and in its messages", () => {
  const read = readInvokeResult({ ...validation, severity: "fatal", messages: [{ message: "a", severity: "hint" }, { message: "b" }] }, expected);
  assert.deepEqual(read.value, {
    ...validation, severity: "error", messages: [{ message: "a", severity: "error" }, { message: "b", severity: "error" }],
  });
});

test("a malformed result is refused with place and reason", () => {
  const rows: [unknown, string, string][] = [
    [null, "", "result must be an object"],
    [true, "", "result must be an object"],
    [{ ...validation, type: "mutation" }, "/type", 'result/type must be "validation", as was asked for'],
    [{ ...validation, phase: "response" }, "/phase", 'result/phase must be "request", as was asked for'],
    [{ ...validation, valid: 1 }, "/valid", "result/valid must be a boolean"],
    [{}, "", 'result must have the member "valid"'],
    [{ ...validation, messages: {} }, "/messages", "result/messages must be a list"],
  ];
  for (const [value, path, message] of rows) assert.deepEqual(readInvokeResult(value, expected).refused, { reason: "malformed", path, message });
});

test("a mutator's payload is needed exactly where it says that it modified", () => {
  const asked = { name: "a", type: "mutation", phase: "response" } as const;
  assert.equal(readInvokeResult({ modified: true }, asked).refused?.message, 'result must have the member "payload"');
  assert.notEqual(readInvokeResult({ modified: true, payload: null }, asked).value, undefined);
  assert.notEqual(readInvokeResult({ modified: false }, asked).value, undefined);
});

test("members that only a prototype has make no result", () => {
  const parsed: unknown = JSON.parse('{"__proto__":{"valid":true}}');
  assert.equal(readInvokeResult(parsed, expected).refused?.reason, "malformed");
  assert.equal(readDescriptor(Object.create(descriptor)).refused?.reason, "malformed");
});

test("both spellings of both methods are known, and nothing else is", () => {
  assert.equal(interceptorMethod("interceptors/list"), "list");
  assert.equal(interceptorMethod("interceptor/list"), "list");
  assert.equal(interceptorMethod("interceptor/invoke"), "invoke");
  assert.equal(interceptorMethod("interceptors/invoke"), "invoke");
  for (const other of ["tools/list", "constructor", "__proto__", "interceptor/Invoke"]) assert.equal(interceptorMethod(other), undefined);
});

test("supported events are those of all hooks as declared, sorted, once each", () => {
  const other: InterceptorDescriptor = { ...descriptor, hooks: [{ events: ["tools/*", "*"], phase: "response" }, ...descriptor.hooks] };
  assert.deepEqual(writeCapability([descriptor, other]), { supportedEvents: ["*", "tools/*", "tools/call"] });
  assert.deepEqual(writeCapability([]), { supportedEvents: [] });
});
