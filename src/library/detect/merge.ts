import type { Span } from "./detector.ts";

/**
 * Matches in order, without overlaps: where several overlap, they are one over all of them, named for the one that starts first, then the longest, then
 * the one that was found first. Sorts `found`.
 */
export function mergeOverlaps<M extends Span>(found: M[]): M[] {
  // Each detector gives its matches in order; one alone needs no sorting.
  if (!isSorted(found)) found.sort(compare);
  const merged: M[] = [];
  let last: M | undefined;
  for (const match of found) {
    if (last === undefined || match.start >= last.end) merged.push((last = match));
    else if (match.end > last.end) merged[merged.length - 1] = last = { ...last, end: match.end };
  }
  return merged;
}

function isSorted(found: readonly Span[]): boolean {
  for (let index = 1; index < found.length; index++) if (compare(found[index - 1]!, found[index]!) > 0) return false;
  return true;
}

function compare(left: Span, right: Span): number {
  return left.start - right.start || right.end - left.end;
}
