import type { Host } from "../base/host.ts";
import { createSignal, type Signal, type SignalSource } from "../base/signal.ts";

/** Settles after `ms`, or at once when the signal aborts. `background` as for {@link Host.setTimer}. */
export function pause(host: Pick<Host, "setTimer">, ms: number, signal: Signal, background = false): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = host.setTimer(() => {
      unlink();
      resolve();
    }, ms, background);
    const unlink = signal.onAbort(() => {
      cancel();
      resolve();
    });
  });
}

/** A signal that also aborts after `ms`. Whoever is done with it aborts it, which stops the clock. */
export function timedSignal(host: Pick<Host, "setTimer">, ms: number, ...parents: readonly Signal[]): SignalSource {
  const source = createSignal(...parents);
  void pause(host, ms, source.signal).then(() => source.abort(`it took more than ${ms} ms`));
  return source;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const SHORTEST_WAIT_MS = 100;

/**
 * How long to wait before a stream is opened again: what the server has asked for, or a second; longer with each try in a row in which
 * nothing was heard. A server that asks for no wait at all gets that once, the `first` time.
 */
export function reconnectWait(retryMs: number | undefined, failures: number, first: boolean): number {
  if (failures === 0) return retryMs === 0 && !first ? SHORTEST_WAIT_MS : (retryMs ?? FIRST_WAIT_MS);
  const backoff = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures, 10), LONGEST_WAIT_MS);
  return Math.max(retryMs ?? SHORTEST_WAIT_MS, backoff);
}
