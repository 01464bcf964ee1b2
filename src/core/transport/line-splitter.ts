import { joinBytes } from "../base/bytes.ts";

/**
 * One line of a byte stream. `text` is without its line ending. A line over the cap comes as its two ends and its size; `unfinished`
 * is what the stream ended with instead of a line feed. `malformed` tells that the bytes were no UTF-8, so that `text` is not what was sent.
 */
export type Line =
  | { readonly kind: "line"; readonly text: string; readonly malformed?: true }
  | { readonly kind: "too-long"; readonly head: string; readonly tail: string; readonly bytes: number }
  | { readonly kind: "unfinished"; readonly text: string; readonly malformed?: true };

/** Bytes in, lines out; no promise, no clock. `next` is called until it gives `undefined`, then `push` again. */
interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** The stream is over: what is left comes as a last, unfinished line. */
  end(): void;
  next(): Line | undefined;
}

const LF = 0x0a;
const CR = 0x0d;
// Kept of either end of an over-long line, so that an id may be read.
const KEPT_BYTES = 4096;

/**
 * Splits at 0x0A and at nothing else, before any decoding: U+2028 and its like are ordinary text, and a character cut by a
 * chunk is whole again. One trailing CR is dropped, blank lines are passed over. `maxBytes` counts a line without its ending; above
 * it the line is skipped up to its end and reported once.
 */
export function createLineSplitter(maxBytes: number, decode: (bytes: Uint8Array) => string): LineSplitter {
  let chunk: Uint8Array | undefined;
  let chunkAt = 0;
  const queued: Uint8Array[] = [];
  let ended = false;

  // The start of the current line, carried over from earlier chunks, in a buffer that doubles: linear like a list of chunks that is joined
  // once, and unlike it not a hundred times the size of the text when a peer writes byte by byte.
  let carry = new Uint8Array(0);
  let carried = 0;
  // Set while an over-long line is skipped: its first and its latest bytes, and how many there were.
  let skipped: { head: Uint8Array; tail: Uint8Array; bytes: number; lastIsCr: boolean } | undefined;

  const keep = (part: Uint8Array) => {
    if (skipped !== undefined) {
      skipped.bytes += part.length;
      if (part.length > 0) skipped.lastIsCr = part[part.length - 1] === CR;
      if (skipped.head.length < KEPT_BYTES) skipped.head = joinBytes([skipped.head, part.subarray(0, KEPT_BYTES)]).slice(0, KEPT_BYTES);
      skipped.tail = lastBytes(skipped.tail, part);
      return;
    }
    // One byte more than the cap may be the CR of the ending.
    if (carried + part.length > maxBytes + 1) {
      const before = carry.subarray(0, carried);
      skipped = {
        head: joinBytes([before.subarray(0, KEPT_BYTES), part.subarray(0, KEPT_BYTES)]).slice(0, KEPT_BYTES),
        tail: lastBytes(before, part),
        bytes: carried + part.length,
        lastIsCr: part[part.length - 1] === CR,
      };
      carry = new Uint8Array(0);
      carried = 0;
      return;
    }
    if (carried + part.length > carry.length) {
      const grown = new Uint8Array(Math.max(carried + part.length, carry.length * 2, 256));
      grown.set(carry.subarray(0, carried));
      carry = grown;
    }
    carry.set(part, carried);
    carried += part.length;
  };

  // The line whose last part is `part`; undefined for a blank one.
  const finish = (part: Uint8Array): Line | undefined => {
    let bytes = part;
    if (carried > 0 || skipped !== undefined || part.length > maxBytes + 1) {
      keep(part);
      if (skipped !== undefined) {
        const { head, tail, bytes: size, lastIsCr } = skipped;
        skipped = undefined;
        return { kind: "too-long", head: decode(head), tail: decode(tail), bytes: lastIsCr ? size - 1 : size };
      }
      bytes = carry.subarray(0, carried);
      carried = 0;
      // A big line's buffer is not held on to.
      if (carry.length > 65_536) carry = new Uint8Array(0);
    }
    if (bytes[bytes.length - 1] === CR) bytes = bytes.subarray(0, -1);
    if (bytes.length > maxBytes) {
      const head = decode(bytes.subarray(0, KEPT_BYTES));
      return { kind: "too-long", head, tail: decode(bytes.subarray(-KEPT_BYTES)), bytes: bytes.length };
    }
    const text = decode(bytes);
    if (text.trim() === "") return undefined;
    return text.includes("\ufffd") && !isUtf8(text, bytes) ? { kind: "line", text, malformed: true } : { kind: "line", text };
  };

  return {
    push(bytes) {
      if (bytes.length > 0) queued.push(bytes);
    },
    end() {
      ended = true;
    },
    next() {
      for (;;) {
        if (chunk === undefined) {
          chunk = queued.shift();
          chunkAt = 0;
          if (chunk === undefined) break;
        }
        const lineEnd = chunk.indexOf(LF, chunkAt);
        if (lineEnd < 0) {
          keep(chunk.subarray(chunkAt));
          chunk = undefined;
          continue;
        }
        const part = chunk.subarray(chunkAt, lineEnd);
        chunkAt = lineEnd + 1;
        if (chunkAt === chunk.length) chunk = undefined;
        const line = finish(part);
        if (line !== undefined) return line;
      }
      if (!ended || (carried === 0 && skipped === undefined)) return undefined;
      const rest = finish(new Uint8Array(0));
      return rest?.kind === "line" ? { ...rest, kind: "unfinished" } : rest;
    },
  };
}

/** Whether bytes were UTF-8, given what they were decoded to: that has U+FFFD for what is malformed; one that the sender wrote is EF BF BD. */
function isUtf8(text: string, bytes: Uint8Array): boolean {
  let written = 0;
  for (let at = bytes.indexOf(0xef); at >= 0; at = bytes.indexOf(0xef, at + 1)) if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) written++;
  return text.split("\ufffd").length - 1 === written;
}

function lastBytes(before: Uint8Array, part: Uint8Array): Uint8Array {
  if (part.length >= KEPT_BYTES) return part.slice(-KEPT_BYTES);
  return joinBytes([before.subarray(Math.max(0, before.length + part.length - KEPT_BYTES)), part]);
}
