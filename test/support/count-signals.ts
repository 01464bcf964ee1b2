import { OwnSignal } from "../../src/core/base/signal.ts";

/**
 * Counts live subscriptions to signals of ours, from now until `restore`: each `onAbort` adds one, its unsubscriber and the abort take it off. Only
 * signals that are listened to from now on count.
 */
export function countSignals(): { readonly live: number; restore(): void } {
  // Called on the signal that it belongs to, below.
  const { onAbort } = OwnSignal.prototype;
  let live = 0;
  OwnSignal.prototype.onAbort = function (this: OwnSignal, listener) {
    if (this.aborted) return onAbort.call(this, listener);
    let on = true;
    live++;
    const end = () => {
      if (on) live--;
      on = false;
    };
    const off = onAbort.call(this, (reason) => {
      end();
      listener(reason);
    });
    return () => {
      end();
      off();
    };
  };
  return {
    get live() {
      return live;
    },
    restore() {
      OwnSignal.prototype.onAbort = onAbort;
    },
  };
}
