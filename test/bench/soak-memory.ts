/** One measurement: so many calls had been made, and so many bytes were held. */
export interface Sample {
  readonly calls: number;
  readonly bytes: number;
}

/**
 * How much memory has grown over the last half of a run: the rise, over all of these samples, of the straight line that fits them best (least squares). One
 * sample that is high or low moves it little, and steady growth shows in full, however slow.
 */
export function growthOfLastHalf(samples: readonly Sample[]): number {
  const half = samples.slice(samples.length >> 1);
  const mean = (pick: (sample: Sample) => number) => half.reduce((sum, sample) => sum + pick(sample), 0) / half.length;
  const calls = mean((sample) => sample.calls);
  const bytes = mean((sample) => sample.bytes);
  const slope = mean((sample) => (sample.calls - calls) * (sample.bytes - bytes)) / mean((sample) => (sample.calls - calls) ** 2);
  return slope * (half.at(-1)!.calls - half[0]!.calls);
}

/** Calls after which a process has what it keeps for good: compiled code, pools, tables of their full size. It grows by more than a bound until then. */
export const WARM_CALLS = 10_000;

/** Whether the growth of the last half says anything: it begins in a process that is warm. */
export function isTelling(samples: readonly Sample[]): boolean {
  return (samples[samples.length >> 1]?.calls ?? 0) >= WARM_CALLS;
}
