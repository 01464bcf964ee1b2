import { LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";

/** `open`: calls fail at once, unmade. `half_open`: a few probe. */
export type CircuitState = "closed" | "open" | "half_open";

/** When a circuit opens, and when it is tried again. */
export interface CircuitOptions {
  /** Opens after so many failures in a row. Default 5. */
  readonly failures?: number;
  /** Opens when this share of the last `window` calls has failed, once there were as many. Default 0.5. */
  readonly ratio?: number;
  /** Calls that the share is taken of. Default 20. */
  readonly window?: number;
  /** How long it stays open before calls probe again; doubled with each opening in a row, up to `longestOpenMs`. Default 10,000 ms. */
  readonly openMs?: number;
  /** Default 60,000 ms, or `openMs` if that is more. */
  readonly longestOpenMs?: number;
  /** Calls that are let through to probe, and must succeed for the circuit to close. Default 1. */
  readonly probes?: number;
}

/** Ends one call that was admitted; only the first time counts. `unknown`: nobody waited for how it ended. */
export type Settle = (outcome: "success" | "failure" | "unknown") => void;

export interface Circuit {
  /** `open` only for as long as nothing would be admitted by time. */
  state(): CircuitState;
  /** `undefined`: the call must not be made. Whoever is admitted settles. */
  admit(): Settle | undefined;
}

/** A circuit breaker: closed, open for a while after too many failures, half open while probes find out whether to close. No timers: it looks at the clock. */
export function createCircuit(host: Pick<Host, "now">, options: CircuitOptions, onChange: (state: CircuitState) => void): Circuit {
  const { failures = 5, ratio = 0.5, window = 20, openMs = 10_000, probes = 1 } = options;
  const { longestOpenMs = Math.max(60_000, openMs) } = options;
  for (const [name, value] of Object.entries({ failures, window, openMs, longestOpenMs, probes })) {
    if (!Number.isSafeInteger(value) || value < 1) throw new LocalError("invalid_argument", `${name} must be a positive integer`);
  }
  if (window > 10_000) throw new LocalError("invalid_argument", "window is at most 10000");
  if (!(ratio > 0 && ratio <= 1)) throw new LocalError("invalid_argument", "ratio must be above 0 and at most 1");

  let state: CircuitState = "closed";
  // Outcomes of the last calls, as a ring: true is a failure.
  let ring: boolean[] = [];
  let at = 0;
  let failed = 0;
  let inARow = 0;
  let openUntil = 0;
  // Openings since it was last closed.
  let openings = 0;
  let probing = 0;
  let succeeded = 0;
  // Calls that began before the last change of state have no say in the present one.
  let generation = 0;

  const enter = (next: CircuitState) => {
    state = next;
    generation++;
    ring = [];
    at = failed = inARow = probing = succeeded = 0;
    if (next === "closed") openings = 0;
    if (next === "open") openUntil = host.now() + Math.min(openMs * 2 ** Math.min(openings++, 30), longestOpenMs);
    onChange(next);
  };
  const count = (failure: boolean) => {
    if (ring[at] === true) failed--;
    ring[at] = failure;
    at = (at + 1) % window;
    if (failure) failed++;
    inARow = failure ? inARow + 1 : 0;
    if (inARow >= failures || (ring.length === window && failed / window >= ratio)) enter("open");
  };
  const due = () => state === "open" && host.now() >= openUntil;

  return {
    state: () => (due() ? "half_open" : state),
    admit() {
      if (due()) enter("half_open");
      if (state === "open") return undefined;
      const probe = state === "half_open";
      if (probe && probing + succeeded >= probes) return undefined;
      if (probe) probing++;
      const mine = generation;
      let settled = false;
      return (outcome) => {
        if (settled || mine !== generation) return;
        settled = true;
        if (!probe) {
          if (outcome !== "unknown") count(outcome === "failure");
          return;
        }
        probing--;
        if (outcome === "failure") enter("open");
        else if (outcome === "success" && ++succeeded >= probes) enter("closed");
      };
    },
  };
}
