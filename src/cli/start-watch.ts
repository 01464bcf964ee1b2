import { LocalError } from "../core/base/errors.ts";
import { createSignal, type Signal } from "../core/base/signal.ts";
import type { Exit } from "./exit.ts";
import { watchParent } from "./orphan.ts";
import { ENDING_SIGNALS, exitBy } from "./signals.ts";

/**
 * Watches over the start, until there is a server to pass signals on to. Its timer keeps the process alive: a module whose top-level `await` never
 * settles would end it without a word.
 */
export interface StartWatch {
  /** Aborts when the process is asked to end, when its parent is gone, and, with a `LocalError` of code `timeout`, when the start takes too long. */
  readonly signal: Signal;
  /** How to end, where it was a signal or the parent's death. */
  readonly exit: Exit | undefined;
  /** Whether SIGHUP has come, where that is for a reload. */
  readonly reloads: boolean;
  release(): void;
}

/** `hangup`: what SIGHUP asks for. A reload waits for the end of the start. `hint`: what to say of `limitMs`. */
export function watchStart(parent: number, limitMs: number, hangup: "end" | "reload" = "end", hint = "which is all that the start may take"): StartWatch {
  const stop = createSignal();
  let exit: Exit | undefined;
  let reloads = false;
  const giveUp = (how: Exit, why: string) => {
    exit ??= how;
    stop.abort(new LocalError("aborted", why));
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (signal === "SIGHUP" && hangup === "reload") reloads = true;
    else giveUp(exitBy(signal), `this process was ended by ${signal}`);
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  const parentWatch = watchParent(parent, () => giveUp({ code: 1 }, "the process that started this one is gone"));
  const late = new LocalError("timeout", `it was not ready within ${limitMs} ms, ${hint}`);
  const timer = setTimeout(() => stop.abort(late), limitMs);
  return {
    signal: stop.signal,
    get exit() {
      return exit;
    },
    get reloads() {
      return reloads;
    },
    release() {
      for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
      parentWatch.release();
      clearTimeout(timer);
      stop.dispose();
    },
  };
}

/** Settles with `action`, or rejects with the signal's reason where that comes first; what the action still does is then nobody's. */
export function unlessAborted<T>(action: Promise<T>, signal: Signal | undefined): Promise<T> {
  if (signal === undefined) return action;
  return new Promise((resolve, reject) => {
    const off = signal.onAbort(reject);
    action.then(resolve, reject).finally(off);
  });
}
