import { COLON, IPV6_CLASS } from "./characters.ts";
import type { Match } from "./detector.ts";
import { ipv6 } from "./ip.ts";
import { runEnd, runStart } from "./runs.ts";

const MOST_BEFORE_COMPRESSED = 40;

// A group of four digits stands between two colons of an address, and six colons at least are in one without `::`.
const WIDEST_GAP = 5;
const FEWEST_COLONS = 6;

/** Finds IPv6 addresses: around each `::`, and around colons that follow each other as closely as they do in an address in full. */
export function findAtColons(text: string, found: Match[]): void {
  let last = -WIDEST_GAP - 1;
  let close = 0;
  let done = 0;
  let compressedDone = 0;
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) {
    if (at === last + 1) {
      findCompressed(text, last, compressedDone, found);
      compressedDone = at;
    }
    close = at - last <= WIDEST_GAP ? close + 1 : 1;
    last = at;
    if (close < FEWEST_COLONS || at < done) continue;
    const start = runStart(text, at, IPV6_CLASS, done);
    done = runEnd(text, at, IPV6_CLASS);
    ask(text, start, done, found);
  }
}

function findCompressed(text: string, at: number, limit: number, found: Match[]): void {
  ask(text, runStart(text, at, IPV6_CLASS, Math.max(limit, at - MOST_BEFORE_COMPRESSED)), at + 1, found);
}

function ask(text: string, start: number, end: number, found: Match[]): void {
  for (let at = start; at < end; at++) {
    if (text.charCodeAt(at) !== COLON) continue;
    const span = ipv6.matchAt(text, at);
    if (span !== undefined) found.push({ type: ipv6.type, start: span.start, end: span.end });
  }
}
