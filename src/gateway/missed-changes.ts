import type { Decision } from "../core/guard/decision.ts";
import { isChange } from "./call.ts";

/**
 * The same `record` of a guard under `onRecordFailure: "block"`, which drops what cannot be recorded: where that was news of a change, `missed` is called with the
 * first decision that is recorded again, so that whoever listens hears of it after all.
 */
export function tellingMissed(record: (decision: Decision) => Promise<void> | void, missed: () => void): (decision: Decision) => Promise<void> {
  let dropped = false;
  return async (decision) => {
    try {
      await record(decision);
    } catch (thrown) {
      dropped ||= isChange(decision.event);
      throw thrown;
    }
    if (!dropped) return;
    dropped = false;
    missed();
  };
}
