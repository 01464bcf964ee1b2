import { constants } from "node:os";
import { LocalError } from "../core/base/errors.ts";
import { createSignal, type Signal } from "../core/base/signal.ts";
import type { Exit } from "./exit.ts";

/** The signals that ask a process to end. */
export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What a process does about such a signal before there is anybody to pass it on to. */
export interface SignalWatch {
  /** Aborts when the first one comes. */
  readonly signal: Signal;
  /** How to end, once one has come. */
  readonly exit: Exit | undefined;
  release(): void;
}

export function watchSignals(): SignalWatch {
  const stop = createSignal();
  let exit: Exit | undefined;
  const listener = (signal: NodeJS.Signals) => {
    exit ??= exitBy(signal);
    stop.abort(new LocalError("aborted", `this process was ended by ${signal}`));
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, listener);
  return {
    signal: stop.signal,
    get exit() {
      return exit;
    },
    release() {
      for (const signal of ENDING_SIGNALS) process.off(signal, listener);
      stop.dispose();
    },
  };
}

/** The end of a process by a signal. */
export function exitBy(signal: NodeJS.Signals): Exit {
  return { code: 128 + constants.signals[signal], signal };
}
