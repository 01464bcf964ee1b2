import assert from "node:assert/strict";
import { test } from "node:test";
import { comparableOutcome } from "../../src/conformance/adapter-outcome.ts";
import type { ChainVector, FixtureDeclaration } from "../../src/conformance/vector.ts";

const of = (type: "validation" | "mutation") => (name: string): FixtureDeclaration => ({ name, type, behaviour: { do: "allow" } });
const INPUT: ChainVector["input"] = {
  servers: [
    { label: "s", interceptors: ["a", "b", "é"].map(of("validation")) },
    { label: "t", interceptors: ["m", "n"].map(of("mutation")) },
  ],
  execute: { event: "tools/call", phase: "request", payload: {} },
};

test("what is compared stays, whatever else an SDK's own objects hold", () => {
  const result = { interceptor: "a", type: "validation", phase: "request", valid: false, info: { durationMs: 5 } };
  assert.deepEqual(
    comparableOutcome(
      {
        status: "success", event: "tools/call", totalDurationMs: 5, finalPayload: { event: 1 }, payloadAfterwards: null, validationSummary: { errors: 0, warnings: 0, infos: 0 },
        results: [{ ...result, durationMs: 3, elapsedMs: 3.5, address: "s/a", resultType: "complete", _meta: {} }, { interceptor: "b", error: { code: -32603, reason: "crashed", message: "NPE", stack: [] } }, null],
        abortedAt: { interceptor: "a", address: "s/a", reason: "denied", type: "validation", phase: "request" },
        error: { code: -32602, message: "no", data: { a: 1 }, cause: "x" },
      },
      INPUT,
    ),
    {
      status: "success", finalPayload: { event: 1 }, payloadAfterwards: null, validationSummary: { errors: 0, warnings: 0, infos: 0 },
      results: [result, { interceptor: "b", error: { code: -32603, reason: "crashed" } }, null],
      abortedAt: { interceptor: "a", reason: "denied", type: "validation" },
      error: { code: -32602, message: "no", data: { a: 1 } },
    },
  );
});

test("what a refresh did, what was cancelled and what was logged stay, without what else there is to say of them", () => {
  const outcome = { refresh: { added: ["s/a"], removed: [], changed: [], tookMs: 3 }, cancelled: ["é", "b", "a"], logged: [{ level: "error", address: "s/a", reason: "crashed", at: 5 }], unfinished: ["b", "a"], lateAnswers: 1 };
  assert.deepEqual(comparableOutcome(outcome, INPUT), {
    ...outcome,
    refresh: { added: ["s/a"], removed: [], changed: [] },
    cancelled: ["a", "b", "é"],
    logged: [{ level: "error", address: "s/a", reason: "crashed" }],
    abortedAt: undefined,
    error: undefined,
  });
  assert.deepEqual(comparableOutcome({ refresh: "refused" }, INPUT)["refresh"], "refused");
  assert.deepEqual(comparableOutcome({ aborted: true, calls: [], status: null }, INPUT), { aborted: true, calls: [], status: null, abortedAt: undefined, error: undefined });
});

test("the payload of a result that did not modify it is not looked at", () => {
  const results = [{ modified: false, payload: {} }, { modified: true, payload: {} }, { payload: {} }];
  assert.deepEqual(comparableOutcome({ results }, INPUT)["results"], [{ modified: false }, ...results.slice(1)]);
});

test("null says that there is no `abortedAt` and no `error`, and a missing payload stays missing", () => {
  assert.deepEqual(comparableOutcome({ status: "success", abortedAt: null, error: null, finalPayload: null }, INPUT), { status: "success", abortedAt: undefined, error: undefined, finalPayload: null });
});

test("the calls of validators between two mutators are put by name in code point order, those of mutators are not", () => {
  const calls = (names: string) => [...names].map((interceptor) => ({ interceptor, payload: {} }));
  assert.deepEqual(comparableOutcome({ calls: calls("ébanmbaé") }, INPUT)["calls"], calls("abénmabé"));
});

test("a refusal, and what is no outcome at all, are left for the comparison", () => {
  assert.deepEqual(comparableOutcome({ refused: true }, INPUT), { refused: true });
  const odd = comparableOutcome({ calls: 5, results: "x", error: 3, abortedAt: [] }, INPUT);
  assert.deepEqual(odd, { calls: 5, results: "x", error: 3, abortedAt: [] });
});
