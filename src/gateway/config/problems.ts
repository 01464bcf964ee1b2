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
  /** Where it is no fault of what stands in the file: the file itself cannot be read, or a server that it names does not answer. */
  readonly cause?: "unread" | "unanswered";
}

/** A configuration that cannot be used: all that was found wrong with it, one line each in `message`. */
export class ConfigError extends LocalError {
  readonly problems: readonly ConfigProblem[];
  /** What cannot be used: the configuration, unless it is another file that goes with one. */
  readonly what: string;

  constructor(problems: readonly ConfigProblem[], what = "the configuration") {
    super("invalid_argument", problems.map((problem) => formatProblem(problem)).join("\n"));
    this.problems = problems;
    this.what = what;
  }
}

export function formatProblem({ file, line, column, pointer, message }: ConfigProblem, kind = ""): string {
  const where = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return `${where}: ${kind}${pointer === "" ? "" : `${pointer} `}${message}`;
}

/** Collects what is wrong with one file. */
export interface Problems {
  /** `part`: whether the member's name is wrong, or its value, which is the default. Above the hundredth problem no more are kept. */
  add(pointer: string, message: string, part?: "name" | "value", cause?: ConfigProblem["cause"]): void;
  /** Whether anything is wrong with what a pointer names, or with a part of it. */
  within(pointer: string): boolean;
  /** The line of a warning, which is no problem: `file:line:column: warning: /pointer what`. */
  warning(pointer: string, message: string): string;
  readonly any: boolean;
  /** Throws a `ConfigError` where there are any, in the order of the file. */
  throwIfAny(): void;
}

const MAX_PROBLEMS = 100;

/** `known`: what was found wrong with the text of the file, which says nothing about its values. */
export function collectProblems(file: string, locate: Locate, hide: (text: string) => string = String, known: readonly ConfigProblem[] = []): Problems {
  const found: ConfigProblem[] = [];
  const at = (pointer: string, message: string, part: "name" | "value"): ConfigProblem => ({
    file,
    ...locateNearest(locate, pointer, part),
    pointer,
    message: hide(message),
  });
  return {
    add(pointer, message, part = "value", cause) {
      const problem = { ...at(pointer, message, part), ...(cause === undefined ? {} : { cause }) };
      // What is wrong for several upstreams is told once.
      const told = found.some((one) => one.pointer === pointer && one.message === problem.message);
      if (!told && found.length < MAX_PROBLEMS) found.push(problem);
    },
    within: (pointer) => found.some((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`)),
    warning: (pointer, message) => formatProblem(at(pointer, message, "value"), "warning: "),
    get any() {
      return found.length + known.length > 0;
    },
    throwIfAny() {
      const all = [...known, ...found];
      if (all.length === 0) return;
      // A stable sort: what has no place stays as it was found.
      throw new ConfigError(all.sort((left, right) => (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0)));
    },
  };
}
