import assert from "node:assert/strict";
import { test } from "node:test";
import { alsoNested, mutationResult, readResult, readVerdict, type Asked } from "../../../src/core/wire/results.ts";

const judging: Asked = { name: "a", type: "validation", phase: "request", durationMs: 2.5 };
const mutating: Asked = { name: "a", type: "mutation", phase: "response", durationMs: 1 };
const head = { type: "validation", interceptor: "a", phase: "request", durationMs: 2.5 };
const malformed = { code: "malformed_result" };
const rejected = { message: "rejected", severity: "error" };

test("a result that leaves out what was asked for is completed", () => {
  assert.deepEqual(readResult({ valid: true }, judging), { ...head, valid: true });
  assert.deepEqual(readResult({ modified: true, payload: null }, mutating), {
    type: "mutation", interceptor: "a", phase: "response", durationMs: 1, modified: true, payload: null,
  });
});

test("the name is the one that was asked, and the duration the answer's where it gives one", () => {
  for (const [said, durationMs] of [[0.25, 0.25], [0, 0], ["5", 2.5], [-1, 2.5], [Infinity, 2.5], [null, 2.5]]) {
    assert.deepEqual(readResult({ valid: true, durationMs: said }, judging), { ...head, durationMs, valid: true }, String(said));
  }
});

test("an answer that names another interceptor is malformed, of whatever type and form; one that names none is completed", () => {
  const sunk: Asked = { name: "a", type: "sink", phase: "request", durationMs: 0 };
  for (const [asked, own] of [[judging, { valid: true }], [judging, { validation: { valid: false } }], [mutating, { modified: false }], [sunk, {}]] as const) {
    for (const interceptor of ["b", "A", "a ", " ", 0, 5, true, ["a"], { name: "a" }]) {
      assert.throws(() => readResult({ interceptor, ...own }, asked), malformed, JSON.stringify(interceptor));
    }
    for (const interceptor of [undefined, null, "", "a"]) assert.equal(readResult({ interceptor, ...own }, asked).interceptor, "a");
    assert.throws(() => readResult({ Interceptor: "a", ...own }, asked), malformed);
  }
  assert.throws(() => readResult({ validation: { valid: true, interceptor: "b" } }, judging), malformed);
  assert.throws(() => readResult({ interceptor: "a", validation: { valid: true, interceptor: "b" } }, judging), malformed);
  assert.equal(readVerdict({ valid: true, interceptor: "b" }, judging).interceptor, "a", "a handler's own word for it does not count");
});

test("a result reads in the order of the wire, type first, without members that nobody knows", () => {
  const said = { _meta: {}, resultType: "complete", extra: 1, suggestions: [{ path: "/a", value: 1 }], messages: [], valid: true, info: { k: 1 }, ...head };
  assert.equal(
    JSON.stringify(readResult(said, judging)),
    '{"type":"validation","interceptor":"a","phase":"request","durationMs":2.5,"info":{"k":1},"valid":true,"suggestions":[{"path":"/a","value":1}]}',
  );
});

test("a blocking verdict says so in its severity and in an error message, whoever reads it", () => {
  const warning = { message: "m", severity: "warn" };
  const reason = { message: "no", severity: "error", path: "/a" };
  const rows: [object, object][] = [
    [{}, { severity: "error", messages: [rejected] }],
    [{ messages: [] }, { severity: "error", messages: [rejected] }],
    [{ messages: [warning] }, { severity: "warn", messages: [warning] }],
    [{ severity: "error", messages: [warning] }, { severity: "error", messages: [warning, rejected] }],
    [{ severity: "info", messages: [reason] }, { severity: "info", messages: [reason] }],
    [{ messages: [reason] }, { severity: "error", messages: [reason] }],
  ];
  for (const [said, read] of rows) assert.deepEqual(readResult({ valid: false, ...said }, judging), { ...head, valid: false, ...read }, JSON.stringify(said));
});

test("a passing verdict gets nothing added", () => {
  const remark = { message: "m", severity: "info" };
  assert.deepEqual(readResult({ valid: true, messages: [remark] }, judging), { ...head, valid: true, messages: [remark] });
});

test("a severity that is none of ours counts as error, in the result and in its messages", () => {
  const messages = [{ message: "a", severity: "hint" }, { message: "b" }, "c", { severity: "warn" }, 7];
  assert.deepEqual(readResult({ valid: false, severity: "fatal", messages }, judging), {
    ...head,
    valid: false,
    severity: "error",
    messages: [{ message: "a", severity: "error" }, { message: "b", severity: "error" }, { message: "c", severity: "error" }, { message: "rejected", severity: "warn" }, rejected],
  });
});

test("parts that carry no verdict are dropped where they are malformed, and do not make it a failure", () => {
  const said = { valid: true, info: "x", suggestions: [{ path: "/a" }, 5, { path: "/b", value: null }], signature: 1 };
  assert.deepEqual(readResult(said, judging), { ...head, valid: true, suggestions: [{ path: "/b", value: null }] });
});

test("a malformed verdict is a failure that says why", () => {
  const rows: [unknown, RegExp][] = [
    [null, /must be an object/],
    [true, /must be an object/],
    [[], /must be an object/],
    [{ valid: true, type: "mutation" }, /type must be "validation"/],
    [{ valid: true, phase: "response" }, /phase must be "request"/],
    [{ valid: 1 }, /valid must be a boolean/],
    [{}, /valid must be a boolean/],
    [{ valid: true, messages: {} }, /messages must be a list/],
    [JSON.parse('{"__proto__":{"valid":true}}'), /valid must be a boolean/],
  ];
  for (const [said, message] of rows) assert.throws(() => readResult(said, judging), { ...malformed, message }, JSON.stringify(said));
});

test("a read mutation needs a boolean, and a payload if it is modified", () => {
  assert.equal(readResult({ modified: false }, mutating).type, "mutation");
  for (const answer of [{ modified: true }, { payload: {} }, { modified: 1, payload: {} }, { modified: true, payload: 1, type: "validation" }, "x", null]) {
    assert.throws(() => readResult(answer, mutating), malformed, JSON.stringify(answer));
  }
});

test("an answer that reads one way flat and another way nested, or in another case, is malformed", () => {
  const asked = { name: "v", type: "validation", phase: "request", durationMs: 1 } as const;
  for (const answer of [
    { valid: true, validation: { valid: false } },
    { valid: true, severity: "info", validation: { valid: true, severity: "error" } },
    { valid: true, Valid: false },
    { valid: true, SEVERITY: "error" },
    { valid: true, ["\u017feverity"]: "error" },
    { valid: true, validation: 5 },
  ]) {
    assert.throws(() => readResult(answer, asked), { code: "malformed_result" }, JSON.stringify(answer));
  }
  assert.equal(readResult({ valid: false, validation: { valid: false, other: 1 } }, asked).type, "validation");
  const mutation = { name: "m", type: "mutation", phase: "request", durationMs: 1 } as const;
  assert.throws(() => readResult({ modified: true, payload: { a: 1 }, mutation: { modified: false } }, mutation), { code: "malformed_result" });
});

test("a nested answer reads as the flat one", () => {
  const no = { message: "no", severity: "error" };
  const rows: [Asked, object, object][] = [
    [judging, { validation: { valid: true } }, { valid: true }],
    [judging, { validation: { valid: false } }, { valid: false }],
    [judging, { type: "validation", phase: "request", durationMs: 7, validation: { valid: false, severity: "warn", messages: [no] } }, { durationMs: 7, valid: false, severity: "warn", messages: [no] }],
    [judging, { validation: { valid: true, suggestions: [{ path: "/a", value: 1 }] }, info: { k: 1 } }, { valid: true, suggestions: [{ path: "/a", value: 1 }], info: { k: 1 } }],
    [mutating, { mutation: { modified: true }, payload: { a: 1 } }, { modified: true, payload: { a: 1 } }],
    [mutating, { mutation: { modified: true, payload: { a: 1 }, info: { k: 1 } } }, { modified: true, payload: { a: 1 }, info: { k: 1 } }],
    [mutating, { mutation: { modified: true, payload: { a: 1 } }, payload: { a: 1 } }, { modified: true, payload: { a: 1 } }],
    [mutating, { mutation: { modified: false } }, { modified: false }],
    [mutating, { modified: true, payload: { a: 1 }, mutation: { modified: true } }, { modified: true, payload: { a: 1 } }],
  ];
  for (const [asked, nested, flat] of rows) assert.deepEqual(readResult(nested, asked), readResult(flat, asked), JSON.stringify(nested));
});

test("a nested answer that is wrong, of another type, or twofold is malformed", () => {
  const rows: [Asked, object][] = [
    [judging, { validation: {} }],
    [judging, { validation: { valid: 1 } }],
    [judging, { validation: null, valid: true }],
    [judging, { mutation: { modified: false }, valid: true }],
    [judging, { validation: { type: "mutation", valid: true } }],
    [judging, { validation: { phase: "response", valid: true } }],
    [judging, { validation: { valid: true, Valid: false } }],
    // One of the two readers would block, and the other let pass.
    [judging, { valid: false, validation: { valid: false, severity: "info" } }],
    [judging, { valid: false, severity: "info", validation: { valid: false } }],
    [judging, { valid: false, validation: { severity: "warn" } }],
    [judging, { severity: "info", validation: { valid: false } }],
    [judging, { valid: false, messages: [{ message: "m", severity: "warn" }], validation: { valid: false } }],
    [mutating, { validation: { valid: true }, modified: false }],
    [mutating, { mutation: { modified: true } }],
    [mutating, { mutation: { modified: true, payload: { a: 1 } }, payload: { a: 2 } }],
    [mutating, { mutation: { modified: true, PAYLOAD: { a: 1 } }, payload: { a: 2 } }],
  ];
  for (const [asked, answer] of rows) assert.throws(() => readResult(answer, asked), malformed, JSON.stringify(answer));
});

test("what is also written nested says the same to every reader", () => {
  const verdict = readVerdict({ valid: false, messages: [{ message: "no", severity: "error" }], info: { k: 1 } }, judging);
  const twice = alsoNested(verdict);
  const { validation, ...flat } = twice;
  assert.deepEqual(flat, verdict);
  assert.deepEqual(validation, { info: { k: 1 }, valid: false, severity: "error", messages: [{ message: "no", severity: "error" }] });
  assert.equal(Object.keys(twice)[0], "type");
  const mutation = mutationResult(mutating, undefined, true, { a: 1 });
  assert.deepEqual(alsoNested(mutation), { ...mutation, mutation: { modified: true, payload: { a: 1 } } });
  for (const [result, asked] of [[verdict, judging], [mutation, mutating], [mutationResult(mutating, undefined, false, {}), mutating]] as const) {
    const written = alsoNested(result);
    const { type, phase } = result;
    assert.deepEqual(readResult(written, asked), result);
    // The nested part alone is the whole answer, too.
    assert.deepEqual(readResult({ [type]: written[type], phase, durationMs: result.durationMs }, asked), result);
  }
});

test("a sink's answer is taken as it is, and nothing in it makes it a verdict", () => {
  const asked: Asked = { name: "s", type: "sink", phase: "request", durationMs: 1 };
  const sink = { type: "sink", interceptor: "s", phase: "request", durationMs: 1 };
  const rows: [object, object][] = [
    [{}, sink],
    [{ type: "sink", recorded: true, metrics: { a: 1 }, info: { k: 1 } }, { ...sink, recorded: true, metrics: { a: 1 }, info: { k: 1 } }],
    [{ recorded: "yes", metrics: { a: "1" }, info: 5 }, sink],
    [{ valid: false, severity: "error", modified: true, payload: {} }, sink],
  ];
  for (const [answer, read] of rows) assert.deepEqual(readResult(answer, asked), read, JSON.stringify(answer));
  for (const answer of [null, "x", { type: "validation" }, { phase: "response" }]) assert.throws(() => readResult(answer, asked), malformed, JSON.stringify(answer));
});
