import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { createDigester } from "../../../src/core/chain/digest.ts";
import { fakeHost } from "../../support/fake-host.ts";

const host = (fill: number) => ({ ...fakeHost(), random: (bytes: Uint8Array) => bytes.fill(fill) });

test("a digest is the first half of an HMAC-SHA256 over the text with sorted members", () => {
  const digest = createDigester(host(7));
  const texts: [unknown, string][] = [
    ["é😀", '"é😀"'],
    [{ b: 1, a: [true, null, { "\ud800": undefined, d: -0 }] }, '{"a":[true,null,{"d":0}],"b":1}'],
    [{ "\ud800": 1 }, '{"\\ud800":1}'],
    ["x".repeat(1_000), JSON.stringify("x".repeat(1_000))],
  ];
  for (const [value, text] of texts) {
    const expected = createHmac("sha256", Buffer.alloc(64, 7)).update(text).digest("hex").slice(0, 32);
    assert.equal(digest(value), `digest:${expected}`);
  }
});

test("values of different types differ, and so do equal values under different keys", () => {
  const digest = createDigester(host(1));
  const all = ["1", 1, true, "true", null, "null", [], {}, "", [1], { "1": 1 }].map(digest);
  assert.equal(new Set(all).size, all.length);
  assert.notEqual(digest("x"), createDigester(host(2))("x"));
});

test("the key is made once, and not before it is needed", () => {
  let made = 0;
  const digest = createDigester({ ...fakeHost(), random: (bytes) => (made++, bytes) });
  assert.equal(made, 0);
  digest(1);
  digest(2);
  assert.equal(made, 1);
});
