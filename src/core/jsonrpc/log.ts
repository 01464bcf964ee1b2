import type { JsonObject } from "../base/json.ts";
import { isThenable } from "../base/thenable.ts";

/** What an operator may want to know. No payload is in it; `error` is whatever was thrown, as it was thrown. */
export interface LogEntry {
  readonly level: "debug" | "info" | "warning" | "error";
  readonly message: string;
  readonly details?: JsonObject;
  readonly error?: unknown;
}

export type Log = (entry: LogEntry) => void;

const SILENT: Log = () => {};
// Made here: each part of a connection takes its log from the one above it.
const safe = new WeakSet<Log>([SILENT]);

/** A logger that never throws, whatever the one it wraps does: a log must not end a connection. */
export function safeLog(log: Log | undefined): Log {
  if (log === undefined) return SILENT;
  if (safe.has(log)) return log;
  const wrapped: Log = (entry) => {
    try {
      log(entry);
    } catch {
      // Nobody is left to tell.
    }
  };
  safe.add(wrapped);
  return wrapped;
}

/** Runs a callback of the user's that nobody waits for: what it throws, or rejects with, goes to the log. */
export function callDetached(log: Log, what: string, callback: () => unknown, done: () => void = () => {}): void {
  const failed = (error: unknown) => {
    done();
    log({ level: "error", message: `${what} failed`, error });
  };
  try {
    const outcome = callback();
    if (isThenable(outcome)) Promise.resolve(outcome).then(done, failed);
    else done();
  } catch (thrown) {
    failed(thrown);
  }
}
