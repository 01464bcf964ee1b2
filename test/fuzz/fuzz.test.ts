import assert from "node:assert/strict";
import { test } from "node:test";
import { METHODS } from "../../src/core/wire/methods.ts";
import { BREAKAGES } from "./breakage.ts";
import { describeFailure, fuzz, runCase, shrink, type Case, type Report } from "./fuzz.ts";
import { WEIGHTS, type Side } from "./grammar.ts";
import { createModel } from "./model.ts";
import { readLine } from "./reader.ts";

const SEED = 20_260_728;
const CASES = 140;

// One run for both tests, begun by the first of them.
let begun: Promise<Report> | undefined;
const run = (): Promise<Report> => (begun ??= fuzz({ seed: SEED, cases: CASES }));

test("whatever comes, a relay passes what may pass, to the letter, stops what an interceptor stops, and answers each request once", async () => {
  const { failure } = await run();
  if (failure !== undefined) assert.fail(describeFailure(failure));
});

test("the run has thrown enough of each kind of line, in each method, and each fate has befallen enough of them", async () => {
  const { kinds, fates } = await run();
  const few = (least: number, names: Iterable<string>) => [...names].filter((name) => (kinds.get(name) ?? 0) < least);
  assert.deepEqual(few(25, Object.keys(WEIGHTS)), []);
  assert.deepEqual(few(5, Object.keys(BREAKAGES).map((breakage) => `broken:${breakage}`)), []);
  assert.deepEqual(few(8, [...METHODS.keys()].map((method) => `method:${method}`)), []);
  assert.deepEqual(few(50, ["prototype-name", "line-separator", "lone-surrogate", "odd-name", "deep", "wide", "big-number", "escaped-name", "blanks", "marked"]), []);
  const unlucky = { passed: 500, mutated: 50, stopped: 50, "not passed on": 200 };
  for (const [fate, least] of Object.entries(unlucky)) assert.ok((fates.get(fate) ?? 0) >= least, `${fate}: ${fates.get(fate)}, not ${least}`);
});

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}';
const REFUSAL = '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}';

/** What the model says of lines that arrived after one of the client's. */
const judged = (denies: boolean, line: string, arrived: Partial<Record<Side, string[]>>) => createModel({ denies }).explain("client", line, { client: [], server: [], ...arrived }) ?? "fine";

test("the model objects to a line that is changed, missing, doubled, unasked for, or passed where all is denied", () => {
  assert.equal(judged(false, CALL, { server: [CALL] }), "fine");
  assert.equal(judged(true, CALL, { client: [REFUSAL] }), "fine");
  assert.match(judged(false, CALL, { server: [CALL.replace('"a"', '"b"')] }), /^after/);
  assert.match(judged(false, CALL, { server: [CALL.replace(",", " ,")] }), /^after/);
  assert.match(judged(false, CALL, {}), /^after/);
  assert.match(judged(false, CALL, { server: [CALL, CALL] }), /more than expected/);
  assert.match(judged(false, CALL, { server: [CALL], client: [REFUSAL] }), /more than expected/);
  assert.match(judged(true, CALL, { server: [CALL] }), /^after/);
  assert.match(judged(true, CALL, { client: [REFUSAL.replace("1", "2")] }), /^after/);
  assert.match(judged(false, '{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}', { server: ['{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}'] }), /^after/);
  assert.match(judged(false, '{"jsonrpc":"2.0","id":7,"method":5}', { client: [REFUSAL.replace("-32602", "-32600")] }), /^after/, "the answer to another id");
});

test("the reader takes JSON and JSON-RPC at their word", () => {
  const kinds = [
    [CALL, "request"],
    ['{"jsonrpc":"2.0","method":"a"}', "notification"],
    ['{"jsonrpc":"2.0","id":"","result":{}}', "result"],
    ['{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}', "error"],
    ['{"jsonrpc":"2.0","id":1,"method":"a","result":{}}', undefined],
    ['{"jsonrpc":"2.0","id":null,"method":"a"}', undefined],
    ['{"jsonrpc":"2.0","id":1.0,"method":"a"}', "request"],
    ['{"jsonrpc":"2.0","id":1.5,"method":"a"}', undefined],
    ['{"jsonrpc":"2.0","method":"a","params":{"a":1,"\\u0061":2}}', undefined],
    ['{"jsonrpc":"2.0","method":"a","params":{"a":1,"A":2}}', undefined],
    ['{"jsonrpc":"2.0","method":"a","params":{"b":{"a":1,"A":2}}}', "notification"],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"a"}}', undefined],
    ['{"jsonrpc":"2.0","method":"a","params":{"n":1e400}}', undefined],
    ['{"jsonrpc":"2.0","method":"a",}', undefined],
    ["[]", undefined],
  ] as const;
  for (const [line, kind] of kinds) assert.equal(readLine(line).said?.kind, kind, line);
  assert.deepEqual(readLine('[1, {"a":[2]}]').items, ["1", '{"a":[2]}']);
});

test("a case that fails is shrunk to the lines that make it fail", async () => {
  // To a run that thinks nothing is judged, a relay that hears a request twice under one id is no fault; a thrown error is one.
  const step = (line: string): Case["steps"][number] => ({ from: "client", line, ending: "\n", kinds: [], canary: undefined, pauseMs: 0 });
  const fatal = { ...step(CALL), get ending(): "\n" { throw new TypeError("a fault"); } };
  const long: Case = { seed: 1, steps: [...Array.from({ length: 9 }, (_none, id) => step(CALL.replace("1", String(id)))), fatal], members: [], posture: "client", notifications: false };
  assert.match((await runCase(long, "open")) ?? "", /a fault/);
  const { steps } = await shrink(long, "open");
  assert.equal(steps.length, 1);
});
