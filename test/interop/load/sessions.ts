import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { HttpServerStats } from "../../../src/index.ts";

/** Bytes, over what was there before the first session, after a forced garbage collection. */
export interface SessionsOutcome {
  /** How many were abandoned at a time. */
  readonly sessions: number;
  readonly first: number;
  /** After the first sweep. */
  readonly between: number;
  readonly second: number;
  readonly after: number;
  readonly stats: HttpServerStats;
  /** What the event store has left. */
  readonly events: number;
  readonly timers: number;
}

/** In a process of its own, so that nothing else is in its memory. */
export async function abandonSessions(): Promise<SessionsOutcome> {
  const args = ["--expose-gc", join(import.meta.dirname, "sessions-program.mjs")];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 300_000 });
  // The program's only line.
  return JSON.parse(stdout) as SessionsOutcome;
}
