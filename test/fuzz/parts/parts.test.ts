import assert from "node:assert/strict";
import { test } from "node:test";
import { PARTS } from "./all.ts";
import { evaluate } from "./conditions.ts";
import { interpret } from "./events.ts";
import { readTokens } from "./json.ts";
import { describePartFailure, runPart, type Part } from "./part.ts";

const SEED = 20_260_728;

for (const part of PARTS) {
  test(`${part.name}: whatever comes, the oracle agrees, and enough of each has come`, async () => {
    const { failure, outcomes } = await runPart(part, { seed: SEED });
    if (failure !== undefined) assert.fail(describePartFailure(part, failure));
    const few = Object.entries(part.least).filter(([outcome, least]) => (outcomes.get(outcome) ?? 0) < least);
    assert.deepEqual(few.map(([outcome]) => `${outcome}: ${outcomes.get(outcome)}`), []);
  });
}

test("the first case that fails ends the run, and its seed repeats it", async () => {
  const part: Part = {
    name: "x",
    cases: 500,
    least: {},
    run: (random) => (random.below(50) === 0 ? (random.below(2) === 0 ? "wrong" : assert.fail("thrown")) : undefined),
  };
  const { failure, cases } = await runPart(part, { seed: 7 });
  assert.ok(failure !== undefined && cases === failure.seed - 6);
  assert.deepEqual((await runPart(part, { seed: failure.seed, cases: 1 })).failure?.seed, failure.seed);
  assert.match(describePartFailure(part, failure), new RegExp(`wrong|thrown.*npm run fuzz -- x --seed ${failure.seed} --cases 1`, "s"));
});

test("the reading by tokens tells the first offence, and where values stand", () => {
  const code = (text: string, variants = false) => readTokens(text, 2, variants).code;
  assert.deepEqual(['{"a":1,"\\u0061":2}', "[[[1]]]", "[1e400]", "[1,]", "01", '{"a"}', "[1", "", "[]x"].map((text) => code(text)), ["duplicate_key", "depth", "number_range", "syntax", "syntax", "syntax", "syntax", "syntax", "syntax"]);
  assert.equal(code('{"a":1,"A":2}', true), "case_variant_key");
  assert.equal(code('{"a":1,"A":2}'), undefined);
  assert.deepEqual(readTokens('{"a/b": [1]}', 9, false).spots?.get("/a~1b/0"), { start: 9, end: 10 });
});

test("the reading of event streams goes by the rules", () => {
  const { items, lastEventId } = interpret(Buffer.from("\ufeffid: 7\ndata: a\ndata:b\r\n\rretry: 5\n:c\nid: 8\0\n\ndata: cut"), "");
  assert.deepEqual([items, lastEventId], [[{ kind: "event", type: "message", data: "a\nb", id: "7" }, { kind: "retry", ms: 5 }], "7"]);
});

test("the evaluator of conditions has three answers", () => {
  const ask = (condition: object) => evaluate(condition as Record<string, unknown>, { event: "tools/call", phase: "request", name: "x", payload: { name: "a", arguments: { n: 1 } }, context: {} });
  assert.equal(ask({ all: [{ tool: "a" }, { argument: "/n", atLeast: 1 }] }), true);
  assert.equal(ask({ argument: "/m", equals: 1 }), false);
  assert.equal(typeof ask({ not: { argument: "/n", prefix: "a" } }), "symbol");
  assert.equal(ask({ any: [{ argument: "/n", prefix: "a" }, { method: "tools/*" }] }), true);
});
