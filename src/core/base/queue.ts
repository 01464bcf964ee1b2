/**
 * A first-in, first-out queue between one or more producers and pullers. `push` never waits; who needs a bound reads
 * `size` and waits for `drained`. After `close`, what was pushed before is still pulled, then `undefined` for ever.
 */
export interface Queue<T> {
  readonly size: number;
  readonly closed: boolean;
  /** False, and nothing is kept, after `close`. */
  push(item: T): boolean;
  pull(): Promise<T | undefined>;
  /** Settles when `size` has fallen below `below`, or the queue is closed. */
  drained(below: number): Promise<void>;
  close(): void;
}

export function createQueue<T>(): Queue<T> {
  // A list with a moving head: shift() on a long array is linear.
  let items: (T | undefined)[] = [];
  let head = 0;
  let closed = false;
  const pullers: ((item: T | undefined) => void)[] = [];
  let waiters: { below: number; settle: () => void }[] = [];

  const size = () => items.length - head;
  const wake = () => {
    if (waiters.length === 0) return;
    const ready = waiters.filter((waiter) => closed || size() < waiter.below);
    if (ready.length === 0) return;
    waiters = waiters.filter((waiter) => !ready.includes(waiter));
    for (const waiter of ready) waiter.settle();
  };

  return {
    get size() {
      return size();
    },
    get closed() {
      return closed;
    },
    push(item) {
      if (closed) return false;
      const puller = pullers.shift();
      if (puller !== undefined) puller(item);
      else items.push(item);
      return true;
    },
    pull() {
      if (size() > 0) {
        const item = items[head];
        items[head++] = undefined;
        if (head > 64 && head * 2 > items.length) {
          items = items.slice(head);
          head = 0;
        }
        wake();
        return Promise.resolve(item);
      }
      if (closed) return Promise.resolve(undefined);
      return new Promise((resolve) => pullers.push(resolve));
    },
    drained(below) {
      if (closed || size() < below) return Promise.resolve();
      return new Promise((settle) => waiters.push({ below, settle }));
    },
    close() {
      if (closed) return;
      closed = true;
      for (const puller of pullers.splice(0)) puller(undefined);
      wake();
    },
  };
}
