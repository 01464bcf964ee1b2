import assert from "node:assert/strict";
import { cpuMs } from "../support/cpu-time.ts";

const CHARS = 100_000;
// What takes quadratic time takes some thousand times as long on a text of this length, so that a busy machine does not blur it.
const FACTOR = 50;

/** Fails where a long text of one of the worst parts takes out of proportion longer than one of ordinary text. */
export function assertLinear(run: (text: string) => unknown, ordinary: string, worst: readonly string[]): void {
  const timeOf = (part: string) => {
    const text = part.repeat(Math.ceil(CHARS / part.length));
    return cpuMs(() => void run(text));
  };
  timeOf(ordinary);
  const ordinaryMs = Math.max(timeOf(ordinary), 1);
  for (const part of worst) {
    const ms = timeOf(part);
    assert.ok(ms < ordinaryMs * FACTOR, `${JSON.stringify(part)} takes ${Math.round(ms / ordinaryMs)} times as long as ordinary text`);
  }
}
