import { LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";

/** A host whose time passes only while `run` waits, and then at once: a vector that takes a minute is over in a moment. */
export interface ScriptedHost extends Host {
  /** What a promise comes to, with time moving whenever nothing else can happen. Rejects with `timeout` where nothing is left to wait for. */
  run<T>(work: Promise<T>): Promise<T>;
  /** Lets happen what can, then moves the clock by `ms`, timer by timer, and lets happen what follows. */
  pass(ms: number): Promise<void>;
}

// More turns of the microtask queue than a message needs through both stacks and back.
const TURNS = 400;

export function scriptedHost(base: Host): ScriptedHost {
  const timers = new Map<number, { readonly due: number; readonly callback: () => void }>();
  let clock = 0;
  let next = 1;
  const turns = async () => {
    for (let turn = 0; turn < TURNS; turn++) await undefined;
  };
  const fire = ([id, timer]: readonly [number, { readonly due: number; readonly callback: () => void }]) => {
    timers.delete(id);
    clock = timer.due;
    timer.callback();
  };
  const first = () => [...timers].sort(([a, x], [b, y]) => x.due - y.due || a - b)[0];
  return {
    ...base,
    now: () => clock,
    wallTime: () => clock,
    setTimer(callback, ms) {
      const id = next++;
      timers.set(id, { due: clock + Math.max(0, ms), callback });
      return () => void timers.delete(id);
    },
    async run(work) {
      let settled = false;
      const mark = () => void (settled = true);
      work.then(mark, mark);
      for (;;) {
        for (let turn = 0; turn < TURNS && !settled; turn++) await undefined;
        if (settled) return work;
        const timer = first();
        if (timer === undefined) throw new LocalError("timeout", "it hangs: there is nothing left to wait for");
        fire(timer);
      }
    },
    async pass(ms) {
      const end = clock + ms;
      await turns();
      for (let timer = first(); timer !== undefined && timer[1].due <= end; timer = first()) {
        fire(timer);
        await turns();
      }
      clock = end;
    },
  };
}
