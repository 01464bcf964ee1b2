import type { Host } from "../base/host.ts";
import { createLinkedList, type Node } from "../base/linked-list.ts";

/** Looked at once a tick, for as long as it is watched. */
export interface Watched {
  tick(now: number): void;
}

export type Watching = Node<Watched>;

/**
 * One timer for everything in a server that ages: waits, streams, sessions. A timer each would cost every request one; and nothing here has to be
 * more exact than a tick. The timer runs while something is watched, and does not keep the process alive.
 */
export interface Clock {
  /** Milliseconds, at most one tick old. */
  readonly now: number;
  watch(watched: Watched): Watching;
  unwatch(watching: Watching): void;
  stop(): void;
}

export const TICK_MS = 1_000;

export function createClock(host: Pick<Host, "now" | "setTimer">): Clock {
  const all = createLinkedList<Watched>();
  let now = host.now();
  let cancel: (() => void) | undefined;
  let stopped = false;

  const tick = () => {
    cancel = undefined;
    now = host.now();
    for (const watched of all) watched.tick(now);
    if (all.size > 0) run();
  };
  const run = () => {
    if (cancel === undefined && !stopped) cancel = host.setTimer(tick, TICK_MS, true);
  };

  return {
    get now() {
      return now;
    },
    watch(watched) {
      if (cancel === undefined) now = host.now();
      run();
      return all.add(watched);
    },
    unwatch: (watching) => all.remove(watching),
    stop() {
      stopped = true;
      cancel?.();
      cancel = undefined;
    },
  };
}
