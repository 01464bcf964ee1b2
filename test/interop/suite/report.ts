// The part of test/README.md that says how the suite came out.
import { join } from "node:path";
import { writeMarked } from "../../support/marked-text.ts";
import { ROOT } from "./processes.ts";
import type { Leg, Requirements } from "./requirements.ts";
import type { ScenarioResult } from "./results.ts";

/** One leg of one revision. */
export interface Run {
  readonly leg: Leg;
  readonly revision: string;
  readonly requirements: Requirements;
  readonly results: ReadonlyMap<string, ScenarioResult>;
  /** What did not come out clean among all the others, and was run once more alone. */
  readonly again: readonly string[];
}

const README = join(ROOT, "test", "README.md");

/** Authorization is not part of this package: a client's transport takes the headers that its owner gives it. */
export function isOwed(scenario: string): boolean {
  return !scenario.startsWith("auth/");
}

/** A scenario in which nothing could be checked has not passed, although the suite itself takes it for a success. */
export function hasPassed(result: ScenarioResult | undefined): boolean {
  return result !== undefined && result.failures.length === 0 && result.passed > 0;
}

export function isClean(result: ScenarioResult | undefined): boolean {
  return hasPassed(result) && result?.warnings.length === 0;
}

/** The required scenarios that are owed and have not passed. */
export function missing({ requirements, results }: Run): string[] {
  return requirements.required.filter((name) => isOwed(name) && !hasPassed(results.get(name)));
}

export function renderReport(version: string, runs: readonly Run[]): string {
  const lines = [
    `Version ${version}. Every scenario that is required, outside \`auth/*\`, has to pass; nothing is expected to fail.`,
    "",
    row("role", "revision", "required, passed", "of these, alone", "warnings", "required of `auth/*`, passed", "not scored, passed"),
    row(...Array.from({ length: 7 }, () => "---")),
    ...runs.map(totals),
    "",
    "Run and not scored, as they come out:",
    "",
    row("role", "revision", "scenario", "why it is not scored", "checks passed", "checks failed"),
    row(...Array.from({ length: 6 }, () => "---")),
    ...runs.flatMap(unscoredRows),
  ];
  return lines.join("\n");
}

function totals({ leg, revision, requirements: { required, unscored }, results, again }: Run): string {
  const passedOf = (names: readonly string[]) => `${names.filter((name) => hasPassed(results.get(name))).length} of ${names.length}`;
  const owed = required.filter(isOwed);
  const foreign = required.filter((name) => !isOwed(name));
  const warnings = owed.reduce((sum, name) => sum + (results.get(name)?.warnings.length ?? 0), 0);
  const others = foreign.length === 0 ? "–" : passedOf(foreign);
  return row(leg, revision, passedOf(owed), String(again.length), String(warnings), others, passedOf([...unscored.keys()]));
}

function unscoredRows({ leg, revision, requirements, results }: Run): string[] {
  return [...requirements.unscored].map(([name, reason]) => {
    const result = results.get(name);
    const counts = result === undefined ? ["not run", ""] : [String(result.passed), String(result.failures.length)];
    return row(leg, revision, `\`${name}\``, reason, ...counts);
  });
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

export function writeReport(report: string): void {
  writeMarked(README, "suite", report);
}
