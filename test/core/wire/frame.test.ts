import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError } from "../../../src/core/base/errors.ts";
import { DEFAULT_LIMITS, resolveLimits } from "../../../src/core/base/limits.ts";
import {
  decodeFrame, encodeFrame, errorFrame, notificationFrame, resultFrame, type InvalidFrame,
} from "../../../src/core/wire/frame.ts";

function invalid(text: string, limits = DEFAULT_LIMITS): InvalidFrame {
  const { invalid: found } = decodeFrame(text, limits);
  assert.notEqual(found, undefined, `${text} decodes`);
  return found!;
}

test("a decoded frame keeps its exact source", () => {
  const text = ' {"jsonrpc" : "2.0","id":1.0,"method":"a","params":{"n":1.10}}';
  const { frame } = decodeFrame(text, DEFAULT_LIMITS);
  assert.deepEqual(frame, { message: { jsonrpc: "2.0", id: 1, method: "a", params: { n: 1.1 } }, text });
});

test("text that is no JSON is a parse error without an id", () => {
  for (const text of ["", "{", "Server v1 running", '{"jsonrpc":"2.0","id":1,"method":"a"}}', '{"id":NaN}']) {
    const { error, id, answers } = invalid(text);
    assert.deepEqual([error.code, id, answers], [-32700, undefined, undefined], text);
    assert.match(error.message, /^Parse error: .+\(offset \d+\)\. Send one JSON object/);
  }
});

test("JSON that is no message is refused as the classifier says", () => {
  assert.deepEqual(Object.keys(invalid('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":[]}')).sort(), ["answers", "error", "id"]);
  assert.match(invalid("[]").error.message, /batches/);
});

test("nesting at the limit passes, one level more is refused with the id (case 17)", () => {
  const nested = (levels: number) => `{"jsonrpc":"2.0","id":9,"method":"a","params":{"x":${"[".repeat(levels)}${"]".repeat(levels)}}}`;
  const limits = resolveLimits({ maxDepth: 10 });
  assert.notEqual(decodeFrame(nested(8), limits).frame, undefined);
  const { error, id, answers } = invalid(nested(9), limits);
  assert.deepEqual([error.code, id, answers], [-32600, 9, false]);
  assert.match(error.message, /deeper than 10 .*\(offset \d+\).*limits\.maxDepth/);
  const { reason, offset } = error.data as { reason: string; offset: number };
  assert.deepEqual([reason, offset], ["depth", nested(9).indexOf("[") + 8]);
  assert.notEqual(decodeFrame(nested(126), DEFAULT_LIMITS).frame, undefined);
  assert.equal(invalid(nested(400_000)).id, 9, "a nesting that would overflow a recursive reader");
});

test("brackets in strings are no nesting", () => {
  const text = JSON.stringify({ jsonrpc: "2.0", method: "a", params: { x: '[[[[\\"[[[[{{{{' } });
  assert.notEqual(decodeFrame(text, resolveLimits({ maxDepth: 2 })).frame, undefined);
});

test("size counts bytes of UTF-8, at the limit and one above", () => {
  const text = '{"jsonrpc":"2.0","id":"ü","method":"😀€"}';
  const bytes = Buffer.byteLength(text);
  assert.notEqual(decodeFrame(text, resolveLimits({ maxMessageBytes: bytes })).frame, undefined);
  const { error, id } = invalid(text, resolveLimits({ maxMessageBytes: bytes - 1 }));
  assert.deepEqual([error.code, id], [-32600, "ü"]);
  assert.match(error.message, /limits\.maxMessageBytes/);
});

// Everything is over this limit, so that any text is refused.
const refuse = (text: string) => invalid(text, resolveLimits({ maxMessageBytes: 1 }));

test("what the scanner refuses is -32600 with the id, and says what, where and what to do (case 18)", () => {
  const text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"rm"}}';
  assert.deepEqual(invalid(text), {
    error: {
      code: -32600,
      message: "Invalid message: a key stands twice in one object at /params/name (offset 70). Give each member of an object once.",
      data: { reason: "duplicate_key", pointer: "/params/name", offset: 70 },
    },
    id: 1,
    answers: false,
  });
});

test("a text with two ids, in whatever case or spelling, has none", () => {
  assert.equal(refuse('{"id":1,"id":2,"method":"a"}').id, undefined);
  assert.equal(refuse('{"id":1,"ID":2,"method":"a"}').id, undefined);
  assert.equal(refuse('{"id":1,"\\u0069d":2,"method":"a"}').id, undefined);
  assert.equal(refuse('{"Id":1,"method":"a"}').id, undefined);
  assert.equal(refuse('{"params":{"id":5},"id":"a,}b","x":[{"id":6}]}').id, "a,}b");
  assert.equal(refuse('{"\\u0069d" : 3 }').id, 3);
  assert.equal(refuse('{"id":{"id":1}}').id, undefined);
  assert.equal(refuse('{"id":1.5}').id, undefined);
  assert.equal(refuse('[{"id":1}]').id, undefined);
  assert.equal(refuse('"id":1').id, undefined);
});

test("a refused response is told apart from a refused request", () => {
  assert.equal(refuse('{"id":1,"result":{}}').answers, true);
  assert.equal(refuse('{"id":1,"error":{}}').answers, true);
  assert.equal(refuse('{"id":1,"params":{"result":1}}').answers, false);
  assert.equal(refuse('{"id":1,"result":{},"method":"a"}').answers, false);
});

test("a refused text tells the request that waits no longer", () => {
  assert.deepEqual(refuse('{"id":1,"result":{}}').ends, [1]);
  assert.deepEqual(refuse('{"jsonrpc":"2.0","id":"a","x":1}').ends, ["a"]);
  assert.deepEqual(refuse('{"jsonrpc":"2.0","id":"a","method":"x","result":{}}').ends, ["a"]);
  for (const text of ['{"id":1,"x":1}', '{"id":1,"method":"x","result":{}}', '{"jsonrpc":"2.0","id":1,"Method":1}', '{"jsonrpc":"2.0","id":1,"params":1}', '{"jsonrpc":"2.0","id":1,"ID":1,"result":1}']) assert.equal(refuse(text).ends, undefined, text);
});

test("a long pointer is cut short in the answer", () => {
  const key = JSON.stringify("x".repeat(5_000));
  const { error } = invalid(`{"jsonrpc":"2.0","id":1,"method":"a","params":{${key}:1,${key}:2}}`);
  assert.match(error.message, /\/params\/xxx/);
  assert.ok(error.message.length < 500);
});

test("frames are built with the members that they need, and no others", () => {
  assert.equal(encodeFrame(notificationFrame("n")), '{"jsonrpc":"2.0","method":"n"}');
  assert.equal(encodeFrame(notificationFrame("n", {})), '{"jsonrpc":"2.0","method":"n","params":{}}');
  assert.equal(encodeFrame(resultFrame(1, {})), '{"jsonrpc":"2.0","id":1,"result":{}}');
  assert.equal(encodeFrame(errorFrame(null, { code: -32600, message: "m" })), '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}');
});

test("a frame with its source is written from it, lexeme for lexeme", () => {
  const text = '{"jsonrpc":"2.0","id":1,"result":{"big":1915883588174806058,"n":1.10}}';
  assert.equal(encodeFrame(decodeFrame(text, DEFAULT_LIMITS).frame!), text);
});

test("what is written is one line, and still means the same (case 2)", () => {
  const text = '{\r\n "jsonrpc":"2.0",\n"id":1,"result":{"t":"before\u2028after\u2029\\n"}}';
  const frame = decodeFrame(text, DEFAULT_LIMITS).frame!;
  for (const line of [encodeFrame(frame), encodeFrame({ message: frame.message })]) {
    assert.doesNotMatch(line, /[\n\r]/);
    assert.deepEqual(JSON.parse(line), JSON.parse(text));
  }
  // What is passed on stays as it came; in what we write, nothing is that a lax reader takes for the end of a line.
  assert.equal(encodeFrame(frame), text.replace(/[\n\r]/g, " "));
  assert.doesNotMatch(encodeFrame({ message: frame.message }), /[\u2028\u2029]/);
});

test("a message that JSON cannot carry is refused with a local error", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  for (const result of [cyclic, { big: 1n }]) {
    assert.throws(() => encodeFrame(resultFrame(1, result)), (thrown: unknown) => thrown instanceof LocalError && thrown.code === "not_json");
  }
});

test("a message that holds the same objects in many places is refused, as one is that JSON cannot carry", () => {
  let params: object = { text: "x" };
  for (let doubled = 0; doubled < 30; doubled++) params = { list: [params, params] };
  const limits = resolveLimits({ maxMessageBytes: 100_000 });
  assert.throws(() => encodeFrame(notificationFrame("n", params as { list: unknown }), limits), { code: "limit_exceeded", message: /more than 100000 bytes/ });
  assert.throws(() => encodeFrame(notificationFrame("n", { x: NaN })), { code: "not_json" });
});
