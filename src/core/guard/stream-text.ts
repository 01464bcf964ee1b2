import { LocalError } from "../base/errors.ts";

export interface WindowSize {
  /** Characters (UTF-16 code units) that are held before they are judged. */
  readonly windowChars: number;
  /** Characters that are held back from a window that has passed, and shown of what is out already. */
  readonly overlapChars: number;
}

/** What is judged at one time: `text` begins with `context`, which is out already and cannot be changed any more. */
export interface Part {
  readonly context: string;
  readonly text: string;
}

/** The text of a stream between the function that writes it and the caller that reads it. No promise, no clock. */
export interface StreamText {
  /** All that the caller has been given. */
  readonly released: string;
  /** Enough is held for a window. */
  readonly due: boolean;
  /** Throws `limit_exceeded` where the whole text would be too long to be judged. */
  push(delta: string): void;
  part(): Part;
  /**
   * Takes what was held as it was judged, and gives what may go out: all but the overlap; where that was changed, what stands before the first
   * change, and the rest is judged once more as it was. Two windows long, it goes out as it was changed.
   */
  release(part: Part, judged: string): string;
  /** All of it, released or not. */
  whole(): string;
  /** Gives what is left to go out of the whole as it was judged. */
  finish(judged: string): string;
}

export function createStreamText({ windowChars, overlapChars }: WindowSize, maxChars: number): StreamText {
  let released = "";
  let held = "";
  let dueAt = windowChars;
  return {
    get released() {
      return released;
    },
    get due() {
      return held.length >= dueAt;
    },
    push(delta) {
      if (released.length + held.length + delta.length > maxChars) {
        throw new LocalError("limit_exceeded", `the stream has more than ${maxChars} characters`, { details: { maxChars } });
      }
      held += delta;
    },
    part() {
      const from = released.length - overlapChars;
      const context = from > 0 ? released.slice(splitsPair(released, from) ? from + 1 : from) : released;
      return { context, text: context + held.slice(0, wholePairs(held, held.length)) };
    },
    release({ context, text }, judged) {
      const taken = text.slice(context.length);
      const fresh = judged.slice(context.length);
      // What was left out of the window: half of a pair, at most.
      const rest = held.slice(taken.length);
      const tail = taken.slice(Math.max(0, taken.length - overlapChars));
      let out: string;
      if (!fresh.endsWith(tail) && taken.length < 2 * windowChars) {
        // What was changed at the end may be half of what it will be: the change is put off until more has come, with all that it may belong to.
        out = taken.slice(0, wholePairs(taken, Math.min(firstChange(taken, fresh), taken.length - tail.length)));
        held = taken.slice(out.length) + rest;
      } else {
        out = fresh.slice(0, wholePairs(fresh, Math.max(0, fresh.length - overlapChars)));
        held = fresh.slice(out.length) + rest;
      }
      released += out;
      dueAt = Math.max(windowChars, held.length + windowChars - overlapChars);
      return out;
    },
    whole: () => released + held,
    finish(judged) {
      const out = judged.slice(released.length);
      released = judged;
      held = "";
      return out;
    },
  };
}

// A place to cut that leaves surrogate pairs whole; a first half at the end waits for the second.
function wholePairs(text: string, cut: number): number {
  const last = text.charCodeAt(cut - 1);
  return last >= 0xd800 && last <= 0xdbff ? cut - 1 : cut;
}

function commonPrefix(left: string, right: string): number {
  const most = Math.min(left.length, right.length);
  let length = 0;
  while (length < most && left.charCodeAt(length) === right.charCodeAt(length)) length++;
  return length;
}

/**
 * Where the change begins, at the earliest. What was taken out of a repetition may as well be its first part as its last ("abab" to "ab"), so what has the
 * same beginning may still be what was meant.
 */
function firstChange(before: string, after: string): number {
  const shorter = Math.min(before.length, after.length);
  let suffix = 0;
  while (suffix < shorter && before.charCodeAt(before.length - 1 - suffix) === after.charCodeAt(after.length - 1 - suffix)) suffix++;
  return Math.min(commonPrefix(before, after), shorter - suffix);
}

function splitsPair(text: string, at: number): boolean {
  return wholePairs(text, at) !== at;
}
