import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ErrorCode, LocalError, RpcError, describeError } from "../../../src/core/base/errors.ts";

describe("LocalError", () => {
  it("carries code, message, details and cause", () => {
    const cause = new TypeError("inner");
    const error = new LocalError("timeout", "too late", { details: { ms: 5 }, cause });
    assert.ok(error instanceof Error);
    const { name, code, message, details } = error;
    assert.deepEqual({ name, code, message, details }, { name: "LocalError", code: "timeout", message: "too late", details: { ms: 5 } });
    assert.equal(error.cause, cause);
  });

  it("has neither details nor cause where none is given", () => {
    const error = new LocalError("closed", "over");
    assert.equal(error.details, undefined);
    assert.ok(!("cause" in error));
  });
});

describe("RpcError", () => {
  it("gives the error member of a response, with data only where there is some", () => {
    const full = new RpcError(ErrorCode.invalidParams, "bad", { path: "/a" });
    assert.deepStrictEqual(full.toJson(), { code: -32602, message: "bad", data: { path: "/a" } });
    assert.deepStrictEqual(new RpcError(1, "x").toJson(), { code: 1, message: "x" });
    assert.deepStrictEqual(new RpcError(1, "x", null).toJson(), { code: 1, message: "x", data: null });
  });
});

describe("describeError", () => {
  it("gives the message of errors and of what looks like one, and the text of anything else", () => {
    assert.equal(describeError(new TypeError("mine")), "mine");
    assert.equal(describeError(new TypeError("")), "TypeError");
    assert.equal(describeError("text"), "text");
    assert.equal(describeError({ message: "like one" }), "like one");
    assert.equal(describeError({ message: 5 }), "[object Object]");
    assert.equal(describeError(undefined), "undefined");
    assert.equal(describeError(Symbol("s")), "Symbol(s)");
  });

  it("gives a text whatever was done to the error", () => {
    const number: unknown = Object.assign(new Error("x"), { message: 5 });
    const hostile = [
      Object.create(null),
      { get message(): string { throw new Error("no"); } },
      { toString: () => ({}) },
      new Proxy({}, { has() { throw new Error("no"); } }),
      Object.defineProperty(new Error("x"), "message", { get() { throw new Error("no"); } }),
    ];
    assert.equal(describeError(number), "5");
    for (const thrown of hostile) assert.equal(describeError(thrown), "an error that cannot be read");
  });
});
