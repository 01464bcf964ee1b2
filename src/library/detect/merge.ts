import type { Span } from "./detector.ts";

/**
 * Matches in order, without overlaps: where several overlap, they are one over all of them, named for the one that starts first, then the longest, then
 * the one that was found first. Sorts `found`.
 */
export function mergeOverlaps<M extends Span>(found: M[]): M[] {
  found.sort((left, right) => left.start - right.start || right.end - left.end);
  const merged: M[] = [];
  for (const match of found) {
    const last = merged.at(-1);
    if (last === undefined || match.start >= last.end) merged.push(match);
    else if (match.end > last.end) merged[merged.length - 1] = { ...last, end: match.end };
  }
  return merged;
}
