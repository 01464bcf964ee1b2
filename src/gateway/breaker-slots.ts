import { LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import type { Signal } from "../core/base/signal.ts";

export interface SlotOptions {
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** Turns of a bounded number, first come, first served. */
export interface Slots {
  /** Takes a turn if one is free and nobody waits for it. */
  take(): boolean;
  /** Whether nobody else may wait. */
  full(): boolean;
  /** True with a turn, which is the caller's to release; false after `ms`. Rejects with the signal's reason. */
  wait(ms: number, signal: Signal): Promise<boolean>;
  release(): void;
  counts(): { readonly running: number; readonly waiting: number };
}

export function createSlots(host: Pick<Host, "setTimer">, { maxConcurrent, maxWaiting, maxWaitMs }: SlotOptions): Slots {
  for (const [name, value] of Object.entries({ maxConcurrent, maxWaitMs })) {
    if (!Number.isSafeInteger(value) || value < 1) throw new LocalError("invalid_argument", `${name} must be a positive integer`);
  }
  if (!Number.isSafeInteger(maxWaiting) || maxWaiting < 0) throw new LocalError("invalid_argument", "maxWaiting must be an integer, 0 or more");
  // In order of arrival; each takes itself out.
  const waiting = new Set<() => void>();
  let running = 0;
  return {
    take() {
      if (running >= maxConcurrent || waiting.size > 0) return false;
      running++;
      return true;
    },
    full: () => waiting.size >= maxWaiting,
    wait(ms, signal) {
      return new Promise((resolve, reject) => {
        let unlink = () => {};
        const leave = () => {
          waiting.delete(turn);
          cancel();
          unlink();
        };
        const turn = () => {
          leave();
          resolve(true);
        };
        const cancel = host.setTimer(() => {
          leave();
          resolve(false);
        }, ms);
        waiting.add(turn);
        unlink = signal.onAbort((reason) => {
          leave();
          reject(reason);
        });
      });
    },
    release() {
      const [next] = waiting;
      // The turn is handed over, so that nobody who comes now overtakes.
      if (next !== undefined) next();
      else running--;
    },
    counts: () => ({ running, waiting: waiting.size }),
  };
}
