import { constants } from "node:os";
import type { Exit } from "./exit.ts";

/** The signals that ask a process to end. */
export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The end of a process by a signal. */
export function exitBy(signal: NodeJS.Signals): Exit {
  return { code: 128 + constants.signals[signal], signal };
}
