import assert from "node:assert/strict";
import { test } from "node:test";
import { createRandomHex } from "../../../src/core/base/random-hex.ts";
import { fakeHost } from "../../support/fake-host.ts";

test("random digits are the bytes of the host, each used once, and the host is asked for many at a time", () => {
  const host = fakeHost();
  let asked = 0;
  let next = 0;
  const randomHex = createRandomHex({
    ...host,
    random(bytes) {
      asked++;
      for (let at = 0; at < bytes.length; at++) bytes[at] = next++ % 256;
      return bytes;
    },
  });
  assert.equal(asked, 0, "nothing is asked for before it is needed");
  assert.equal(randomHex(4), "00010203");
  assert.equal(randomHex(2), "0405");
  assert.equal(asked, 1);
  const seen = new Set(Array.from({ length: 400 }, () => randomHex(16)));
  assert.ok(asked > 1 && asked < 10, `asked ${asked} times`);
  assert.ok([...seen].every((text) => /^[0-9a-f]{32}$/.test(text)));
});
