import type { Decision } from "../../src/core/guard/decision.ts";

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
