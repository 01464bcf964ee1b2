import { LocalError } from "../base/errors.ts";
import { DEFAULT_LIMITS } from "../base/limits.ts";
import { checkOptions } from "../base/options.ts";
import { isThenable } from "../base/thenable.ts";

/** Counts of events since the observer was made, but for `waiting`, which is those of now. */
export interface ObserverStats {
  /** Events that were handed over, and whose handling has ended. */
  readonly delivered: number;
  /** Those among them at which the observer threw or rejected. */
  readonly failed: number;
  /** Events that found the queue full, and are lost. */
  readonly dropped: number;
  /** Events that wait for their turn, the one that is being handled included. */
  readonly waiting: number;
}

/**
 * A listener behind a bounded queue, so that it can neither slow nor break what it is told of. It gets one event at a time, in order, after the step
 * that the event tells of; where it returns a promise, the next one waits until that has settled, and traffic does not. What it throws or
 * rejects with is counted. What it does before its first `await` takes the thread, as all code does.
 */
export interface Observer<E> {
  tell(event: E): void;
  stats(): ObserverStats;
}

/** What an `observe` option takes: a function, or an observer made before, whose counters its maker can read. */
export type Observing<E> = ((event: E) => unknown) | Observer<E>;

// So many at once before other microtasks have a turn.
const BATCH = 64;

/** `maxQueued` events may wait, `limits.maxQueuedEvents` (10,000) unless said otherwise. */
export function createObserver<E>(handle: (event: E) => unknown, options: { readonly maxQueued?: number } = {}): Observer<E> {
  checkOptions(options, "the options of an observer", { maxQueued: "any" });
  const { maxQueued = DEFAULT_LIMITS.maxQueuedEvents } = options;
  if (typeof handle !== "function") throw new LocalError("invalid_argument", "an observer must be a function, or made by createObserver");
  if (!Number.isSafeInteger(maxQueued) || maxQueued < 1) throw new LocalError("invalid_argument", "maxQueued must be a positive integer");
  let queue: E[] = [];
  // The next event in `queue`. A moving head: taking from the front of a long list is linear.
  let head = 0;
  let delivered = 0;
  let failed = 0;
  let dropped = 0;
  // A delivery is due, or waits for the observer's promise.
  let busy = false;

  const ended = () => {
    delivered++;
    head++;
  };
  const wait = (answer: PromiseLike<unknown>) => {
    const next = () => {
      ended();
      deliver();
    };
    new Promise((settle) => settle(answer)).then(next, () => {
      failed++;
      next();
    });
  };
  const deliver = () => {
    for (let left = BATCH; head < queue.length; left--) {
      if (left === 0) return void Promise.resolve().then(deliver);
      try {
        const answer = handle(queue[head]!);
        if (isThenable(answer)) return wait(answer);
      } catch {
        failed++;
      }
      ended();
    }
    queue = [];
    head = 0;
    busy = false;
  };

  return {
    tell(event) {
      if (queue.length - head >= maxQueued) {
        dropped++;
        return;
      }
      // What has been handed over is let go before the list can grow past twice its bound.
      if (head > maxQueued) {
        queue = queue.slice(head);
        head = 0;
      }
      queue.push(event);
      if (busy) return;
      busy = true;
      void Promise.resolve().then(deliver);
    },
    stats: () => ({ delivered, failed, dropped, waiting: queue.length - head }),
  };
}

/** The observer that an option names: one of its own for a function. */
export function observerOf<E>(observing: Observing<E> | undefined, maxQueued: number): Observer<E> | undefined {
  if (observing === undefined) return undefined;
  if (typeof observing === "function") return createObserver(observing, { maxQueued });
  if (typeof observing?.tell !== "function") throw new LocalError("invalid_argument", "observe must be a function, or made by createObserver");
  return {
    tell(event) {
      try {
        observing.tell(event);
      } catch {
        // One that was not made here, and whose maker has to count for himself.
      }
    },
    stats: () => observing.stats(),
  };
}

export const NOTHING_OBSERVED: ObserverStats = Object.freeze({ delivered: 0, failed: 0, dropped: 0, waiting: 0 });
