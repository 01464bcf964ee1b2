import { COLON, digitsEnd, DOT, endsClean, isAlphanumeric, isDigit, isHex, startsClean } from "./characters.ts";
import type { Detector } from "./detector.ts";

/**
 * IPv4 addresses: four numbers up to 255 without leading zeros, and no fifth. A version of four parts looks the same; one that is written
 * `v1.2.3.4`, or has a part above 255, is not taken, nor is the number of a section.
 */
export const ipv4: Detector = {
  type: "ip",
  anchor: "digit",
  matchAt(text, start) {
    const end = ipv4End(text, start);
    if (end === undefined || !startsClean(text, start) || !endsClean(text, end)) return undefined;
    return SECTION.test(text.slice(Math.max(0, start - 10), start)) ? undefined : { start, end };
  },
};

// Parts of a standard are numbered likewise.
const SECTION = /(?:section|sect?\.?|chapter|clause|§)[ -]?$/i;

function ipv4End(text: string, start: number): number | undefined {
  let end = start;
  for (let part = 0; part < 4; part++) {
    if (part > 0 && text.charCodeAt(end++) !== DOT) return undefined;
    const partEnd = digitsEnd(text, end, 4);
    const length = partEnd - end;
    if (length < 1 || length > 3 || (length > 1 && text.charAt(end) === "0") || Number(text.slice(end, partEnd)) > 255) return undefined;
    end = partEnd;
  }
  return end;
}

/**
 * IPv6 addresses, in full or with `::`, with an IPv4 tail, and with a zone (`%eth0`). To leave scopes (`std::vector`, `a::b`), slices
 * (`x[1::2]`), times and hardware addresses alone, a compressed one counts only with two groups, one of them of four hex digits, and
 * a decimal digit somewhere; so `::1`, which names nobody, is not taken.
 */
export const ipv6: Detector = {
  type: "ip",
  anchor: ":",
  matchAt(text, colon) {
    const start = groupStart(text, colon);
    if (start === undefined || (start === colon && text.charCodeAt(colon + 1) !== COLON)) return undefined;
    // A later colon of a run is no anchor, but a label's colon (`ip:2001:db8::1`) does not make what follows a later part.
    const label = start - 1;
    if (text.charCodeAt(label) === COLON) {
      if (text.charCodeAt(label - 1) === COLON) return undefined;
      const before = groupStart(text, label);
      if (before !== undefined && before < label) return undefined;
    }
    return readIpv6(text, start);
  },
};

/** Where the hex group that ends at `colon` starts, which may be there; nothing if it is too long, or part of a word. */
function groupStart(text: string, colon: number): number | undefined {
  let start = colon;
  while (colon - start <= 4 && isHex(text.charCodeAt(start - 1))) start--;
  if (start === colon) return start;
  return colon - start <= 4 && startsClean(text, start) ? start : undefined;
}

function readIpv6(text: string, start: number): { start: number; end: number } | undefined {
  let groups = 0;
  let compressed = false;
  let longest = 0;
  let end = start;
  if (text.startsWith("::", start)) {
    compressed = true;
    end += 2;
  }
  for (;;) {
    const tail = groups > 0 || compressed ? ipv4End(text, end) : undefined;
    if (tail !== undefined) {
      groups += 2;
      end = tail;
      break;
    }
    let groupEnd = end;
    while (groupEnd - end <= 4 && isHex(text.charCodeAt(groupEnd))) groupEnd++;
    const length = groupEnd - end;
    if (length > 4) return undefined;
    if (length > 0) groups++;
    longest = Math.max(longest, length);
    end = groupEnd;
    if (groups > 8 || length === 0 || text.charCodeAt(end) !== COLON) break;
    if (text.charCodeAt(end + 1) !== COLON) {
      // A colon that no group follows belongs to the sentence.
      if (!isHex(text.charCodeAt(end + 1))) break;
      end += 1;
    } else if (compressed) {
      return undefined;
    } else {
      compressed = true;
      end += 2;
    }
  }
  if (!endsClean(text, end) || text.startsWith("::", end - 1)) return undefined;
  const isWhole = compressed ? groups >= 2 && groups <= 7 && longest === 4 && hasDigit(text, start, end) : groups === 8;
  return isWhole ? { start, end: zoneEnd(text, end) } : undefined;
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let index = start; index < end; index++) if (isDigit(text.charCodeAt(index))) return true;
  return false;
}

/** A zone names an interface of the machine. Bounded, as interface names are. */
function zoneEnd(text: string, end: number): number {
  if (text.charAt(end) !== "%") return end;
  let zone = end + 1;
  while (zone - end <= 15 && isAlphanumeric(text.charCodeAt(zone))) zone++;
  return zone === end + 1 || isAlphanumeric(text.charCodeAt(zone)) ? end : zone;
}
