import { formatPointer } from "../base/json.ts";

/**
 * What generated validators may call; nothing else. A validator returns the first problem it finds, or `undefined`.
 * `path` is a JSON pointer from the value that was checked, `reason` completes "… must …" or "… is …".
 */
export interface Problem {
  readonly path: string;
  readonly reason: string;
}

export function problem(path: readonly (string | number)[], reason: string): Problem {
  return { path: formatPointer(path), reason };
}

/** One line for an error message: where, then what. */
export function describeProblem({ path, reason }: Problem, root: string): string {
  return path === "" ? `${root} ${reason}` : `${root}${path} ${reason}`;
}
