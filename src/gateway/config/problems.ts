import { LocalError } from "../../core/base/errors.ts";
import { locateNearest, type Locate } from "./places.ts";

/** What is wrong with a configuration, and where: `file:line:column: /pointer what`, without what the format cannot tell. */
export interface ConfigProblem {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** Into the configuration; the root is the empty text. */
  readonly pointer: string;
  /** Follows the pointer; says what to do. Holds no secret. */
  readonly message: string;
}

/** A configuration that cannot be used: all that was found wrong with it, one line each in `message`. */
export class ConfigError extends LocalError {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super("invalid_argument", problems.map((problem) => formatProblem(problem)).join("\n"));
    this.problems = problems;
  }
}

export function formatProblem({ file, line, column, pointer, message }: ConfigProblem, kind = ""): string {
  const where = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return `${where}: ${kind}${pointer === "" ? "" : `${pointer} `}${message}`;
}

/** Collects what is wrong with one file. */
export interface Problems {
  /** `part`: whether the member's name is wrong, or its value, which is the default. Above the hundredth problem no more are kept. */
  add(pointer: string, message: string, part?: "name" | "value"): void;
  /** The line of a warning, which is no problem: `file:line:column: warning: /pointer what`. */
  warning(pointer: string, message: string): string;
  readonly any: boolean;
  /** Throws a `ConfigError` where there are any, in the order of the file. */
  throwIfAny(): void;
}

const MAX_PROBLEMS = 100;

export function collectProblems(file: string, locate: Locate, hide: (text: string) => string = (text) => text): Problems {
  const found: ConfigProblem[] = [];
  const at = (pointer: string, message: string, part: "name" | "value"): ConfigProblem => ({
    file,
    ...locateNearest(locate, pointer, part),
    pointer,
    message: hide(message),
  });
  return {
    add(pointer, message, part = "value") {
      const problem = at(pointer, message, part);
      // What is wrong for several upstreams is told once.
      const known = found.some((one) => one.pointer === pointer && one.message === problem.message);
      if (!known && found.length < MAX_PROBLEMS) found.push(problem);
    },
    warning: (pointer, message) => formatProblem(at(pointer, message, "value"), "warning: "),
    get any() {
      return found.length > 0;
    },
    throwIfAny() {
      if (found.length === 0) return;
      // A stable sort: what has no place stays as it was found.
      throw new ConfigError(found.sort((left, right) => (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0)));
    },
  };
}
