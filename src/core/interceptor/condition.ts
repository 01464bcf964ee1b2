import { LocalError } from "../base/errors.ts";

/** What a `when` says of its input. Anything but a boolean throws: a promise would be a yes. */
export function holds<Input>(when: (input: Input) => unknown, input: Input): boolean {
  const answer = when(input);
  if (typeof answer !== "boolean") throw new LocalError("invalid_argument", "when must return a boolean");
  return answer;
}
