import { LocalError } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";
import { createSignal, subscribe, type Signal } from "../../base/signal.ts";
import type { RequestOptions } from "../../jsonrpc/outgoing.ts";

/** Everything that may end a call of several round trips: its caller, its time, its connection. */
export interface CallLimit {
  /** Aborts with the `LocalError` that the call is to end with. */
  readonly signal: Signal;
  /** Milliseconds; at least one, as what is over has aborted the signal. */
  remainingMs(): number;
  /** Call it on every exit. */
  release(): void;
}

export interface CallLimitParts {
  readonly host: Host;
  readonly options: RequestOptions;
  readonly connection: Signal;
  /** For the error's text. */
  readonly totalMs: number;
  /** In `host.now()`. */
  readonly dueAt: number;
}

export function limitCall(method: string, { host, options, connection, totalMs, dueAt }: CallLimitParts): CallLimit {
  const source = createSignal(connection);
  const remainingMs = () => (dueAt === Infinity ? Infinity : Math.max(dueAt - host.now(), 1));
  const expire = () => {
    const message = `${method}: not complete within ${totalMs} ms, its rounds of input included`;
    source.abort(new LocalError("timeout", message, { details: { timeoutMs: totalMs } }));
  };
  const cancel = dueAt === Infinity ? () => {} : host.setTimer(expire, remainingMs());
  const onAbort = (reason: unknown) => source.abort(new LocalError("aborted", `${method} was given up`, { cause: reason }));
  const unlink = options.signal === undefined ? () => {} : subscribe(options.signal, onAbort);
  return {
    signal: source.signal,
    remainingMs,
    release() {
      cancel();
      unlink();
      source.dispose();
    },
  };
}

/** The promise's outcome, or a rejection with the signal's reason where that comes first. */
export function waitFor<Value>(promise: Promise<Value>, signal: Signal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const unlink = signal.onAbort(reject);
    // Where the signal came first the promise may reject later, with nobody to hear it.
    promise.then(resolve, reject).finally(unlink);
  });
}
