import assert from "node:assert/strict";
import { test } from "node:test";
import { diffJson } from "../../src/core/base/json-diff.ts";
import { blamedRequirements, PART_REQUIREMENTS } from "../../src/conformance/blame.ts";
import type { Vector } from "../../src/conformance/vector.ts";
import { requirements } from "./vectors.ts";

const EXPECT = {
  status: "validation_failed",
  calls: [{ interceptor: "v", payload: {} }],
  results: [{ interceptor: "v", mode: "audit", valid: false, info: { config: {} } }],
  validationSummary: { errors: 1, warnings: 0, infos: 0 },
  abortedAt: { interceptor: "v", reason: "denied", type: "validation" },
  payloadAfterwards: { a: 1 },
  error: { code: -32602, message: "no", data: {} },
};
const vector = (proves: readonly string[], expect: object = EXPECT, kind: Vector["kind"] = "chain") =>
  ({ id: `${kind}/x`, kind, title: "x", requirements: proves, input: {}, expect }) as unknown as Vector;
const blame = (proves: readonly string[], actual: object, expect: object = EXPECT, kind?: Vector["kind"]) => blamedRequirements(vector(proves, expect, kind), actual, diffJson(expect, actual));

test("what differs in a part that has requirements of its own speaks against the general one of them", () => {
  const one = ["verdict.error-blocks"];
  assert.deepEqual(blame(one, { ...EXPECT, error: { code: -32000 } }), ["boundary.validation"]);
  assert.deepEqual(blame(one, { ...EXPECT, error: undefined }), ["boundary.validation"]);
  assert.deepEqual(blame(one, { ...EXPECT, finalPayload: {} }), ["atomic.final-payload"]);
  assert.deepEqual(blame(one, { status: "success" }, { status: "success", finalPayload: {} }), ["atomic.final-payload"]);
  assert.deepEqual(blame(one, { ...EXPECT, validationSummary: { errors: 2, warnings: 0, infos: 0 } }), ["verdict.summary"]);
  assert.deepEqual(blame(one, { ...EXPECT, payloadAfterwards: { a: 2 } }), ["isolation"]);
  for (const abortedAt of [undefined, { ...EXPECT.abortedAt, reason: "boom" }, { ...EXPECT.abortedAt, type: "timeout" }]) assert.deepEqual(blame(one, { ...EXPECT, abortedAt }), ["verdict.aborted-at"]);
  assert.deepEqual(blame(one, { ...EXPECT, abortedAt: { ...EXPECT.abortedAt, interceptor: "w" } }), one);
  assert.deepEqual(blame(one, { ...EXPECT, results: [{ interceptor: "v", valid: false, info: {} }] }), ["audit.recorded", "config.overlay"]);
  assert.deepEqual(blame(one, { ...EXPECT, results: [{ ...EXPECT.results[0], severity: "error" }] }), ["verdict.unambiguous"]);
  assert.deepEqual([...blame(one, { ...EXPECT, error: { code: -32000 }, finalPayload: {} })].sort(), ["atomic.final-payload", "boundary.validation"]);
  for (const [code, id] of [[-32603, "boundary.mutation"], [-32000, "boundary.timeout"]] as const) {
    assert.deepEqual(blame(one, { ...EXPECT, error: { code: 1 } }, { ...EXPECT, error: { code } }), [id]);
  }
});

test("it speaks against the vector's own requirement where that is about this part", () => {
  assert.deepEqual(blame(["time.error", "time.cancel"], { ...EXPECT, error: { code: 1 } }, { ...EXPECT, error: { code: -32000 } }), ["time.error"]);
  assert.deepEqual(blame(["atomic", "fail.closed"], { ...EXPECT, payloadAfterwards: {} }), ["atomic"]);
  assert.deepEqual(blame(["x", "invoke.config"], { ...EXPECT, results: [{ ...EXPECT.results[0], info: { config: { a: 1 } } }] }), ["invoke.config"]);
});

test("any other difference speaks against all that the vector proves, and a wrong status against nothing else", () => {
  const two = ["verdict.error-blocks", "order.receiving"];
  assert.deepEqual(blame(two, { ...EXPECT, calls: [] }), two);
  assert.deepEqual(blame(two, { ...EXPECT, results: [] }), two);
  assert.deepEqual([...blame(two, { ...EXPECT, abortedAt: undefined, error: undefined })].sort(), ["boundary.validation", "verdict.aborted-at"]);
  assert.deepEqual(blame(two, { ...EXPECT, status: "success", error: undefined, finalPayload: {} }), two);
  assert.deepEqual(blame(two, { refused: true }), two);
  assert.deepEqual(blame(two, { hangs: "no answer" }), two);
  assert.deepEqual(blamedRequirements(vector(two), {}, []), two);
  // A payload that is another one than expected, and an error that was not.
  assert.deepEqual(blame(two, { status: "success", finalPayload: { a: 2 } }, { status: "success", finalPayload: { a: 1 } }), two);
  assert.deepEqual(blame(two, { status: "success", error: { code: 1 } }, { status: "success" }), two);
});

test("results in another order speak against their order alone, if they are the same results", () => {
  const [a, b, c] = ["a", "b", "c"].map((interceptor) => ({ interceptor, valid: true }));
  const expect = { status: "success", calls: [], results: [a, b] };
  assert.deepEqual(blame(["isolation"], { ...expect, results: [b, a] }, expect), ["order.results"]);
  assert.deepEqual(blame(["isolation"], { ...expect, results: [b, a], calls: [{}] }, expect).toString(), "isolation,order.results");
  for (const results of [[b, c], [b], [b, a, a], 5]) assert.deepEqual(blame(["isolation"], { ...expect, results }, expect), ["isolation"]);
});

test("a failure that is recorded in another way, or not at all, speaks against that alone, unless it is recorded as a success", () => {
  const error = { code: -32603, reason: "crashed" };
  const failed = { interceptor: "x", type: "validation", phase: "request", error };
  const audit = { ...failed, interceptor: "y", mode: "audit" };
  const good = { interceptor: "z", type: "validation", phase: "request", valid: true };
  const expect = { status: "validation_failed", calls: [], results: [failed, audit, good], abortedAt: { interceptor: "x", reason: "crashed", type: "validation" } };
  const of = (proves: readonly string[], actual: object) => blame(proves, { ...expect, ...actual }, expect);
  const { error: _, ...bare } = failed;
  for (const results of [[audit, good], [{ ...bare, error: "boom" }, audit, good], [{ ...bare, valid: false, severity: "error" }, audit, good], [good]]) {
    assert.deepEqual(of(["fail.closed", "time.cancel"], { results }), ["fail.recorded"], JSON.stringify(results));
  }
  assert.deepEqual(of(["audit.recorded"], { results: [failed, good] }), ["audit.recorded"]);
  assert.deepEqual(of(["audit.recorded"], { results: [failed, { ...audit, error: 1 }, good] }), ["fail.recorded"]);
  const limited = { ...expect, results: [{ ...failed, error: { code: -32000, reason: "timeout", timeoutMs: 5 } }] };
  assert.deepEqual(blame(["time.smaller"], { ...limited, results: [{ ...failed, error: { code: -32000, reason: "timeout", timeoutMs: 6 } }] }, limited), ["time.smaller"]);
  assert.deepEqual(blame(["time.smaller"], { ...limited, results: [{ ...failed, error: { code: -32000, reason: "timeout" } }] }, limited), ["fail.recorded"]);
  const two = ["fail.closed", "time.cancel"];
  for (const results of [[{ ...bare, valid: true }, audit, good], [failed, audit], [failed, audit, { ...good, valid: false }], [failed, audit, good, { ...good, interceptor: "new" }], 5]) {
    assert.deepEqual(of(two, { results }), two, JSON.stringify(results));
  }
});

test("whom a blocked validation names belongs to those that were waited for, where the vector is about them", () => {
  const item = (interceptor: string) => ({ interceptor, message: "denied", severity: "error" });
  const error = (...names: readonly string[]) => ({ code: -32602, data: { validationErrors: names.map(item) } });
  const expect = { ...EXPECT, error: error("a", "b") };
  assert.deepEqual(blame(["verdict.all-complete"], { ...expect, error: error("a") }, expect), ["verdict.all-complete"]);
  assert.deepEqual(blame(["verdict.all-complete"], { ...expect, error: { code: -32602, data: { errors: [] } } }, expect), ["boundary.validation"]);
  assert.deepEqual(blame(["verdict.error-blocks"], { ...expect, error: error("a") }, expect), ["boundary.validation"]);
});

test("of an invocation, the duration and the reported config have requirements of their own", () => {
  const expect = { result: { valid: true, durationMs: 0, info: { config: {} } } };
  assert.deepEqual(blame(["verdict.valid-passes"], { result: { valid: true, info: {} } }, expect, "invoke"), ["invoke.duration", "config.overlay"]);
  assert.deepEqual(blame(["verdict.valid-passes"], { error: { code: 1 } }, expect, "invoke"), ["verdict.valid-passes"]);
});

test("a nested result speaks against the flat form, and beyond that as it would if it were flat", () => {
  const expect = { result: { type: "validation", valid: false, severity: "error" } };
  const one = ["verdict.error-blocks"];
  assert.deepEqual(blame(one, { result: { type: "validation", validation: { valid: false, severity: "error" } } }, expect, "invoke"), ["invoke.flat"]);
  assert.deepEqual(blame(one, { result: { type: "validation", validation: { valid: true, severity: "error" } } }, expect, "invoke"), ["invoke.flat", ...one]);
  assert.deepEqual(blame(one, { result: { type: "validation", mutation: { modified: true }, payload: {} } }, { result: { type: "validation", modified: true, payload: {} } }, "invoke"), ["invoke.flat"]);
  assert.deepEqual(blame(one, { result: { type: "validation", validation: true } }, expect, "invoke"), [...one, "verdict.unambiguous"]);
});

test("of a descriptor, members at their default have a requirement of their own, if there should be none", () => {
  const descriptor = { name: "x", failOpen: true };
  const one = ["descriptor.well-formed"];
  assert.deepEqual(blame(one, { accepted: { ...descriptor, mode: "" } }, { accepted: descriptor }, "descriptor"), ["list.defaults"]);
  assert.deepEqual(blame(one, { accepted: { ...descriptor, failOpen: false } }, { accepted: descriptor }, "descriptor"), one);
  assert.deepEqual(blame(one, { result: { interceptors: [{ ...descriptor, priorityHint: 0 }] } }, { result: { interceptors: [descriptor] } }, "list"), ["list.defaults"]);
});

test("the requirements that parts belong to are there", () => {
  const ids = new Set(requirements.map(({ id }) => id));
  assert.ok(PART_REQUIREMENTS.size >= 10);
  for (const id of PART_REQUIREMENTS) assert.ok(ids.has(id), id);
});
