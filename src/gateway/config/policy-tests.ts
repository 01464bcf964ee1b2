import { resolve } from "node:path";
import { diffJson } from "../../core/base/json-diff.ts";
import { equalJson, type JsonObject, parsePointer } from "../../core/base/json.ts";
import { valueAt } from "../../core/base/json-pointer.ts";
import type { Signal } from "../../core/base/signal.ts";
import type { Principal } from "../../core/wire/gen/interceptors.ts";
import type { ErrorObject } from "../../core/wire/message.ts";
import { LIFECYCLE_METHODS } from "../../core/guard/routes.ts";
import { isAboutTask } from "../../core/guard/task-table.ts";
import type { BuiltPlan } from "./build.ts";
import { readAny } from "./load.ts";
import { suggest } from "./names.ts";
import { nearMethod } from "./near-methods.ts";
import { collectProblems, ConfigError } from "./problems.ts";
import { schemaCheck } from "./schema-check.ts";
import { createTrial, type Trial, type TrialOutcome, type TrialTask } from "./trial.ts";

// The form of spec/policy-tests.schema.json.

export type Expectation = "pass" | "blocked" | { readonly blockedBy: string; readonly message?: string } | { readonly payload: JsonObject } | { readonly changes: JsonObject };

export interface TestStep {
  readonly method: string;
  readonly params?: JsonObject;
  readonly task?: TrialTask;
  readonly result?: JsonObject;
  readonly error?: ErrorObject;
  readonly principal?: Partial<Principal>;
  readonly times?: number;
  readonly expect: Expectation;
}

export interface PolicyTest extends Partial<TestStep> {
  readonly name: string;
  readonly upstream?: string;
  readonly steps?: readonly TestStep[];
}

export interface TestFile {
  readonly file: string;
  readonly tests: readonly PolicyTest[];
}

export interface TestOutcome {
  readonly file: string;
  readonly name: string;
  readonly elapsedMs: number;
  /** Why it has failed: what was expected, and what came instead. */
  readonly failure?: string;
}

const check = schemaCheck("policy-tests.schema.json");

/** Reads a file of tests: JSON with comments, YAML, or a module. Rejects with a `ConfigError` that has all that is wrong with it. */
export async function readTests(file: string, upstreams: readonly string[]): Promise<TestFile> {
  try {
    return await readFrom(file, upstreams);
  } catch (thrown) {
    throw thrown instanceof ConfigError ? new ConfigError(thrown.problems, "the file of tests") : thrown;
  }
}

async function readFrom(file: string, upstreams: readonly string[]): Promise<TestFile> {
  const { value, locate, syntax } = await readAny(file, resolve(file));
  const problems = collectProblems(file, locate, String, syntax);
  check(value, problems);
  problems.throwIfAny();
  // The schema has been checked.
  const { upstream, tests } = value as { readonly upstream?: string; readonly tests: readonly PolicyTest[] };
  const known = (name: string | undefined, pointer: string) => {
    if (name !== undefined && !upstreams.includes(name)) problems.add(pointer, `is no upstream; ${suggest(name, upstreams)}`);
  };
  known(upstream, "/upstream");
  const [only] = upstreams.length === 1 ? upstreams : [upstream];
  const judged = (method: string | undefined, pointer: string) => {
    if (method === undefined) return;
    const wrong = nearMethod(method);
    // No interceptor looks at it, so that a test of what passes would pass for ever.
    if (wrong !== undefined) problems.add(pointer, wrong);
    if (LIFECYCLE_METHODS.has(method)) problems.add(pointer, "is a method that no interceptor is asked about: no connection comes about without it");
  };
  const judgedStep = ({ method, task }: Partial<TestStep>, pointer: string) => {
    judged(method, `${pointer}/method`);
    judged(task?.method, `${pointer}/task/method`);
    if (task !== undefined && method !== undefined && !isAboutTask(method)) problems.add(`${pointer}/task`, "says which request created a task, and this message is about none: tasks/result is");
  };
  for (const [index, test] of tests.entries()) {
    judgedStep(test, `/tests/${index}`);
    for (const [at, step] of (test.steps ?? []).entries()) judgedStep(step, `/tests/${index}/steps/${at}`);
    known(test.upstream, `/tests/${index}/upstream`);
    if ((test.upstream ?? upstream ?? only) === undefined) problems.add(`/tests/${index}`, `does not say before which upstream; the configuration has ${upstreams.join(", ")}`);
  }
  problems.throwIfAny();
  return { file, tests: tests.map((test) => ({ upstream: upstream ?? only ?? "", ...test })) };
}

/**
 * Runs tests one after the other through the chains that a gateway would put messages through, each in a session of its own, and through a plan of its own: what interceptors
 * remember is of one test. No upstream is reached.
 */
export async function* runTests(open: () => Promise<BuiltPlan>, { file, tests }: TestFile, signal: Signal): AsyncGenerator<TestOutcome> {
  for (const [index, test] of tests.entries()) {
    const started = performance.now();
    const built = await open();
    let failure: string | undefined;
    try {
      failure = await runSteps(createTrial(built, test.upstream ?? ""), test, `${file}#${index}`, signal);
    } finally {
      await built.close();
    }
    yield { file, name: test.name, elapsedMs: performance.now() - started, ...(failure === undefined ? {} : { failure }) };
  }
}

async function runSteps(trial: Trial, test: PolicyTest, sessionId: string, signal: Signal): Promise<string | undefined> {
  const steps = test.steps ?? [test as TestStep];
  for (const [at, step] of steps.entries()) {
    const failure = await runStep(trial, test, step, sessionId, signal);
    if (failure !== undefined) return steps.length > 1 ? `step ${at + 1}: ${failure}` : failure;
  }
  return undefined;
}

async function runStep(trial: Trial, test: PolicyTest, step: TestStep, sessionId: string, signal: Signal): Promise<string | undefined> {
  const { params = {}, result, error, times = 1, expect } = step;
  const principal = step.principal ?? test.principal;
  const context = { sessionId, ...(principal === undefined ? {} : { principal: { type: "user" as const, ...principal } }) };
  const before = result ?? (error === undefined ? params : { error });
  for (let count = 1; count <= times; count++) {
    const failure = compare(await trial.put(step, context, signal), before, expect);
    if (failure !== undefined) return times === 1 ? failure : `time ${count}: ${failure}`;
  }
  return undefined;
}

function compare({ after, refusal }: TrialOutcome, before: JsonObject, expect: Expectation): string | undefined {
  const passes = refusal === undefined;
  const modified = passes && !equalJson(before, after);
  const { address, interceptor, reason = "", invalid = false } = refusal ?? {};
  const got = passes ? (modified ? `it passes, changed at ${places(before, after)}` : "it passes as it is") : `${address ?? interceptor ?? "the gateway"} ${invalid ? "refuses it" : "fails"}: ${reason}`;
  const expected = (what: string) => `expected ${what}, but ${got}`;
  if (expect === "pass") return passes && !modified ? undefined : expected("it to pass as it is");
  if (expect === "blocked") return passes ? expected("it to be blocked") : undefined;
  if ("blockedBy" in expect) {
    const { blockedBy, message = "" } = expect;
    const by = address === blockedBy || interceptor === blockedBy;
    return !passes && by && reason.includes(message) ? undefined : expected(`${blockedBy} to block it${message === "" ? "" : ` with ${JSON.stringify(message)}`}`);
  }
  if ("payload" in expect) return passes && equalJson(after, expect.payload) ? undefined : expected(`it to pass as ${JSON.stringify(expect.payload)}`);
  const wanted = Object.entries(expect.changes);
  const differs = wanted.find(([pointer, value]) => !equalJson(at(after, pointer) ?? null, value));
  const others = passes ? diffJson(before, after).filter(({ pointer }) => !wanted.some(([place]) => pointer === place || pointer.startsWith(`${place}/`))) : [];
  if (passes && differs === undefined && others.length === 0) return undefined;
  const [pointer, value] = differs ?? wanted[0] ?? [];
  return expected(others.length > 0 && differs === undefined ? `no change but at ${wanted.map(([place]) => place).join(", ")}` : `${pointer ?? ""} to become ${JSON.stringify(value)}`);
}

function at(value: unknown, pointer: string): unknown {
  return valueAt(value, parsePointer(pointer) ?? []);
}

function places(before: unknown, after: unknown): string {
  return diffJson(before, after)
    .map(({ pointer, kind }) => `${pointer === "" ? "its root" : pointer}${kind === "removed" ? "" : ` to ${JSON.stringify(at(after, pointer))}`}`)
    .join(", ");
}
