import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { readLock, toolDigest, toolLock } from "../../src/library/tool-lock.ts";

const tool = { name: "a", description: "é", inputSchema: { type: "object", properties: { b: {}, a: {} } } };
const digest = `sha256:${createHash("sha256").update('{"description":"é","inputSchema":{"properties":{"a":{},"b":{}},"type":"object"},"name":"a"}').digest("hex")}`;

test("gives the digests of tools, whatever the order of their members", () => {
  assert.equal(toolDigest(tool), digest);
  assert.deepEqual(toolLock([tool, { name: "__proto__" }, {}, null]), JSON.parse(`{"a":"${digest}","__proto__":"${toolDigest({ name: "__proto__" })}"}`));
  assert.notEqual(toolDigest({ ...tool, description: "e" }), digest);
});

test("reads a lock by tool, by server, or as text", () => {
  for (const lock of [{ a: digest }, JSON.stringify({ a: digest }), { one: { a: digest } }]) assert.equal(readLock(lock, "x")?.("a", "one"), digest);
  const lock = readLock({ one: { a: digest }, b: digest }, "x");
  assert.deepEqual([lock?.("a", "two"), lock?.("b", "two"), lock?.("b", "one"), lock?.("toString", undefined)], [undefined, digest, undefined, undefined]);
  assert.equal(readLock(undefined, "x"), undefined);
});

test("refuses what is no lock", () => {
  for (const [lock, message] of [["{", /is a text that is no JSON/], ["[]", /must be an object/], [5, /must be an object/], [{ a: "0" }, /lock, "a" must be "sha256:"/], [{ s: { a: null } }, /lock, "a"/]] as const) {
    assert.throws(() => readLock(lock, "x"), { code: "invalid_argument", message });
  }
});
