import { LocalError } from "../base/errors.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import { compileNodes } from "./compile.ts";
import { apply, type Run, type SchemaProblem } from "./run.ts";

export type { SchemaProblem } from "./run.ts";

export interface SchemaOptions {
  /** `maxDepth`, `maxMessageBytes`, `maxSubschemas`, `maxCheckSteps` and `maxPatternSteps` are read. */
  readonly limits?: Partial<Limits>;
  /** Extra documents by absolute URI without fragment, for references and meta-schemas. Nothing else is ever loaded. */
  readonly resources?: ReadonlyMap<string, unknown>;
}

/**
 * A JSON Schema ready for use. Values are JSON: own members count, an `undefined` one is absent. A value that cannot be judged within
 * the limits does not fit, and its problem says so. Checking never throws on JSON.
 */
export interface CompiledSchema {
  /** The first problem, or undefined when the value fits. */
  check(value: unknown): SchemaProblem | undefined;
  /** Up to `max` problems, 20 by default; empty exactly when `check` finds none. */
  checkAll(value: unknown, max?: number): SchemaProblem[];
}

// A level of a value takes a few subschemas: one for the member, one for a reference, one for a branch.
const SUBSCHEMAS_A_LEVEL = 8;

/**
 * Compiles a schema of draft 2020-12 (also where `$schema` is absent) or draft-07: no code is generated, nothing is fetched, `format` and
 * the content keywords are annotations. The schema is copied; later changes to it have no effect. Throws `invalid_argument`, with
 * `details.pointer`, for one that is malformed: a keyword of the wrong shape, a bad regular expression, a reference to nothing or to
 * a document that is not in `resources`, endless self-reference, another dialect, or more than the limits allow.
 */
export function compileSchema(schema: unknown, options: SchemaOptions = {}): CompiledSchema {
  const limits = resolveLimits(options.limits);
  const { root, dynamic } = compileNodes(schema, options.resources ?? new Map(), limits);

  function collect(value: unknown, maxProblems: number): SchemaProblem[] {
    const run: Run = {
      steps: limits.maxCheckSteps,
      depth: 0,
      maxDepth: limits.maxDepth * SUBSCHEMAS_A_LEVEL,
      muted: 0,
      problems: [],
      maxProblems,
      path: [],
      pathLength: 0,
      evaluated: undefined,
      scope: dynamic ? [] : undefined,
    };
    try {
      apply(root, value, run);
    } catch (error) {
      const stopped = problemOf(error);
      if (stopped === undefined) throw error;
      return [...run.problems, stopped].slice(0, maxProblems);
    }
    return run.problems;
  }

  return {
    check: (value) => collect(value, 1)[0],
    checkAll(value, max = 20) {
      if (!Number.isInteger(max) || max < 1) throw new LocalError("invalid_argument", "max must be a positive integer");
      return collect(value, max);
    },
  };
}

/** The problem that `stop` threw. */
function problemOf(error: unknown): SchemaProblem | undefined {
  if (!(error instanceof LocalError) || error.code !== "limit_exceeded") return undefined;
  const { path, schemaPath, reason } = error.details ?? {};
  return typeof path === "string" && typeof schemaPath === "string" && typeof reason === "string" ? { path, schemaPath, reason } : undefined;
}
