import assert from "node:assert/strict";
import { test } from "node:test";
import { reportOf, runVectors } from "../../src/conformance/kit.ts";
import { NoOutcome } from "../../src/conformance/no-outcome.ts";
import type { Target } from "../../src/conformance/target.ts";
import type { CallVector, Requirement, Vector } from "../../src/conformance/vector.ts";
import { fakeHost } from "../support/fake-host.ts";

const requirement = (id: string, level: Requirement["level"]): Requirement => ({ id, level, source: "reading", section: "1", text: "It holds.", proofs: [] });
const REQUIREMENTS = [requirement("must", "MUST"), requirement("should", "SHOULD"), requirement("other", "MUST")];

const call = (id: string, proves: string[], expect: unknown = { result: { a: 1 } }): CallVector => ({
  id: `invoke/${id}`,
  kind: "invoke",
  title: id,
  requirements: proves,
  input: { method: "interceptor/invoke", params: { id } },
  expect,
});

async function run(vectors: readonly Vector[], target: Target, known: readonly string[] = []) {
  const host = fakeHost();
  const running = runVectors(vectors, target, { host, timeoutMs: 100, known: new Set(known) });
  for (let turn = 0; turn < vectors.length; turn++) await host.advance(100);
  const outcomes = await running;
  assert.equal(host.liveTimers, 0);
  return { outcomes, report: reportOf(outcomes, REQUIREMENTS) };
}

test("a target that answers as expected passes, whatever the order of members and the protocol's own", async () => {
  const { report } = await run([call("x", ["must"], { result: { a: 1, b: 2 } })], { invoke: () => ({ b: 2, a: 1, resultType: "complete", _meta: {} }) });
  assert.deepEqual(report.requirements.map(({ id, status, passed }) => [id, status, passed]), [["must", "held", 1], ["should", "untested", 0], ["other", "untested", 0]]);
  assert.equal(report.ok, true);
});

test("a broken MUST fails the run, and names its vector with both texts", async () => {
  const { report, outcomes } = await run([call("x", ["must"]), call("y", ["other"])], { invoke: ({ id }) => ({ a: id === "x" ? 2 : 1 }) });
  assert.deepEqual(report.requirements.map(({ status, failed }) => [status, failed]), [["broken", ["invoke/x"]], ["untested", []], ["held", []]]);
  assert.deepEqual([outcomes[0]?.expected, outcomes[0]?.actual], ['{"result":{"a":1}}', '{"result":{"a":2}}']);
  assert.deepEqual([report.ok, report.passed, report.failed, report.skipped], [false, 1, 1, 0]);
});

test("a broken SHOULD is told, and does not fail the run", async () => {
  const { report } = await run([call("x", ["should"])], { invoke: () => ({}) });
  assert.deepEqual([report.ok, report.failed, report.requirements[1]?.status], [true, 1, "broken"]);
});

test("a known failure runs, is told, and does not fail the run", async () => {
  let ran = 0;
  const { report, outcomes } = await run([call("x", ["must"])], { invoke: () => void ran++ }, ["invoke/x"]);
  assert.deepEqual([ran, outcomes[0]?.status, report.ok, report.failed], [1, "known", true, 1]);
});

test("a known failure that passes fails the run, since the list is wrong", async () => {
  const { report, outcomes } = await run([call("x", ["must"])], { invoke: () => ({ a: 1 }) }, ["invoke/x"]);
  assert.deepEqual([outcomes[0]?.status, report.ok, report.passed], ["fixed", false, 1]);
});

test("vectors of a kind that the target has no function for are skipped, and prove nothing", async () => {
  const { report, outcomes } = await run([call("x", ["must"])], {});
  assert.deepEqual([outcomes[0]?.status, report.skipped, report.requirements[0]?.status, report.ok], ["skipped", 1, "untested", true]);
});

test("a target may say that it has no means for a vector, which is skipped with the reason, known failure or not", async () => {
  const vectors = [call("x", ["must"]), call("y", ["must"])];
  const { report, outcomes } = await run(vectors, { invoke: () => Promise.reject(new NoOutcome("unsupported", "not here")) }, ["invoke/y"]);
  assert.deepEqual(outcomes.map(({ status, reason }) => [status, reason]), [["skipped", "not here"], ["skipped", "not here"]]);
  assert.deepEqual([report.skipped, report.requirements[0]?.status], [2, "untested"]);
});

test("a target that has broken down has failed, also where a refusal was expected", async () => {
  const broken = () => Promise.reject(new NoOutcome("broken", "it is gone"));
  const refusal: Vector = { id: "descriptor/x", kind: "descriptor", title: "x", requirements: ["must"], input: { descriptor: {} }, expect: { refused: true } };
  const malformed: Vector = { id: "dialect/x", kind: "dialect", title: "x", requirements: ["must"], input: { asked: { name: "a", type: "validation", phase: "request" }, answer: {} }, expect: { malformed: true } };
  const { outcomes } = await run([refusal, malformed], { descriptor: broken, dialect: broken });
  assert.deepEqual(outcomes.map(({ status, expected, actual }) => [status, expected, actual]), [["failed", '{"refused":true}', "it is gone"], ["failed", '{"malformed":true}', "it is gone"]]);
});

test("a failure names where the texts differ, volatile places apart, and not every place", async () => {
  const expect = { result: { a: 1, b: [1, 2], durationMs: { $volatile: "integer" }, ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`m${at}`, at])) } };
  const { outcomes } = await run([call("x", ["must"], expect), call("y", ["must"], { error: { code: 1 } })], { invoke: () => ({ a: 1, b: [1, 3], c: 0, durationMs: 7 }) });
  assert.equal(outcomes[0]?.differs?.[0], "/result/b/1");
  assert.ok(!outcomes[0]?.differs?.includes("/result/durationMs"));
  assert.equal(outcomes[0]?.differs?.length, 8);
  assert.deepEqual(outcomes[1]?.differs, ["/error", "/result"]);
});

test("a target is got ready before each vector, and the clock does not run meanwhile", async () => {
  const host = fakeHost();
  const kinds: string[] = [];
  const target: Target = {
    async ready(kind) {
      kinds.push(kind);
      await new Promise((resolve) => void host.setTimer(() => resolve(undefined), 5000));
    },
    invoke: () => ({ a: 1 }),
  };
  const running = runVectors([call("x", ["must"]), call("y", ["must"])], target, { host, timeoutMs: 100 });
  await host.advance(10_000);
  assert.deepEqual((await running).map(({ status }) => status), ["passed", "passed"]);
  assert.deepEqual(kinds, ["invoke", "invoke"]);
});

const cycle: { self?: unknown } = {};
cycle.self = cycle;
const FAULTS: Record<string, () => unknown> = {
  "throws a text": () => {
    throw "no";
  },
  "throws an error": () => {
    throw new Error("no");
  },
  "throws nothing": () => {
    throw undefined;
  },
  "never answers": () => new Promise(() => {}),
  "answers a cycle": () => cycle,
  "answers a function": () => () => {},
  "answers nothing": () => undefined,
  "answers a number out of JSON": () => ({ a: NaN }),
  "spoils the vector": (...args: unknown[]) => {
    Object.assign(args[0] as object, { id: "spoilt" });
    return { a: 2 };
  },
};
for (const [what, invoke] of Object.entries(FAULTS)) {
  test(`a target that ${what} has failed that vector, and the next one runs`, async () => {
    const good = call("good", ["other"]);
    const { outcomes } = await run([call("bad", ["must"]), good], { invoke: (params) => (params["id"] === "bad" ? (invoke as (p: unknown) => unknown)(params) : { a: 1 }) });
    assert.deepEqual(outcomes.map(({ status }) => status), ["failed", "passed"]);
    assert.ok(outcomes[0]?.actual);
  });
}

test("an error is compared by its code, and by message and data where the vector has them", async () => {
  const thrown = Object.assign(new Error("says"), { code: -32602, data: { a: 1 } });
  const target: Target = { invoke: () => Promise.reject(thrown) };
  const expectations: [unknown, string][] = [
    [{ error: { code: -32602 } }, "passed"],
    [{ error: { code: -32602, data: { a: 1 } } }, "passed"],
    [{ error: { code: -32602, message: "says", data: { a: 1 } } }, "passed"],
    [{ error: { code: -32603 } }, "failed"],
    [{ error: { code: -32602, data: { a: 2 } } }, "failed"],
    [{ error: { code: -32602, message: "other" } }, "failed"],
  ];
  for (const [expect, status] of expectations) assert.equal((await run([call("x", ["must"], expect)], target)).outcomes[0]?.status, status, JSON.stringify(expect));
});

test("a volatile place takes a whole number from 0, and nothing else", async () => {
  const expect = { result: { durationMs: { $volatile: "integer" } } };
  for (const [durationMs, status] of [[0, "passed"], [12, "passed"], [-1, "failed"], [0.5, "failed"], ["1", "failed"], [undefined, "failed"]] as const) {
    assert.equal((await run([call("x", ["must"], expect)], { invoke: () => ({ durationMs }) })).outcomes[0]?.status, status, String(durationMs));
  }
});
