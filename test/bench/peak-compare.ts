import { ratio } from "./measured.ts";
import type { Measured } from "./results.ts";
import { PIN, startWorker } from "./worker.ts";

/** The most memory that a message of 4 MB takes on its way through a guard with 8 validators, in copies of the message. */
export async function comparePeaks(): Promise<Record<string, Measured>> {
  const peak = async (word: string) => {
    const worker = await startWorker("peak-worker.mjs", [word], PIN, ["--expose-gc"]);
    // The worker's own words.
    const { copies } = (await worker.measure({})) as { readonly copies: number };
    worker.stop();
    return copies;
  };
  return {
    peakCopies: ratio(await peak("atOnce"), "memory held for a message of 4 MB in a guard with 8 validators that answer at once / a copy of the message"),
    peakCopiesTogether: ratio(await peak("together"), "the same with 8 that all wait for each other, and hold a copy each"),
  };
}
