import { formatPointer, parsePointer } from "../base/json.ts";

export { isObject } from "../base/json.ts";

// What generated validators may call; nothing else. They call most of this on failure alone.

/**
 * The first thing that is wrong with a value. `path` is a JSON pointer from the value that was checked, `reason` completes
 * "… must …" and stands on its own after the place: "must be a string".
 */
export interface Problem {
  readonly path: string;
  readonly reason: string;
}

export function problem(path: readonly (string | number)[], reason: string): Problem {
  return { path: formatPointer(path), reason };
}

/** The value as such is wrong. */
export function mustBe(kind: string): Problem {
  return { path: "", reason: `must be ${kind}` };
}

/** A member fails its test: it is missing, or something else than it must be. */
export function wrong(value: unknown, member: string, reason: string): Problem {
  return value === undefined ? missing(member) : problem([member], reason);
}

export function missing(member: string): Problem {
  return { path: "", reason: `must have the member ${JSON.stringify(member)}` };
}

export function unwanted(member: string): Problem {
  return { path: "", reason: `must not have the member ${JSON.stringify(member)}` };
}

/** A problem one step further in, seen from outside. */
export function under(step: string | number, { path, reason }: Problem): Problem {
  return { path: formatPointer([step]) + path, reason };
}

/** One line for an error message: where, then what. */
export function describeProblem({ path, reason }: Problem, root: string): string {
  return path === "" ? `${root} ${reason}` : `${root}${path} ${reason}`;
}

/** The same for what a program has written itself, in the words of its source: `hooks[0].events must …`. */
export function describeMember({ path, reason }: Problem, root: string): string {
  let text = "";
  for (const step of parsePointer(path) ?? []) {
    if (/^\d+$/.test(step)) text += `[${step}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return `${text === "" ? root : text} ${reason}`;
}
