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
  return new OwnQueue();
}

// A class for its getters: on an object literal each costs a hidden class, which keeps all that the getter reaches past every minor collection.
class OwnQueue<T> implements Queue<T> {
  // A list with a moving head: shift() on a long array is linear.
  #items: (T | undefined)[] = [];
  #head = 0;
  #closed = false;
  readonly #pullers: ((item: T | undefined) => void)[] = [];
  #waiters: { below: number; settle: () => void }[] = [];

  get size(): number {
    return this.#items.length - this.#head;
  }

  get closed(): boolean {
    return this.#closed;
  }

  push(item: T): boolean {
    if (this.#closed) return false;
    const puller = this.#pullers.shift();
    if (puller !== undefined) puller(item);
    else this.#items.push(item);
    return true;
  }

  pull(): Promise<T | undefined> {
    if (this.size > 0) {
      const item = this.#items[this.#head];
      this.#items[this.#head++] = undefined;
      if (this.#head > 64 && this.#head * 2 > this.#items.length) {
        this.#items = this.#items.slice(this.#head);
        this.#head = 0;
      }
      this.#wake();
      return Promise.resolve(item);
    }
    if (this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#pullers.push(resolve));
  }

  drained(below: number): Promise<void> {
    if (this.#closed || this.size < below) return Promise.resolve();
    return new Promise((settle) => this.#waiters.push({ below, settle }));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const puller of this.#pullers.splice(0)) puller(undefined);
    this.#wake();
  }

  #wake(): void {
    if (this.#waiters.length === 0) return;
    const ready = this.#waiters.filter((waiter) => this.#closed || this.size < waiter.below);
    if (ready.length === 0) return;
    this.#waiters = this.#waiters.filter((waiter) => !ready.includes(waiter));
    for (const waiter of ready) waiter.settle();
  }
}
