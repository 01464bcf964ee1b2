import assert from "node:assert/strict";
import { test } from "node:test";
import { RpcError } from "../../../src/core/base/errors.ts";
import { classify } from "../../../src/core/chain/classify.ts";

const reasonOf = (code: number, data?: unknown) => classify(new RpcError(code, "no", data), 1_000).reason;

test("an error that a transport made up, as no answer came, makes a source unavailable; the server's own is a crash", () => {
  assert.equal(reasonOf(-32603, { delivery: "none" }), "unavailable");
  assert.equal(reasonOf(-32603, { delivery: "unknown", httpStatus: 502 }), "unavailable");
  assert.equal(reasonOf(-32603), "crashed");
  assert.equal(reasonOf(-32603, { reason: "invalid_config" }), "invalid_config");
});
