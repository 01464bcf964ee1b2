import type { LocalError } from "../base/errors.ts";
import { closedError, secondReceive } from "./transport-errors.ts";
import type { Arrival } from "./transport.ts";

/**
 * The receiving half of a transport whose arrivals are handed over rather than read: a bounded first-in, first-out queue with one
 * puller. It never drops an arrival that it has accepted, unless the puller itself closes.
 */
export interface Inbox {
  /** Accepted arrivals that nobody has pulled. */
  size(): number;
  /** Whether nothing more can come. */
  isEnded(): boolean;
  /**
   * Hands over in order. Settles once the arrival is within the bound: at once, or when enough of the earlier ones are pulled. Rejects
   * with `closed` when the inbox ends first, and then the arrival is not delivered.
   */
  put(arrival: Arrival): Promise<void>;
  /** `Transport.receive`. A second call while one is pending rejects with `conflict`. */
  receive(): Promise<Arrival | undefined>;
  /** Nothing more comes: what was accepted is pulled first, then `undefined`, or the error on every pull. The first call counts. */
  end(error?: LocalError): void;
  /** The puller is done: everything is dropped, a pending `receive` gives `undefined`. */
  close(): void;
}

/** Already settled, shared: a hop costs no promise that nobody waits for. */
export const DONE: Promise<void> = Promise.resolve();
const NOTHING: Promise<undefined> = Promise.resolve(undefined);

interface Waiting {
  resolve(): void;
  reject(error: LocalError): void;
}

export function createInbox(maxQueued: number): Inbox {
  // Items past `maxQueued` are those whose senders wait, in the same order as `waiting`. The head moves, as shift() on a long list is linear.
  let items: (Arrival | undefined)[] = [];
  let head = 0;
  let waiting: Waiting[] = [];
  let puller: { resolve(arrival: Arrival | undefined): void; reject(error: LocalError): void } | undefined;
  let ended: { error: LocalError | undefined } | undefined;

  const finish = (): Promise<undefined> => (ended?.error === undefined ? NOTHING : Promise.reject(ended.error));

  const refuseWaiting = () => {
    const refused = waiting;
    waiting = [];
    items.length -= refused.length;
    for (const sender of refused) sender.reject(closedError());
  };

  return {
    size: () => items.length - head - waiting.length,
    isEnded: () => ended !== undefined,
    put(arrival) {
      if (ended !== undefined) return Promise.reject(closedError());
      if (puller !== undefined) {
        const { resolve } = puller;
        puller = undefined;
        resolve(arrival);
        return DONE;
      }
      items.push(arrival);
      if (items.length - head <= maxQueued) return DONE;
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    receive() {
      if (puller !== undefined) return Promise.reject(secondReceive());
      if (head < items.length) {
        const arrival = items[head];
        items[head++] = undefined;
        if (head === items.length) {
          items.length = 0;
          head = 0;
        } else if (head > 64 && head * 2 > items.length) {
          items = items.slice(head);
          head = 0;
        }
        waiting.shift()?.resolve();
        return Promise.resolve(arrival);
      }
      if (ended !== undefined) return finish();
      return new Promise((resolve, reject) => (puller = { resolve, reject }));
    },
    end(error) {
      if (ended !== undefined) return;
      ended = { error };
      refuseWaiting();
      const pending = puller;
      puller = undefined;
      if (error === undefined) pending?.resolve(undefined);
      else pending?.reject(error);
    },
    close() {
      refuseWaiting();
      ended = { error: undefined };
      items = [];
      head = 0;
      const pending = puller;
      puller = undefined;
      pending?.resolve(undefined);
    },
  };
}
