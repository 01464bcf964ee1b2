import { LONGEST_TIMER_MS } from "../base/host.ts";

/** What is wrong with a `timeoutMs`, as the end of a sentence; `undefined` if nothing is. The wire has the bounds of a timer. */
export function timeoutProblem(timeoutMs: unknown): string | undefined {
  const fine = typeof timeoutMs === "number" && Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= LONGEST_TIMER_MS;
  return fine ? undefined : `must be a whole number of milliseconds from 1 to ${LONGEST_TIMER_MS}`;
}
