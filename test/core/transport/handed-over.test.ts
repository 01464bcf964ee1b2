import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_LIMITS } from "../../../src/core/base/limits.ts";
import { readHandedOver, standIns } from "../../../src/core/transport/handed-over.ts";

const read = (given: unknown) => readHandedOver(given, DEFAULT_LIMITS);

test("a message that is handed over arrives as a copy, and keeps nothing that its sender may change", () => {
  const given = { jsonrpc: "2.0", id: 1, method: "m", params: { a: [1], b: undefined } };
  const { frame } = read(given);
  given.params.a.push(2);
  assert.deepStrictEqual(frame, { message: { jsonrpc: "2.0", id: 1, method: "m", params: { a: [1] } } });
});

test("what JSON cannot carry still says whose answer it owes or owed, if it can be read at all", () => {
  const odd = { f() {} };
  const whose = (given: unknown) => {
    const { id, answers, error } = read(given).invalid ?? assert.fail("was taken");
    assert.equal(error.code, -32600);
    return [id, answers];
  };
  assert.deepEqual(whose({ jsonrpc: "2.0", id: "a", method: "m", params: odd }), ["a", false]);
  assert.deepEqual(whose({ jsonrpc: "2.0", id: "a", method: 5, params: odd }), ["a", false]);
  assert.deepEqual(whose({ jsonrpc: "2.0", id: "a", result: odd }), ["a", true]);
  assert.deepEqual(whose({ jsonrpc: "2.0", id: "a", error: { code: 1, message: "m", data: odd } }), ["a", true]);
  assert.deepEqual(whose({ jsonrpc: "2.0", id: null, error: { code: 1, message: "m", data: odd } }), [undefined, undefined]);
  assert.deepEqual(whose({ jsonrpc: "2.0", method: "m", params: odd }), [undefined, undefined]);
  const hostile = new Proxy({}, { getOwnPropertyDescriptor: () => { throw new TypeError("trap"); }, ownKeys: () => { throw new TypeError("trap"); } });
  assert.deepEqual(whose(hostile), [undefined, undefined]);
});

test("what stands in for a broken response says that the delivery is unknown, beside what the error said", () => {
  const from = { transport: "port", connection: "port-1" } as const;
  const error = { code: -32600, message: "m", data: { reason: "depth" } };
  assert.deepEqual(
    standIns({ error, ends: [4, "4"] }, from),
    [4, "4"].map((id) => ({ frame: { message: { jsonrpc: "2.0", id, error: { ...error, data: { reason: "depth", delivery: "unknown" } } } }, from, synthetic: true })),
  );
  assert.deepEqual(standIns({ error, id: 4, answers: false }, from), []);
});
