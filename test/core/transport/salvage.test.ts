import assert from "node:assert/strict";
import { test } from "node:test";
import { salvage, withSalvage } from "../../../src/core/transport/salvage.ts";

const both = (text: string) => salvage(text, text);
const response = (id: string | number) => ({ object: true, id, kind: "response" });
const request = (id: string | number) => ({ object: true, id, kind: "request" });
const unknown = { object: true, kind: "unknown" };

const table: { what: string; text: string; found: object }[] = [
  { what: "an id before a result that does not end", text: '{"jsonrpc":"2.0","id":7,"result":{"a":[1,{"id":9}', found: response(7) },
  { what: "an id behind a broken result", text: '{"result":{"a":1,,},"jsonrpc":"2.0","id":7}', found: response(7) },
  { what: "an id behind a result, then the version", text: '{"result":{"a":1},"id":"x","jsonrpc":"2.0"} \r', found: response("x") },
  { what: "an id with escapes", text: '{"id":"a\\"\\u00e9","error":{', found: response('a"é') },
  { what: "the id of a request", text: '{"method":"a","params":{"x":"},\\"id\\":3","id":4},"jsonrpc":"2.0","id":0}', found: request(0) },
  { what: "a negative id", text: '{"id":-4,"method":"x",', found: request(-4) },
  { what: "no id of an inner object", text: '{"result":{"a":{"id":7}}', found: { object: true, kind: "response" } },
  { what: "no id of an inner object at the end", text: '{"result":{"x":1,"id":7}}', found: { object: true, kind: "response" } },
  { what: "no id that is no integer", text: '{"id":1.5,"result":1}', found: { object: true, kind: "response" } },
  { what: "no id past the safe integers", text: '{"id":9007199254740993,"result":1}', found: { object: true, kind: "response" } },
  { what: "no id that is null", text: '{"id":null,"error":{}}', found: { object: true, kind: "response" } },
  { what: "no id that is cut off", text: '{"result":1,"id":12', found: { object: true, kind: "response" } },
  { what: "the first of two ids", text: '{"id":1,"result":{},"id":2}', found: response(1) },
  { what: "nothing of a log record", text: '{"level":"info","id":5}', found: { ...unknown, id: 5 } },
  { what: "nothing of a text", text: 'log {"id":1,"result":{}}', found: { object: false, kind: "unknown" } },
  { what: "nothing of an array", text: '[{"id":1,"result":{}}]', found: { object: false, kind: "unknown" } },
  { what: "nothing of no text", text: "", found: { object: false, kind: "unknown" } },
];

for (const { what, text, found } of table) {
  test(`salvages ${what}`, () => assert.deepEqual(both(text), found));
}

test("knows a member's name by what it says, not by how it is written", () => {
  assert.deepEqual(both('{"error":1,"m\\u0065thod":"a","\\u0069d":7}'), { object: true, id: 7, kind: "request" });
  assert.deepEqual(both('{"r\\u0065sult":{},"id":7}'), { object: true, id: 7, kind: "response" });
  assert.deepEqual(both('{"\\q":1,"id":7}'), { object: true, id: 7, kind: "unknown" }, "what is no JSON at all is passed over");
});

test("reads the two ends of a text of which the middle is missing", () => {
  assert.deepEqual(salvage('{"result":{"text":"aaaa', 'aaaa"},"jsonrpc":"2.0","id":3}'), response(3));
  assert.deepEqual(salvage('{"result":{"text":"aaaa', 'aaaa"}]}}'), { object: true, kind: "response" });
});

test("is not slowed down by text that is made to be slow", () => {
  const hostile = [
    '{"' + "\\".repeat(1_000_000),
    "{" + '"a":1,'.repeat(200_000),
    "{" + ',"id":'.repeat(200_000),
    '{"a":' + "[".repeat(1_000_000),
    "{" + " ".repeat(1_000_000) + ',"id":1',
  ];
  const started = process.cpuUsage();
  for (const text of hostile) both(text);
  const { user } = process.cpuUsage(started);
  assert.ok(user < 500_000, `${user} µs`);
});

test("adds nothing to what a decoder has read, and nothing that is neither request nor response", () => {
  const error = { code: -32600, message: "m" };
  assert.deepEqual(withSalvage({ error, id: 1, answers: true }, { object: true, id: 2, kind: "request" }), { error, id: 1, answers: true });
  assert.deepEqual(withSalvage({ error }, { object: true, id: 2, kind: "unknown" }), { error });
  assert.deepEqual(withSalvage({ error }, { object: true, id: 2, kind: "response" }), { error, id: 2, answers: true, ends: [2] });
});
