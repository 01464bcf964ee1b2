import { describeError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import { cloneJson, isObject } from "../core/base/json.ts";
import { diffJson, type Change } from "../core/base/json-diff.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import { blamedRequirements } from "./blame.ts";
import { canonicalJson } from "./canonical.ts";
import { canonicalPair } from "./compare.ts";
import { NoOutcome } from "./no-outcome.ts";
import { canRun, observe, unreported } from "./observe.ts";
import type { Target } from "./target.ts";
import type { Requirement, Vector } from "./vector.ts";

/** What came of one vector. */
export interface VectorOutcome {
  readonly id: string;
  readonly title: string;
  readonly requirements: readonly string[];
  /** `known`: it fails, and is on the list of those that do. `fixed`: it is on the list, and passes, so the list is wrong. */
  readonly status: "passed" | "failed" | "skipped" | "known" | "fixed";
  /** The canonical texts, where they differ, or what went wrong. */
  readonly expected?: string;
  readonly actual?: string;
  /** JSON pointers to where they differ, the first few. */
  readonly differs?: readonly string[];
  /** Of its requirements, or the general ones about the parts that differ, those that its failure speaks against; all of them where not said. */
  readonly breaks?: readonly string[];
  /** Why it was skipped. */
  readonly reason?: string;
}

/** How vectors are run. */
export interface RunOptions {
  readonly host: Pick<Host, "setTimer">;
  /** For one vector; 10,000 unless said otherwise. */
  readonly timeoutMs?: number;
  /** Ids of vectors that are known to fail. They run all the same. */
  readonly known?: ReadonlySet<string>;
  readonly onOutcome?: (outcome: VectorOutcome) => void;
}

const OPTIONS: OptionTable<RunOptions> = { host: "an object", timeoutMs: "a number", known: "an object", onOutcome: "a function" };

/** Runs vectors one after the other. Whatever a target does is an outcome: it may throw, hang or return garbage. */
export async function runVectors(vectors: readonly Vector[], target: Target, options: RunOptions): Promise<readonly VectorOutcome[]> {
  checkOptions(options, "the options of runVectors", OPTIONS);
  const outcomes: VectorOutcome[] = [];
  for (const vector of vectors) {
    const outcome = await runVector(vector, target, options);
    outcomes.push(outcome);
    options.onOutcome?.(outcome);
  }
  return outcomes;
}

async function runVector(vector: Vector, target: Target, { host, timeoutMs = 10_000, known }: RunOptions): Promise<VectorOutcome> {
  const { id, title, requirements } = vector;
  const about = { id, title, requirements };
  if (!canRun(vector, target)) return { ...about, status: "skipped", reason: `the target does not run ${vector.kind} vectors` };
  await target.ready?.(vector.kind);
  const isKnown = known?.has(id) === true;
  let stopTimer = () => {};
  const late = new Promise<unknown>((resolve) => (stopTimer = host.setTimer(() => resolve({ hangs: `no answer in ${timeoutMs} ms` }), timeoutMs)));
  try {
    // A copy: no target can spoil a vector for the next one.
    const seen = await Promise.race([observe(cloneJson(vector), target), late]);
    const unseen = unreported(vector, seen);
    const { expected, actual } = canonicalPair(without(vector.expect, unseen), seen);
    if (expected === actual) {
      if (unseen.length > 0) return { ...about, status: "skipped", reason: `the target does not report ${unseen.map((name) => `\`${name}\``).join(" and ")}` };
      return { ...about, status: isKnown ? "fixed" : "passed" };
    }
    // Of the canonical texts, in which volatile places are blotted out.
    const changes: readonly Change[] = diffJson(JSON.parse(expected), JSON.parse(actual));
    const differs = changes.slice(0, MAX_PLACES).map(({ pointer }) => pointer);
    return { ...about, status: isKnown ? "known" : "failed", expected, actual, differs, breaks: blamedRequirements(vector, JSON.parse(actual), changes) };
  } catch (thrown) {
    if (thrown instanceof NoOutcome && thrown.kind === "unsupported") return { ...about, status: "skipped", reason: thrown.message };
    // It broke down, or what came back is no JSON.
    const failure = { ...about, status: isKnown ? ("known" as const) : ("failed" as const), actual: describeError(thrown) };
    return thrown instanceof NoOutcome ? { ...failure, expected: canonicalJson(vector.expect) } : failure;
  } finally {
    stopTimer();
  }
}

const MAX_PLACES = 8;

function without(expect: unknown, names: readonly string[]): unknown {
  return names.length > 0 && isObject(expect) ? Object.fromEntries(Object.entries(expect).filter(([name]) => !names.includes(name))) : expect;
}

/** The requirements that a failed vector speaks against. */
export function brokenBy({ breaks, requirements }: VectorOutcome): readonly string[] {
  return breaks ?? requirements;
}

/** What a run has shown of one requirement of `spec/requirements.json`. */
export interface RequirementOutcome extends Omit<Requirement, "proofs"> {
  /** `untested`: no vector of those that ran proves it. */
  readonly status: "held" | "broken" | "untested";
  readonly passed: number;
  /** The vectors that it fails in, known or not. */
  readonly failed: readonly string[];
}

/** What a run has shown, by requirement and by vector. */
export interface Report {
  readonly requirements: readonly RequirementOutcome[];
  readonly vectors: readonly VectorOutcome[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** False where a MUST is broken beyond what is known, or a known failure is none any more. */
  readonly ok: boolean;
}

/** What the outcomes say of each requirement. A vector fails the run if one that it speaks against is a MUST; the others warn. */
export function reportOf(outcomes: readonly VectorOutcome[], requirements: readonly Requirement[]): Report {
  const musts = new Set(requirements.filter(({ level }) => level === "MUST").map(({ id }) => id));
  const failing = outcomes.filter(({ status }) => status === "failed" || status === "known");
  const passing = outcomes.filter(({ status }) => status === "passed" || status === "fixed");
  return {
    requirements: requirements.map(({ proofs: _proofs, ...requirement }) => {
      const names = ({ requirements: proven }: VectorOutcome) => proven.includes(requirement.id);
      const breaks = (outcome: VectorOutcome) => brokenBy(outcome).includes(requirement.id);
      const failed = failing.filter(breaks).map(({ id }) => id);
      // What a vector proves holds also where it failed for something else.
      const passed = passing.filter(names).length + failing.filter((outcome) => names(outcome) && !breaks(outcome)).length;
      return { ...requirement, status: failed.length > 0 ? "broken" : passed > 0 ? "held" : "untested", passed, failed };
    }),
    vectors: outcomes,
    passed: passing.length,
    failed: failing.length,
    skipped: outcomes.length - passing.length - failing.length,
    ok: outcomes.every((outcome) => outcome.status !== "fixed" && !(outcome.status === "failed" && brokenBy(outcome).some((id) => musts.has(id)))),
  };
}
