import { describeCrash } from "./describe.ts";
import type { Exit } from "./exit.ts";
import { exitBy } from "./signals.ts";

/** What serves until it is told to end. */
export interface Serving {
  /** Settles when nothing is left of it. */
  readonly ended: Promise<Exit>;
  /** Takes nothing new, answers what is owed, ends. */
  end(): void;
  reload(): void;
  /** Ends what would not go by itself with this process. */
  force?(signal: NodeJS.Signals): void;
}

/** Runs up to the end: signals end and reload it, a second one ends it at once, and so does an error that nobody caught. */
export async function runToEnd({ ended, end, reload, force }: Serving, verbose: boolean): Promise<Exit> {
  let forced!: (how: Exit) => void;
  const atOnce = new Promise<Exit>((resolve) => (forced = resolve));
  let ending = false;
  let by: NodeJS.Signals | undefined;
  const endOnce = () => {
    ending = true;
    end();
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (!ending) return endOnce();
    by = signal;
    // Where there is nothing to force, nothing is waited for.
    if (force === undefined) forced(exitBy(signal));
    else force(signal);
  };
  const crash = onCrash(verbose, endOnce);
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal).on("SIGHUP", reload);
  try {
    const exit = await Promise.race([atOnce, crash.over(ended)]);
    return by === undefined ? exit : exitBy(by);
  } finally {
    crash.release();
    process.off("SIGTERM", onSignal).off("SIGINT", onSignal).off("SIGHUP", reload);
  }
}

/**
 * Ends this process in order after an error that nobody caught, as nobody knows any more what state a policy is in: what waits is answered, and nothing else
 * passes. `over` makes exit code 1 of an end that comes then.
 */
export function onCrash(verbose: boolean, end: () => void): { over(ended: Promise<Exit>): Promise<Exit>; release(): void } {
  let crashed = false;
  const caught = (thrown: unknown) => {
    crashed = true;
    process.stderr.write(`mcp-interceptors: an error that nobody caught ends this run: ${describeCrash(thrown, verbose)}\n`);
    end();
  };
  process.on("uncaughtException", caught);
  return {
    over: async (ended) => {
      const exit = await ended;
      return crashed ? { code: 1 } : exit;
    },
    release: () => void process.off("uncaughtException", caught),
  };
}
