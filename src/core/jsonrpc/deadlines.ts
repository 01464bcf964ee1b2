import type { Host } from "../base/host.ts";

/** What has to be over at some time of `host.now()`; `Infinity` never. The time may move later while the timer runs. */
export interface Timed {
  readonly dueAt: number;
}

export interface Deadlines {
  /** Call it for each entry that joins the table. */
  watch(entry: Timed): void;
  /** Call it when the table is empty: no timer outlives what it was for. */
  stop(): void;
}

/**
 * One timer for a whole table of deadlines. Nearly every call is answered long before its time, and a timer each would cost more than
 * its table entry; so the timer is set for the earliest time that was seen, and looks through the table when it fires.
 */
export function createDeadlines<Entry extends Timed>(host: Host, entries: () => Iterable<Entry>, expire: (entry: Entry) => void): Deadlines {
  let armedAt = Infinity;
  let cancel: (() => void) | undefined;

  const arm = (dueAt: number, now: number) => {
    stop();
    cancel = host.setTimer(sweep, dueAt - now);
    armedAt = dueAt;
  };
  const stop = () => {
    cancel?.();
    cancel = undefined;
    armedAt = Infinity;
  };
  const sweep = () => {
    stop();
    const now = host.now();
    const overdue: Entry[] = [];
    let next = Infinity;
    for (const entry of entries()) {
      if (entry.dueAt <= now) overdue.push(entry);
      else if (entry.dueAt < next) next = entry.dueAt;
    }
    // Before anything expires: what that sets off may bring new entries, or stop all.
    if (next < Infinity) arm(next, now);
    for (const entry of overdue) expire(entry);
  };

  return {
    watch({ dueAt }) {
      if (dueAt < armedAt) arm(dueAt, host.now());
    },
    stop,
  };
}
