import { CLASS_OF } from "./characters.ts";

/**
 * The start of the next run of at least `least` units of a class, looked for from `from` on, where a run may start; -1 if there is none. It looks at
 * every `least`-th unit and goes back from those of the class, so most of a text is never read, and no unit more than twice.
 */
export function nextRun(text: string, from: number, least: number, bits: number): number {
  const length = text.length;
  let low = from;
  let at = from + least - 1;
  while (at < length) {
    if ((CLASS_OF[text.charCodeAt(at)]! & bits) === 0) {
      low = at + 1;
      at += least;
      continue;
    }
    let back = at - 1;
    while (back >= low && (CLASS_OF[text.charCodeAt(back)]! & bits) !== 0) back--;
    if (back < low) return low;
    low = back + 1;
    at = back + least;
  }
  return -1;
}

/** Where the run of a class that holds `from` ends; no further than `limit`. */
export function runEnd(text: string, from: number, bits: number, limit = text.length): number {
  let end = from;
  while (end < limit && (CLASS_OF[text.charCodeAt(end)]! & bits) !== 0) end++;
  return end;
}

/** Where the run of a class that ends before `end` starts; no further back than `limit`. */
export function runStart(text: string, end: number, bits: number, limit = 0): number {
  let start = end;
  while (start > limit && (CLASS_OF[text.charCodeAt(start - 1)]! & bits) !== 0) start--;
  return start;
}
