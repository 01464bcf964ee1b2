import assert from "node:assert/strict";
import { test } from "node:test";
import { deliveryOf } from "../../../src/core/base/delivery.ts";
import { RpcError } from "../../../src/core/base/errors.ts";

test("an error tells of delivery by a member of its data that has one of the two words", () => {
  const told = (data?: unknown) => deliveryOf(new RpcError(-32603, "no", data));
  assert.deepEqual([told({ delivery: "none" }), told({ delivery: "unknown", httpStatus: 500 })], ["none", "unknown"]);
  for (const data of [undefined, null, "none", ["none"], {}, { delivery: true }, { delivery: "some" }, Object.create({ delivery: "none" })]) assert.equal(told(data), undefined);
});
