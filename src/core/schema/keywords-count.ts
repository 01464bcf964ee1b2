import { countOf, type Keyword } from "./keyword.ts";
import { fail, type Check, type Run } from "./run.ts";

/** What is counted of a value; undefined for one that the keyword says nothing about. */
type CountOf = (value: unknown, run: Run, at: string) => number | undefined;

/** A keyword that bounds a number of things: `minItems`, `maxProperties` and the like. */
export function compileCount(keyword: Keyword, word: "at least" | "at most", thing: string, things: string, count: CountOf): Check {
  const bound = countOf(keyword);
  const { at } = keyword;
  const reason = `must have ${word} ${bound} ${bound === 1 ? thing : things}`;
  return (value, run) => {
    const counted = count(value, run, at);
    return counted === undefined || (word === "at least" ? counted >= bound : counted <= bound) || fail(run, at, reason);
  };
}
