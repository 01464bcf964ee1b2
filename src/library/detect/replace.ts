import type { Span } from "./detector.ts";

/** The text with something else in place of each match. Matches are in order, and do not overlap. */
export function replaceMatches<M extends Span>(text: string, matches: readonly M[], replacement: (match: M, index: number) => string): string {
  let result = "";
  let done = 0;
  for (const [index, match] of matches.entries()) {
    result += text.slice(done, match.start) + replacement(match, index);
    done = match.end;
  }
  return result + text.slice(done);
}
