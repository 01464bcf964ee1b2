import type { MetricsSnapshot } from "../metrics-registry.ts";
import { mergeMetrics } from "../metrics-text.ts";

/** What all workers have seen, those that have ended among them: a counter never falls because a worker was started anew. */
export interface WorkerMetrics {
  /** The latest of the worker with this number. */
  note(slot: number, snapshot: MetricsSnapshot | undefined): void;
  /** It has ended: what it had counted, as far as it was asked, stays in the sum; what it held is gone. */
  ended(slot: number): void;
  /** The sum, and the primary's own. */
  sum(own: MetricsSnapshot): MetricsSnapshot;
}

export function createWorkerMetrics(): WorkerMetrics {
  const latest = new Map<number, MetricsSnapshot>();
  let past: MetricsSnapshot = { families: [] };
  return {
    note(slot, snapshot) {
      if (snapshot !== undefined) latest.set(slot, snapshot);
    },
    ended(slot) {
      const { families } = latest.get(slot) ?? { families: [] };
      latest.delete(slot);
      past = mergeMetrics([past, { families: families.filter(({ type }) => type !== "gauge") }]);
    },
    sum: (own) => mergeMetrics([own, ...latest.values(), past]),
  };
}
