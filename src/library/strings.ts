import { formatPointer, isObject } from "../core/base/json.ts";

/** A string of a JSON value. */
export interface FoundString {
  readonly text: string;
  /** The member that holds it, or the list that it is an entry of; undefined at the root. */
  readonly member: string | undefined;
  /** The member that holds the object which has `member`; of the name of a member, that which holds its object. */
  readonly holder: string | undefined;
  /** Whether it is a number, by its digits. */
  readonly isNumber?: true;
  /** The JSON pointer to it; made when asked for. */
  path(): string;
}

/** What is looked at beside strings: names of members, which have no `member`, and numbers, as their digits. */
export interface AlsoLook {
  readonly names?: boolean;
  readonly numbers?: boolean;
}

/**
 * The first answer that is not undefined, of `judge` for each string of a value in order, and for what `also` says. The depth is
 * bounded by that of a message. `at` is where the value stands in the payload.
 */
export function firstOf<T>(value: unknown, at: readonly string[], judge: (found: FoundString) => T | undefined, also: AlsoLook = {}): T | undefined {
  const steps: (string | number)[] = [...at];
  const path = () => formatPointer(steps);
  const walk = (here: unknown, member: string | undefined, holder: string | undefined): T | undefined => {
    if (typeof here === "string") return judge({ text: here, member, holder, path });
    if (typeof here === "number" && also.numbers === true) return judge({ text: String(here), isNumber: true, member, holder, path });
    if (Array.isArray(here)) {
      for (let index = 0; index < here.length; index++) {
        steps.push(index);
        const answer = walk(here[index], member, holder);
        if (answer !== undefined) return answer;
        steps.pop();
      }
    } else if (isObject(here)) {
      for (const name of Object.keys(here)) {
        steps.push(name);
        const answer = (also.names === true ? judge({ text: name, member: undefined, holder: member, path }) : undefined) ?? walk(here[name], name, member);
        if (answer !== undefined) return answer;
        steps.pop();
      }
    }
    return undefined;
  };
  return walk(value, at.at(-1), undefined);
}
