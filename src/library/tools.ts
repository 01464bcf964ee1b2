import type { Host } from "../core/base/host.ts";

/** What interceptors use of the runtime: clock, timers, random numbers, `fetch`. Filled from the globals unless given. */
export interface Tools {
  readonly host?: Host;
}
