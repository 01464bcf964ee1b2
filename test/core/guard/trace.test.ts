import assert from "node:assert/strict";
import { test } from "node:test";
import { createRandomHex } from "../../../src/core/base/random-hex.ts";
import { traceOf } from "../../../src/core/guard/trace.ts";
import { fakeHost } from "../../support/fake-host.ts";

test("random digits are those of the host's bytes, each used once", () => {
  let asked = 0;
  let next = 0;
  const host = {
    ...fakeHost(),
    random(bytes: Uint8Array) {
      asked++;
      for (let index = 0; index < bytes.length; index++) bytes[index] = next++;
      return bytes;
    },
  };
  const randomHex = createRandomHex(host);
  assert.equal(asked, 0, "nothing is asked for before it is needed");
  assert.equal(randomHex(4), "00010203");
  assert.equal(randomHex(2), "0405");
  for (let count = 0; count < 200; count++) assert.match(randomHex(16), /^[0-9a-f]{32}$/);
  assert.ok(asked > 1 && asked < 10, `asked ${asked} times`);
});

test("a well-formed traceparent gives the trace, anything else a new one", () => {
  const randomHex = (bytes: number) => "f".repeat(bytes * 2);
  const trace = (traceparent: unknown) =>
    traceOf({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", _meta: { traceparent } } }, randomHex);
  const fresh = { traceId: "f".repeat(32), spanId: "f".repeat(16) };
  const [traceId, spanId] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
  // A later version may have more behind what we know.
  for (const known of ["00-*-01", "01-*-00", "cc-*-01", "cc-*-01-what-comes-later", "cc-*-01-"]) {
    assert.deepEqual(trace(known.replace("*", `${traceId}-${spanId}`)), { traceId, spanId, given: true }, known);
  }
  const noSpan = `00-${traceId}-${"0".repeat(16)}-01`;
  const otherForms = ["ff-*-01", "ff-*-01-more", "00-*-01-more", "00-*-01-", "cc-*-01more", "cc-*-01-more\nmore"].map((form) => form.replace("*", `${traceId}-${spanId}`));
  for (const wrong of [undefined, 5, "", `00-${traceId}-${spanId}`, `00-${"0".repeat(32)}-${spanId}-01`, noSpan, `00-${traceId.toUpperCase()}-${spanId}-01`, ...otherForms]) {
    assert.deepEqual(trace(wrong), fresh, String(wrong));
  }
});
