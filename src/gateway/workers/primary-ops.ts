import type { MetricsConfig } from "../config/config.ts";
import { listenOps } from "../health.ts";
import { createRegistry } from "../metrics-registry.ts";
import { formatMetrics } from "../metrics-text.ts";
import type { Supervisor } from "./supervisor.ts";
import { createWorkerMetrics } from "./worker-metrics.ts";

/** `/healthz`, `/readyz` and `/metrics` of all workers together. */
export interface OpsForAll {
  readonly url: string;
  /** Of a worker, by its number. */
  ended(slot: number): void;
  draining(): void;
  close(): Promise<void>;
}

// Who does not say what it has counted in that time counts as it last did.
const ASK_MS = 2_000;
// Whoever asks whether all are ready waits a second, by Kubernetes' default. Who does not say is not held to be unable: that he serves is known, and that he takes connections.
const ASK_HEALTH_MS = 500;

export interface OpsOfAll {
  readonly supervisor: Pick<Supervisor, "serving">;
  readonly count: number;
  /** How many workers do not take connections. */
  stuck(): number;
}

/** Rejects with what Node says where it cannot listen. */
export async function listenForAll(config: MetricsConfig, { supervisor, count, stuck }: OpsOfAll): Promise<OpsForAll> {
  const metrics = createWorkerMetrics();
  const own = createRegistry(count);
  let draining = false;
  own.gauge({ name: "mcp_interceptors_workers", help: "Workers that serve." }, () => [{ labels: [], value: supervisor.serving.length }]);
  const ends = own.counter({ name: "mcp_interceptors_worker_ends_total", help: "Workers that have ended.", labels: ["worker"] });
  const ready = async () => {
    if (draining) return ["draining"];
    const serving = supervisor.serving.length;
    if (serving < count) return [`${serving} of ${count} workers serve`];
    if (stuck() > 0) return [`${stuck()} of ${count} workers do not take connections`];
    const unready = supervisor.serving.map(async (worker) => {
      const answer = await worker.ask({ kind: "health" }, ASK_HEALTH_MS);
      return answer?.kind === "health" ? answer.unready.map((why) => `worker ${worker.slot}: ${why}`) : [];
    });
    return (await Promise.all(unready)).flat();
  };
  const all = async () => {
    await Promise.all(
      supervisor.serving.map(async (worker) => {
        const answer = await worker.ask({ kind: "metrics" }, ASK_MS);
        if (answer?.kind === "counted" && worker.serves) metrics.note(worker.slot, answer.snapshot);
      }),
    );
    return formatMetrics(metrics.sum(own.snapshot()));
  };
  const listener = await listenOps({ ...config, port: Number(config.port ?? 0), ready, metrics: all });
  return {
    url: listener.origin,
    ended(slot) {
      metrics.ended(slot);
      ends.add([String(slot)]);
    },
    draining: () => void (draining = true),
    close: () => listener.close(0),
  };
}
