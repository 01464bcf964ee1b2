import type { Signal } from "../../src/core/base/signal.ts";

/** A signal that never aborts. */
export const NEVER: Signal = Object.freeze({ aborted: false, reason: undefined, onAbort: () => () => {} });
