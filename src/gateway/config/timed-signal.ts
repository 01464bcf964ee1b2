import { LocalError } from "../../core/base/errors.ts";
import type { Host } from "../../core/base/host.ts";
import { createSignal, type Signal } from "../../core/base/signal.ts";

/** Runs what a signal ends: after `ms` with `late`, or before by `giveUp`. */
export async function inTimeOf<T>(host: Host, ms: number, late: string, run: (signal: Signal, giveUp: (why: string) => void) => Promise<T>): Promise<T> {
  const stop = createSignal();
  const cancel = host.setTimer(() => stop.abort(new LocalError("timeout", late)), ms);
  try {
    return await run(stop.signal, (why) => stop.abort(new LocalError("aborted", why)));
  } finally {
    cancel();
    stop.dispose();
  }
}
