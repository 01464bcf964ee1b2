import type { Decision } from "../../src/core/guard/decision.ts";
import { settle } from "../support/fake-host.ts";

/** A decision about a call, as a guard makes it. */
export const decision = (members: Partial<Decision> = {}): Decision => ({
  at: "2026-07-28T00:00:01.000Z",
  durationMs: 12.5,
  role: "server",
  direction: "receiving",
  kind: "request",
  event: "tools/call",
  phase: "request",
  verdict: "passed",
  interceptors: [],
  sessionId: "s-1",
  ...members,
});

/** A `record` that remembers what is being written, for tests that wait for a real file. */
export function watched(write: (decision: Decision) => Promise<void>): { record(decision: Decision): Promise<void>; written(): Promise<void> } {
  const writing: Promise<void>[] = [];
  return {
    record(made) {
      const written = write(made);
      writing.push(written);
      return written;
    },
    async written() {
      let seen: number;
      do {
        seen = writing.length;
        await Promise.allSettled(writing);
        await settle();
      } while (writing.length > seen);
    },
  };
}
