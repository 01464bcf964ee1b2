import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DEFAULT_LIMITS, resolveLimits, type Limits } from "../../../src/core/base/limits.ts";

describe("resolveLimits", () => {
  it("gives the defaults, and overlays what is given", () => {
    assert.deepEqual(resolveLimits(), DEFAULT_LIMITS);
    assert.deepEqual(resolveLimits({ maxDepth: 4 }), { ...DEFAULT_LIMITS, maxDepth: 4 });
    assert.ok(Object.isFrozen(DEFAULT_LIMITS));
  });

  it("has positive integers for defaults", () => {
    for (const [name, value] of Object.entries(DEFAULT_LIMITS)) assert.ok(Number.isSafeInteger(value) && value > 0, name);
  });

  it("takes 0 for the audit invocations that may run on, and for nothing else", () => {
    assert.equal(resolveLimits({ maxDetached: 0 }).maxDetached, 0);
    for (const value of [-1, 0.5, Number.NaN]) assert.throws(() => resolveLimits({ maxDetached: value }), { message: "limits.maxDetached must be a positive integer, or 0" });
    for (const name of Object.keys(DEFAULT_LIMITS)) if (name !== "maxDetached") assert.throws(() => resolveLimits({ [name]: 0 }), { code: "invalid_argument" }, name);
  });

  it("refuses a bound that is no positive integer, by name", () => {
    for (const value of [0, -1, 1.5, NaN, Infinity, 2 ** 53, "5", null, undefined]) {
      const refusal = { code: "invalid_argument", message: "limits.maxPages must be a positive integer" };
      assert.throws(() => resolveLimits({ maxPages: value } as Partial<Limits>), refusal, String(value));
    }
  });

  it("refuses a bound that it does not know, and says what it knows", () => {
    const message = /^limits\.maxDeph is not a limit; known are maxMessageBytes, maxDepth,/;
    assert.throws(() => resolveLimits({ maxDeph: 4 } as Partial<Limits>), { code: "invalid_argument", message });
    assert.throws(() => resolveLimits({ toString: 4 } as never), { code: "invalid_argument" });
  });
});
