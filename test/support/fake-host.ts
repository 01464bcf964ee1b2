import { fromGlobals, type Host } from "../../src/core/base/host.ts";

/** A host whose clock moves only when told to. `liveTimers` must be 0 when a test ends. */
export interface FakeHost extends Host {
  /** Moves the clock and fires what falls due, in order; promise reactions run between timers. */
  advance(ms: number): Promise<void>;
  readonly liveTimers: number;
}

export function fakeHost(): FakeHost {
  const real = fromGlobals(globalThis as never);
  const timers = new Map<number, { due: number; callback: () => void }>();
  let clock = 0;
  let next = 1;
  return {
    ...real,
    now: () => clock,
    wallTime: () => Date.UTC(2026, 6, 28) + clock,
    setTimer(callback, ms) {
      const id = next++;
      timers.set(id, { due: clock + Math.max(0, ms), callback });
      return () => timers.delete(id);
    },
    get liveTimers() {
      return timers.size;
    },
    async advance(ms) {
      const end = clock + ms;
      await settle();
      for (;;) {
        const due = [...timers].filter(([, timer]) => timer.due <= end).sort(([a, x], [b, y]) => x.due - y.due || a - b)[0];
        if (due === undefined) break;
        timers.delete(due[0]);
        clock = due[1].due;
        due[1].callback();
        await settle();
      }
      clock = end;
      await settle();
    },
  };
}

/** Lets every promise reaction that is ready run. No timer fires, no time passes. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
