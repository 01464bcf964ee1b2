import type { Span } from "./detector.ts";

/** The text with something else in place of each match. Matches are in order, and do not overlap. */
export function replaceMatches<M extends Span>(text: string, matches: readonly M[], replacement: (match: M) => string): string {
  let result = "";
  let done = 0;
  for (const match of matches) {
    // Of a text without anything before the first match, and between two that touch, there is nothing to copy.
    result += done === match.start ? replacement(match) : text.slice(done, match.start) + replacement(match);
    done = match.end;
  }
  return result + text.slice(done);
}
