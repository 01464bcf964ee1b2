import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, describeChainLog, describeCrash, describeInterceptors, describeNoise, printable } from "../../src/cli/describe.ts";

test("names of others stay on their line, without control characters, and within 80 characters", () => {
  assert.equal(printable("a\nb\u001b[31m\t\u0000\u007f\u009b\u2028\u202e\ud800"), "a\\nb\\u001b[31m\\t\\u0000\\u007f\\u009b\\u2028\\u202e\\ud800");
  assert.equal(printable("plain: é 😀 \"quoted\""), "plain: é 😀 \"quoted\"");
  assert.equal(printable("x".repeat(80)), "x".repeat(80));
  assert.equal(printable("x".repeat(81)), `${"x".repeat(80)}…`);
});

test("of many interceptors twenty are named", () => {
  const entry = (name: string) => ({ name, descriptor: { type: "validation" } });
  const names = Array.from({ length: 23 }, (_, index) => entry(`n${index}`));
  assert.equal(describeInterceptors([]), "no interceptors");
  assert.equal(describeInterceptors([entry("a\nb")]), "a\\nb (validation)");
  assert.match(describeInterceptors(names), /^n0 \(validation\), .*n19 \(validation\) and 3 more$/);
  assert.match(describeInterceptors(names.slice(0, 20)), /, n19 \(validation\)$/);
});

test("a failure is told by names and its reason, its text with --verbose alone", () => {
  const entry = { level: "error", address: "local/a\u001b", event: "tools/call", phase: "request", reason: "crashed", message: "validation failed: SECRET\nforged" } as const;
  assert.equal(describeChainLog(entry, false), "local/a\\u001b at the request of tools/call failed: crashed");
  assert.equal(describeChainLog(entry, true), "local/a\\u001b at the request of tools/call: validation failed: SECRET\\nforged");
  assert.equal(describeChainLog({ level: "warning", message: "no interceptors" }, false), "no interceptors");
});

test("a stray line is told by its length and what is wrong with it, but for the keys on the way there", () => {
  const noise = { text: 'SECRET", "more": 1', length: 5000, why: "Invalid message: a duplicate key at /result/SECRET at / (offset 1)/x (offset 77). Advice." };
  assert.equal(describeNoise("the server", noise, false), "the server wrote a line of 5000 characters that is no message (Invalid message: a duplicate key (offset 77). Advice.)");
  assert.equal(describeNoise("the server", { text: "SECRET", why: "Message too long" }, false), "the server wrote a line that is no message (Message too long)");
  assert.ok(describeNoise("the server", noise, true).endsWith(': "SECRET", "more": 1"'));
});

test("an error that nobody caught is told by the places in its stack, whatever its text holds", () => {
  const error = new TypeError("SECRET\n    at SECRET (file:///SECRET:1:1)");
  assert.match(describeCrash(error, false), /^an error\n +at .*describe\.test\.ts/);
  assert.ok(!describeCrash(error, false).includes("SECRET"));
  assert.ok(describeCrash(error, true).startsWith("TypeError: SECRET"));
  error.message = "changed later";
  assert.equal(describeCrash(error, false), "an error", "which lines are its text cannot be told any more");
  assert.equal(describeCrash("SECRET", false), "a thrown string");
  assert.equal(describeCrash("SECRET", true), "SECRET");
});

test("one thing is told without the plural", () => {
  assert.deepEqual([0, 1, 2].map((count) => counted(count, "tool")), ["0 tools", "1 tool", "2 tools"]);
});
