import assert from "node:assert/strict";
import { test } from "node:test";
import { resultOfHandler } from "../../../src/core/interceptor/result.ts";
import { allow, deny, info, mutated, unchanged, warn } from "../../../src/core/interceptor/verdict.ts";
import { blocks, readResult, type Asked } from "../../../src/core/wire/results.ts";

const judged: Asked = { name: "v", type: "validation", phase: "request", durationMs: 3 };
const changed: Asked = { name: "m", type: "mutation", phase: "request", durationMs: 3 };
const LIMITS = { maxDepth: 64, maxMessageBytes: 10_000 };
const verdict = (output: unknown) => resultOfHandler(output, null, judged, LIMITS);
const mutation = (output: unknown, original: unknown = { a: 1 }) => resultOfHandler(output, original, changed, LIMITS);
const malformed = { code: "malformed_result" };

test("only an invalid result of severity error blocks", () => {
  const error = { message: "no", severity: "error" };
  const warning = { message: "hm", severity: "warn" };
  const remark = { message: "so", severity: "info" };
  const table: [object, boolean][] = [
    [{ valid: false }, true],
    [{ valid: false, messages: [] }, true],
    [{ valid: false, severity: "error" }, true],
    [{ valid: false, severity: "warn" }, false],
    [{ valid: false, severity: "info" }, false],
    [{ valid: false, severity: "warn", messages: [error] }, false],
    [{ valid: false, severity: "error", messages: [warning] }, true],
    [{ valid: false, messages: [warning, remark] }, false],
    [{ valid: false, messages: [remark] }, false],
    [{ valid: false, messages: [warning, error] }, true],
    [{ valid: false, severity: "fatal" }, true],
    [{ valid: false, severity: null }, true],
    [{ valid: false, messages: [{ message: "x", severity: "Warn" }] }, true],
    [{ valid: false, messages: [{ message: "x" }] }, true],
    [{ valid: false, messages: ["just text"] }, true],
    [{ valid: true }, false],
    [{ valid: true, severity: "error", messages: [error] }, false],
  ];
  for (const [result, stops] of table) {
    assert.equal(blocks(verdict(result)), stops, JSON.stringify(result));
    assert.equal(blocks(readResult(result, judged)), stops, JSON.stringify(result));
  }
});

test("a handler without a return is told what it has to give, in the words of its kind", () => {
  assert.throws(() => verdict(undefined), { ...malformed, message: "a validator must return a verdict: true, false, allow() or deny(message)" });
});

test("what is written is clear to stricter and laxer readers", () => {
  assert.deepEqual(verdict({ valid: false, messages: [{ message: "hm", severity: "warn" }] }), {
    type: "validation",
    interceptor: "v",
    phase: "request",
    durationMs: 3,
    valid: false,
    severity: "warn",
    messages: [{ message: "hm", severity: "warn" }],
  });
  const rejected = { message: "rejected", severity: "error" };
  assert.deepEqual(verdict(false), { type: "validation", interceptor: "v", phase: "request", durationMs: 3, valid: false, severity: "error", messages: [rejected] });
  const mixed = verdict({ valid: false, severity: "error", messages: [{ message: "hm", severity: "warn", path: "/a" }] });
  assert.deepEqual(mixed.type === "validation" && mixed.messages, [{ path: "/a", message: "hm", severity: "warn" }, rejected]);
});

test("members of a result come in the order of the wire", () => {
  const result = verdict({ valid: true, suggestions: [{ path: "/a", value: 1 }], messages: [{ message: "m", severity: "info" }], info: { k: 1 } });
  assert.deepEqual(Object.keys(result), ["type", "interceptor", "phase", "durationMs", "info", "valid", "messages", "suggestions"]);
});

test("name and duration are ours, whatever the handler returned", () => {
  const result = verdict({ valid: true, interceptor: "other", durationMs: 99 });
  assert.equal(result.interceptor, "v");
  assert.equal(result.durationMs, 3);
});

test("helpers of validators say what they mean", () => {
  assert.deepEqual(verdict(allow()), verdict(true));
  assert.equal(blocks(verdict(deny("no", { path: "/x", suggestions: [{ path: "/x", value: 2 }] }))), true);
  assert.equal(blocks(verdict(deny("no", { severity: "warn" }))), false);
  const warned = verdict(warn("careful", { info: { score: 1 } }));
  assert.deepEqual([warned.type === "validation" && warned.valid, warned.info], [true, { score: 1 }]);
  assert.equal(blocks(verdict(info("fyi"))), false);
});

test("a verdict that is none is malformed", () => {
  for (const output of [null, 1, "ok", [], {}, { valid: "true" }, { valid: true, type: "mutation" }, { valid: true, phase: "response" }, { valid: true, messages: {} }]) {
    assert.throws(() => verdict(output), malformed, JSON.stringify(output));
    assert.throws(() => readResult(output, judged), malformed, JSON.stringify(output));
  }
  assert.throws(() => readResult(undefined, judged), malformed);
});

test("a validator that returns nothing at all is malformed", () => {
  assert.throws(() => verdict(undefined));
});

test("a mutator's payload is compared with what came in", () => {
  const table: [unknown, boolean, unknown][] = [
    [{ a: 2 }, true, { a: 2 }],
    [{ a: 1 }, false, { a: 1 }],
    [{ a: 1, b: undefined }, false, { a: 1 }],
    [null, true, null],
    [unchanged(), false, { a: 1 }],
    [mutated({ a: 3 }, { info: { n: 1 } }), true, { a: 3 }],
    [mutated({ a: 1 }), false, { a: 1 }],
  ];
  for (const [output, isModified, payload] of table) {
    const result = mutation(output);
    assert.deepEqual(result.type === "mutation" && [result.modified, result.payload], [isModified, payload], JSON.stringify(output));
  }
});

test("a payload that looks like a result is a payload", () => {
  for (const payload of [{ modified: false }, { type: "mutation", modified: false, payload: 1 }]) {
    const result = mutation(payload, { ...payload, secret: "s" });
    assert.deepEqual(result.type === "mutation" && [result.modified, result.payload], [true, payload]);
  }
});

test("a mutator that returns nothing is malformed", () => {
  assert.throws(() => mutation(undefined), malformed);
  assert.throws(() => mutation(mutated(undefined)), { code: "not_json" });
});

test("a handler's output is copied and must be JSON", () => {
  const output = { list: [1] };
  const result = mutation(output);
  output.list.push(2);
  assert.deepEqual(result.type === "mutation" && result.payload, { list: [1] });
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  for (const bad of [{ a: NaN }, { a: () => 1 }, { a: new Date() }, { a: 1n }, cyclic]) assert.throws(() => mutation(bad), { code: "not_json" });
  assert.throws(() => verdict({ valid: true, info: { a: Infinity } }), { code: "not_json" });
});

test("a result larger than a message may be is refused, whoever it is built of", () => {
  let shared: object = { a: 1 };
  for (let doublings = 0; doublings < 40; doublings++) shared = { l: shared, r: shared };
  const tooLarge = { code: "limit_exceeded" };
  for (const output of [shared, mutated({}, { info: { shared } }), { text: "x".repeat(10_000) }]) assert.throws(() => mutation(output), tooLarge);
  assert.throws(() => verdict({ valid: true, info: { shared } }), tooLarge);
  assert.equal(mutation({ text: "x".repeat(9_000) }).type, "mutation");
});
