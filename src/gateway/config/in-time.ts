import type { Signal } from "../../core/base/signal.ts";

/**
 * Settles with `work`, or rejects with the signal's reason where that comes first. What the work gives after that goes to `giveBack`, as nobody else will
 * have it: a module may take as long as it likes to load.
 */
export function inTime<T>(work: Promise<T>, signal: Signal | undefined, giveBack: (late: T) => unknown = () => {}): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    let over = false;
    const off = signal.onAbort((reason) => {
      over = true;
      reject(reason);
    });
    work.then(
      (value) => {
        off();
        if (over) giveBack(value);
        else resolve(value);
      },
      (thrown: unknown) => {
        off();
        reject(thrown);
      },
    );
  });
}
