import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRegistry, type MetricsSnapshot } from "../../../src/gateway/metrics-registry.ts";
import { createWorkerMetrics } from "../../../src/gateway/workers/worker-metrics.ts";

function seen(calls: number, inFlight: number): MetricsSnapshot {
  const registry = createRegistry(10);
  registry.counter({ name: "calls_total", help: "Calls." }).add([], calls);
  registry.gauge({ name: "calls", help: "In flight." }, () => [{ labels: [], value: inFlight }]);
  return registry.snapshot();
}
const values = ({ families }: MetricsSnapshot) => Object.fromEntries(families.map(({ name, series }) => [name, series[0]?.value]));
const NOTHING: MetricsSnapshot = { families: [] };

describe("the metrics of workers", () => {
  it("are the sum of what each has said last", () => {
    const metrics = createWorkerMetrics();
    metrics.note(1, seen(1, 1));
    metrics.note(1, seen(5, 2));
    metrics.note(2, seen(10, 3));
    metrics.note(2, undefined);
    assert.deepEqual(values(metrics.sum(NOTHING)), { calls_total: 15, calls: 5 });
  });

  it("keep what those have counted that have ended, and not what these held", () => {
    const metrics = createWorkerMetrics();
    metrics.note(1, seen(5, 2));
    metrics.note(2, seen(10, 3));
    metrics.ended(1);
    assert.deepEqual(values(metrics.sum(NOTHING)), { calls_total: 15, calls: 3 });
    metrics.note(1, seen(1, 1));
    metrics.ended(1);
    metrics.ended(1);
    assert.deepEqual(values(metrics.sum(seen(100, 0))), { calls_total: 116, calls: 3 });
  });
});
