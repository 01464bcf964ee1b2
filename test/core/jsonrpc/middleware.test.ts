import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createPipeline } from "../../../src/core/jsonrpc/middleware.ts";

interface Call {
  readonly params: string;
}

describe("createPipeline", () => {
  test("runs the handler alone where nothing wraps it", () => {
    assert.equal(createPipeline((call: Call) => call.params).run({ params: "a" }), "a");
  });

  test("runs wrappers from the first used to the last, and back", () => {
    const log: string[] = [];
    const pipeline = createPipeline((call: Call) => log.push(`handler ${call.params}`));
    for (const name of ["outer", "inner"]) {
      pipeline.use((next) => (call) => {
        log.push(`${name} in`);
        const outcome = next({ ...call, params: `${call.params} ${name}` });
        log.push(`${name} out`);
        return outcome;
      });
    }
    pipeline.run({ params: "x" });
    assert.deepEqual(log, ["outer in", "inner in", "handler x outer inner", "inner out", "outer out"]);
  });

  test("runs each wrapper function once, so that its own state survives", () => {
    let made = 0;
    const pipeline = createPipeline((call: Call) => call.params);
    pipeline.use((next) => {
      made++;
      return next;
    });
    pipeline.use((next) => next);
    pipeline.run({ params: "a" });
    pipeline.run({ params: "b" });
    assert.equal(made, 1);
  });

  test("lets a wrapper answer without next()", () => {
    const pipeline = createPipeline((_call: Call): string => assert.fail("not reached"));
    pipeline.use(() => () => "mine");
    assert.equal(pipeline.run({ params: "a" }), "mine");
  });

  for (const [name, copy] of [["the call", (call: Call) => call], ["a copy of it", (call: Call) => ({ ...call })]] as const) {
    test(`refuses a second next() with ${name}`, () => {
      let handled = 0;
      const pipeline = createPipeline((_call: Call) => ++handled);
      pipeline.use((next) => (call) => {
        next(copy(call));
        return next(copy(call));
      });
      pipeline.use((next) => (call) => next(call));
      assert.throws(() => pipeline.run({ params: "a" }), { code: "invalid_argument", message: /twice/ });
      assert.equal(handled, 1);
    });
  }

  test("refuses a call made from nothing, as its next() could not be counted", () => {
    const pipeline = createPipeline((call: Call) => call.params);
    pipeline.use((next) => () => next({ params: "made up" }));
    assert.throws(() => pipeline.run({ params: "a" }), { code: "invalid_argument", message: /spreads/ });
  });

  test("counts each call by itself", () => {
    const pipeline = createPipeline((call: Call) => call.params);
    pipeline.use((next) => (call) => next(call));
    assert.deepEqual(["a", "b"].map((params) => pipeline.run({ params })), ["a", "b"]);
  });
});
