import { base64Value } from "./encoded-bytes.ts";
import { plainWords } from "./look-alike.ts";

// Winnowing (Schleimer, Wilkerson, Aiken: "Winnowing: local algorithms for document fingerprinting", 2003).

// Of each so many windows in a row the one with the smallest hash is kept.
const WINDOWS = 16;

/** The shortest run of letters and digits that two texts can have in common without having a fingerprint in common. */
export const LEAST_SHARED_CHARS = 32;

/**
 * Fingerprints of a text by its letters and digits alone, whatever their case: two texts that share a run of `sharedChars` of them have one in common, and
 * texts that share none of `sharedChars - 16` have one by chance alone, once in 2^52. Linear. `visit` may be told the same one twice.
 */
export function fingerprints(text: string, sharedChars: number, visit: (fingerprint: number) => void): void {
  const units = lettersAndDigits(text);
  const windowChars = sharedChars - WINDOWS + 1;
  // Two rolling hashes of 32 bits, over the last `windowChars` units.
  let first = 0;
  let second = 0;
  const firstOut = power(FIRST, windowChars);
  const secondOut = power(SECOND, windowChars);
  const recent = new Float64Array(WINDOWS);
  let least = -1;
  let leastAt = -WINDOWS;
  for (let at = 0; at < units.length; at++) {
    const unit = units[at]! + 1;
    const out = at < windowChars ? 0 : units[at - windowChars]! + 1;
    first = (Math.imul(first, FIRST) + unit - Math.imul(out, firstOut)) | 0;
    second = (Math.imul(second, SECOND) + unit - Math.imul(out, secondOut)) | 0;
    const start = at - windowChars + 1;
    if (start < 0) continue;
    const hash = asPrint(first, second);
    recent[start % WINDOWS] = hash;
    if (start < WINDOWS - 1) continue;
    const before = least;
    // The smallest of the last ones, the latest of equals: looked for only where the one that was is gone.
    if (leastAt >= 0 && hash <= least) {
      least = hash;
      leastAt = start;
    } else if (leastAt <= start - WINDOWS) {
      leastAt = -1;
      for (let back = start - WINDOWS + 1; back <= start; back++) {
        const other = recent[back % WINDOWS]!;
        if (leastAt >= 0 && other > least) continue;
        least = other;
        leastAt = back;
      }
    }
    // A text of one letter has one fingerprint, and as many windows as letters.
    if (least !== before) visit(least);
  }
}

/** Shorter data, such as a picture of one pixel, is the same in many places. */
export const LEAST_DATA_CHARS = 256;

/**
 * One fingerprint of data by its Base64, whichever alphabet it is in and wherever it is broken into lines; nothing for what is short, or no Base64. Of a last group that is
 * not full nothing counts: in a line of its own it is no run.
 */
export function dataFingerprint(base64: string): number | undefined {
  if (base64.length < LEAST_DATA_CHARS) return undefined;
  // The sums of texts start with nothing.
  let first = 1;
  let second = 1;
  let count = 0;
  // After the last full group.
  let firstWhole = first;
  let secondWhole = second;
  for (let at = 0; at < base64.length; at++) {
    const code = base64.charCodeAt(at);
    const value = base64Value(code);
    if (value < 0) {
      if (code === 0x3d || code === 0x20 || (code >= 0x09 && code <= 0x0d)) continue;
      return undefined;
    }
    first = (Math.imul(first, FIRST) + value + 1) | 0;
    second = (Math.imul(second, SECOND) + value + 1) | 0;
    count++;
    if ((count & 3) !== 0) continue;
    firstWhole = first;
    secondWhole = second;
  }
  return count < LEAST_DATA_CHARS ? undefined : asPrint(firstWhole, secondWhole);
}

const FIRST = 0x01000193;
const SECOND = 0x5bd1e995;

function power(base: number, exponent: number): number {
  let result = 1;
  for (let count = 0; count < exponent; count++) result = Math.imul(result, base);
  return result;
}

function asPrint(first: number, second: number): number {
  return mix(first) * 0x10_0000 + (mix(second) >>> 12);
}

// Sums of few characters differ in few bits.
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function lettersAndDigits(text: string): Uint16Array {
  // Full-width forms, accents and look-alikes are other writings of the same.
  const folded = plainWords(text).toLowerCase();
  const units = new Uint16Array(folded.length);
  let end = 0;
  for (let at = 0; at < folded.length; at++) {
    const unit = folded.charCodeAt(at);
    if ((unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x7a) || (unit >= 0xaa && !isSeparator(unit))) units[end++] = unit;
  }
  return units.subarray(0, end);
}

// Beyond ASCII whatever is no space or punctuation in running text counts.
function isSeparator(unit: number): boolean {
  return unit === 0xab || unit === 0xb7 || unit === 0xbb || (unit >= 0x2000 && unit <= 0x206f) || (unit >= 0x3000 && unit <= 0x3003) || unit === 0xfeff;
}
