import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { toHex, utf8Encode } from "../../../src/core/base/bytes.ts";
import { hmacSha256 } from "../../../src/core/base/hmac.ts";

test("makes what the platform makes, with keys and messages shorter and longer than a block", () => {
  for (const keyBytes of [0, 1, 20, 63, 64, 65, 200]) {
    for (const messageBytes of [0, 3, 55, 64, 300]) {
      const key = Uint8Array.from({ length: keyBytes }, (_, at) => at * 7);
      const message = Uint8Array.from({ length: messageBytes }, (_, at) => at * 13);
      assert.equal(toHex(hmacSha256(key, message)), createHmac("sha256", key).update(message).digest("hex"), `${keyBytes}, ${messageBytes}`);
    }
  }
});

test("makes the second example of RFC 4231", () => {
  const made = hmacSha256(utf8Encode("Jefe"), utf8Encode("what do ya want for nothing?"));
  assert.equal(toHex(made), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
});
