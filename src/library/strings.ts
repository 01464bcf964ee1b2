import { formatPointer, isObject } from "../core/base/json.ts";

/** A string of a JSON value. */
export interface FoundString {
  readonly text: string;
  /** The member that holds it, or the list that it is an entry of; undefined at the root. */
  readonly member: string | undefined;
  /** The JSON pointer to it; made when asked for. */
  path(): string;
}

/**
 * The first answer that is not undefined, of `judge` for each string of a value in order: member names, too, where `names` says so. The depth is
 * bounded by that of a message. `at` is where the value stands in the payload.
 */
export function firstOf<T>(value: unknown, at: readonly string[], judge: (found: FoundString) => T | undefined, names = false): T | undefined {
  const steps: (string | number)[] = [...at];
  const walk = (here: unknown, member: string | undefined): T | undefined => {
    if (typeof here === "string") return judge({ text: here, member, path: () => formatPointer(steps) });
    if (Array.isArray(here)) {
      for (let index = 0; index < here.length; index++) {
        steps.push(index);
        const answer = walk(here[index], member);
        if (answer !== undefined) return answer;
        steps.pop();
      }
    } else if (isObject(here)) {
      for (const name of Object.keys(here)) {
        steps.push(name);
        const answer = (names ? judge({ text: name, member: undefined, path: () => formatPointer(steps) }) : undefined) ?? walk(here[name], name);
        if (answer !== undefined) return answer;
        steps.pop();
      }
    }
    return undefined;
  };
  return walk(value, at.at(-1));
}
