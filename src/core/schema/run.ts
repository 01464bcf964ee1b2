import { LocalError } from "../base/errors.ts";
import { formatPointer } from "../base/json.ts";
import { mergeEvaluated, newEvaluated, type Evaluated } from "./evaluated.ts";
import type { Node, Resource } from "./document.ts";

/** Why a value does not fit its schema. The reason speaks of the schema alone and never quotes the value. */
export interface SchemaProblem {
  /** JSON pointer into the value. */
  readonly path: string;
  /** JSON pointer into the schema; `URI#pointer` where the keyword stands in an extra document. */
  readonly schemaPath: string;
  /** Follows the name of the place: "must be at least 0". */
  readonly reason: string;
}

/** True: the value fits. False: it does not, and the problem has been reported unless the run is muted or has enough of them. */
export type Check = (value: unknown, run: Run) => boolean;

/** The state of checking one value. Nothing is allocated while the value fits, but for what is evaluated. */
export interface Run {
  /** What is left of `maxCheckSteps`. */
  steps: number;
  /** Subschemas being applied now, one inside the other; bounds the engine's stack. */
  depth: number;
  readonly maxDepth: number;
  /** Above zero while a failure is no problem yet: in `anyOf`, `oneOf`, `not`, `if`, `contains`. */
  muted: number;
  readonly problems: SchemaProblem[];
  readonly maxProblems: number;
  /** Steps to the current value; only the first `pathLength` count. */
  readonly path: (string | number)[];
  pathLength: number;
  /** Where members and items are noted as evaluated; undefined where no `unevaluated…` keyword looks on. */
  evaluated: Evaluated | undefined;
  /** The dynamic scope, outermost first; undefined in schemas without `$dynamicRef`. */
  readonly scope: Resource[] | undefined;
}

/** Applies a subschema to the current value, in place. */
export function apply(node: Node, value: unknown, run: Run): boolean {
  run.steps -= node.weight;
  if (run.steps < 0) throw stop(run, node.location, "is too expensive to check");
  if (++run.depth > run.maxDepth) throw stop(run, node.location, "is nested too deeply for this schema");
  const { scope } = run;
  let fits: boolean;
  if (scope === undefined || scope[scope.length - 1] === node.resource) {
    fits = node.check(value, run);
  } else {
    scope.push(node.resource);
    fits = node.check(value, run);
    scope.pop();
  }
  run.depth--;
  return fits;
}

/** Applies a subschema to a member or an item of the current value. */
export function applyChild(node: Node, child: unknown, step: string | number, run: Run): boolean {
  const { evaluated } = run;
  run.evaluated = undefined;
  run.path[run.pathLength++] = step;
  const fits = apply(node, child, run);
  run.pathLength--;
  run.evaluated = evaluated;
  return fits;
}

/** Applies a subschema whose failure is no problem by itself; what it evaluated counts only if it fits. */
export function probe(node: Node, value: unknown, run: Run): boolean {
  const { evaluated } = run;
  const own = evaluated === undefined ? undefined : newEvaluated();
  run.evaluated = own;
  run.muted++;
  const fits = apply(node, value, run);
  run.muted--;
  run.evaluated = evaluated;
  if (fits && evaluated !== undefined && own !== undefined) spend(run, mergeEvaluated(evaluated, own), node.location);
  return fits;
}

/** Whether further problems would be thrown away, so that a check may return at its first. */
export function isSettled(run: Run): boolean {
  return run.muted > 0 || run.problems.length >= run.maxProblems;
}

/** All of the checks; after a failure the others run only while more problems are wanted. */
export function all(checks: readonly Check[]): Check {
  const [only] = checks;
  if (only !== undefined && checks.length === 1) return only;
  return (value, run) => {
    let fits = true;
    for (const check of checks) {
      if (check(value, run)) continue;
      fits = false;
      if (isSettled(run)) break;
    }
    return fits;
  };
}

/** Reports a problem at the current value. Always false, so that a check can return it. */
export function fail(run: Run, schemaPath: string, reason: string): false {
  if (!isSettled(run)) run.problems.push(problemAt(run, schemaPath, reason));
  return false;
}

/** Reports a problem at a member of the current value that no subschema is applied to. */
export function failAt(run: Run, step: string | number, schemaPath: string, reason: string): false {
  run.path[run.pathLength++] = step;
  fail(run, schemaPath, reason);
  run.pathLength--;
  return false;
}

/** Pays for work that is not a subschema. */
export function spend(run: Run, steps: number, schemaPath: string): void {
  run.steps -= steps;
  if (run.steps < 0) throw stop(run, schemaPath, "is too expensive to check");
}

/**
 * What is thrown when a value cannot be judged within the bounds: `false` would not do, since `not` would make a pass of it.
 * The outermost caller turns it into the problem it carries.
 */
export function stop(run: Run, schemaPath: string, reason: string): LocalError {
  return new LocalError("limit_exceeded", reason, { details: { ...problemAt(run, schemaPath, reason) } });
}

function problemAt(run: Run, schemaPath: string, reason: string): SchemaProblem {
  return { path: formatPointer(run.path.slice(0, run.pathLength)), schemaPath, reason };
}
