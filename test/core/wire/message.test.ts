import assert from "node:assert/strict";
import { test } from "node:test";
import {
  classify, isErrorResponse, isNotification, isRequest, isRequestId, isResult, type Classified, type Message,
} from "../../../src/core/wire/message.ts";

type Invalid = Extract<Classified, { kind: "invalid" }>;

function invalid(value: unknown): Invalid {
  const classified = classify(value);
  assert.equal(classified.kind, "invalid", JSON.stringify(value));
  return classified as Invalid;
}

test("tells the four kinds of message apart by the members that are there", () => {
  const rows: [unknown, Classified["kind"]][] = [
    [{ jsonrpc: "2.0", id: 0, method: "ping" }, "request"],
    [{ jsonrpc: "2.0", id: "", method: "", params: {} }, "request"],
    [{ jsonrpc: "2.0", id: -0, method: "a" }, "request"],
    [{ jsonrpc: "2.0", method: "a", params: { x: 1 } }, "notification"],
    [{ jsonrpc: "2.0", method: "a", id: undefined, result: undefined }, "notification"],
    [{ jsonrpc: "2.0", id: 1, result: { more: true } }, "result"],
    [{ jsonrpc: "2.0", id: 1, error: { code: 0, message: "" } }, "error"],
    [{ jsonrpc: "2.0", id: null, error: { code: 0, message: "" } }, "error"],
    [{ jsonrpc: "2.0", error: { code: 0, message: "", data: null } }, "error"],
  ];
  for (const [value, kind] of rows) {
    const classified = classify(value);
    assert.equal(classified.kind, kind, JSON.stringify(value));
    assert.equal(classified.kind !== "invalid" && classified.message, value, "the message is the value itself");
  }
});

test("the guards agree with the classifier, also where members are undefined", () => {
  const guards = { request: isRequest, notification: isNotification, result: isResult, error: isErrorResponse };
  const rest = { id: undefined, method: undefined, params: undefined, result: undefined, error: undefined };
  const messages: unknown[] = [
    { ...rest, jsonrpc: "2.0", id: 0, method: "" },
    { ...rest, jsonrpc: "2.0", method: "a" },
    { ...rest, jsonrpc: "2.0", id: 1, result: {} },
    { ...rest, jsonrpc: "2.0", error: { code: 0, message: "" } },
  ];
  for (const message of messages) {
    const { kind } = classify(message);
    assert.deepEqual(Object.entries(guards).filter(([, is]) => is(message as Message)).map(([name]) => name), [kind]);
  }
});

test("a null id makes no notification: it is refused without an id (case 11)", () => {
  assert.deepEqual(invalid({ jsonrpc: "2.0", id: null, method: "tools/list" }), {
    kind: "invalid",
    error: {
      code: -32600,
      message: 'Invalid message: the member "id" of a request must be a string or an integer within ±(2^53 - 1); leave it out of a notification',
    },
    answers: false,
  });
});

test("ids of other types, fractions and integers that a double cannot hold are refused, and none is repeated", () => {
  for (const id of [true, false, 1.5, {}, [], 2 ** 53, -(2 ** 53), 1e300]) {
    for (const rest of [{ method: "a" }, { result: {} }, { error: { code: 1, message: "" } }]) {
      const { error, id: read } = invalid({ jsonrpc: "2.0", id, ...rest });
      assert.equal(error.code, -32600);
      assert.equal(read, undefined);
    }
  }
  assert.equal(isRequestId(2 ** 53 - 1), true);
});

test("a method of a wrong type with a usable id is owed one answer (case 15)", () => {
  for (const method of [5, null, {}, [], true]) {
    const { id, answers, error } = invalid({ jsonrpc: "2.0", id: 7, method });
    assert.deepEqual([id, answers, error.code], [7, false, -32600]);
  }
});

test("params that are no object are refused with the id, null too (case 15)", () => {
  for (const params of [[], null, 5, "a", true]) {
    const { id, answers, error } = invalid({ jsonrpc: "2.0", id: "x", method: "a", params });
    assert.deepEqual([id, answers, error.code], ["x", false, -32600]);
    assert.equal(invalid({ jsonrpc: "2.0", method: "a", params }).id, undefined);
  }
});

test("a broken response says so, so that its request need not wait", () => {
  const bad = [
    { result: {}, error: { code: 1, message: "" } },
    { result: null }, { result: [] }, { result: "ok" }, { result: 0 },
    { error: null }, { error: "no" }, { error: { code: "1", message: "" } }, { error: { code: 1 } }, { error: { code: 1.5, message: "" } },
  ];
  for (const rest of bad) {
    const { id, answers } = invalid({ jsonrpc: "2.0", id: 3, ...rest });
    assert.deepEqual([id, answers], [3, true], JSON.stringify(rest));
  }
  const { message } = invalid({ jsonrpc: "2.0", id: 3, error: { code: "1", message: "" } }).error;
  assert.equal(message, "Invalid message: message/error/code must be an integer");
});

test("a result without an id answers nobody, and is refused", () => {
  const { id, answers } = invalid({ jsonrpc: "2.0", result: {} });
  assert.deepEqual([id, answers], [undefined, true]);
  assert.equal(invalid({ jsonrpc: "2.0", id: null, result: {} }).id, undefined);
});

test("a message that is both request and response is refused, since two readers would see two things", () => {
  for (const rest of [{ result: {} }, { error: { code: 1, message: "" } }, { result: null }]) {
    const { id, answers } = invalid({ jsonrpc: "2.0", id: 1, method: "tools/call", ...rest });
    assert.deepEqual([id, answers], [1, false]);
  }
});

test("batches are refused in words, empty ones too (case 13)", () => {
  for (const batch of [[], [1], [{ jsonrpc: "2.0", id: 1, method: "ping" }]]) {
    const found = invalid(batch);
    assert.match(found.error.message, /batches are not accepted here/);
    assert.deepEqual([found.error.code, found.id], [-32600, undefined]);
  }
});

test("another JSON-RPC version, or none, is refused with the id", () => {
  for (const jsonrpc of [undefined, "1.0", 2, null]) {
    assert.deepEqual([invalid({ jsonrpc, id: 1, method: "a" }).id, invalid({ jsonrpc, id: 1, result: {} }).answers], [1, true]);
  }
});

test("values that are no object, or say nothing, are refused", () => {
  for (const value of [null, undefined, 1, "a", true, {}, { jsonrpc: "2.0" }]) assert.equal(invalid(value).id, undefined);
  assert.deepEqual([invalid({ jsonrpc: "2.0", id: 5 }).id, invalid({ jsonrpc: "2.0", id: 5 }).answers], [5, false]);
});

test("tells which requests wait no longer: those of broken responses, of what has nothing but an id or both a method and a result, and of responses in a batch", () => {
  const ends = (value: unknown) => invalid(value).ends;
  for (const rest of [{}, { result: 1 }, { error: 1 }, { result: {}, error: {} }, { Result: {} }, { extra: 1 }, { method: "x", result: {} }, { method: "x", params: {}, error: 1 }]) assert.deepEqual(ends({ jsonrpc: "2.0", id: 5, ...rest }), [5]);
  assert.deepEqual(ends({ jsonrpc: "1.0", id: "a" }), ["a"]);
  assert.deepEqual(ends({ id: "a", result: {} }), ["a"]);
  for (const rest of [{ method: 5 }, { Method: "x" }, { params: {} }, { Params: {} }]) assert.equal(ends({ jsonrpc: "2.0", id: 5, ...rest }), undefined);
  // A log has ids, too.
  for (const value of [{ id: 5 }, { id: 5, level: "info" }, { id: 5, method: "GET", error: "x" }, { jsonrpc: "2.0", id: 1.5 }, { jsonrpc: "2.0", result: {} }, { jsonrpc: "2.0", id: null, result: {} }]) assert.equal(ends(value), undefined);
  const done = { jsonrpc: "2.0", id: 1, result: {} };
  assert.deepEqual(ends([done, { jsonrpc: "2.0", id: "1", error: { code: 1, message: "" } }, done, { jsonrpc: "2.0", id: 2 }, 3, null]), [1, "1", 2]);
  // What is made of each costs, so that a body full of them must not count as many.
  assert.equal(ends(Array.from({ length: 200_000 }, (_, id) => ({ jsonrpc: "2.0", id })))?.length, 1_000);
  for (const batch of [[], [[done]], [{ jsonrpc: "2.0", id: 1, method: "ping" }], [{ jsonrpc: "2.0", error: { code: 1, message: "" } }]]) assert.equal(ends(batch), undefined);
});

test("members of the prototype do not count (case 16)", () => {
  const parsed: unknown = JSON.parse('{"jsonrpc":"2.0","id":1,"__proto__":{"method":"tools/call"}}');
  assert.match(invalid(parsed).error.message, /"__proto__" is none of JSON-RPC's/);
  invalid(Object.create({ jsonrpc: "2.0", id: 1, method: "a" }));
});

test("a member that JSON-RPC does not have is refused, whatever it is called (case 18)", () => {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call" };
  for (const extra of [{ Params: { name: "rm" } }, { Method: "x" }, { extra: "x" }, { constructor: 1 }, { "": 1 }]) {
    const found = invalid({ ...call, ...extra });
    assert.deepEqual([found.error.code, found.id, found.answers], [-32600, 1, false], JSON.stringify(extra));
  }
  for (const extra of [{ Error: { code: 1, message: "m" } }, { extra: 1 }]) assert.equal(invalid({ jsonrpc: "2.0", id: 1, result: {}, ...extra }).answers, true);
  assert.deepEqual([invalid({ jsonrpc: "2.0", id: 1, Result: {} }).id, invalid({ jsonrpc: "2.0", id: 1, Result: {} }).answers], [1, true]);
  assert.equal(invalid({ jsonrpc: "2.0", id: 1, ["re\u017fult"]: {} }).answers, true, "the long s is an s to readers that ignore case");
  assert.equal(invalid({ jsonrpc: "2.0", method: "notifications/x", extra: 1 }).id, undefined);
});

test("a param of a known method in another case is refused; methods of others name theirs as they like", () => {
  for (const [method, params] of [
    ["tools/call", { Name: "rm", arguments: {} }],
    ["tools/call", { name: "a", ARGUMENTS: {} }],
    ["tools/call", { name: "a", _Meta: {} }],
    ["resources/read", { URI: "file:///x" }],
    ["interceptor/invoke", { Payload: {} }],
    ["tools/call", { name: "a", argument\u017f: {} }],
    ["tools/call", { name: "a", ta\u017f\u212a: {} }],
  ] as const) {
    assert.match(invalid({ jsonrpc: "2.0", id: 1, method, params }).error.message, /not spelt as MCP has it/, JSON.stringify(params));
  }
  for (const method of ["acme/run", "notifications/acme"]) assert.notEqual(classify({ jsonrpc: "2.0", id: 1, method, params: { Name: "x" } }).kind, "invalid");
  assert.equal(classify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a", arguments: { Name: 1 }, own: 1 } }).kind, "request");
});
