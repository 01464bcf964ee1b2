import type { Host } from "../../core/base/host.ts";
import type { Log } from "../../core/jsonrpc/log.ts";
import type { HandlerServer } from "../../node/http-handler.ts";
import { createHttpSend } from "../../node/http-send.ts";
import { listenOps } from "../health.ts";
import { createLog, type LogOptions, type StructuredLog } from "../logs.ts";
import { createMetrics } from "../metrics.ts";
import { createOtlp } from "../otlp.ts";
import type { Gateway, GatewayPlan } from "../plan.ts";
import type { BuiltPlan } from "./build.ts";
import type { MetricsSnapshot } from "../metrics-registry.ts";
import type { GatewayConfig, LogsConfig } from "./config.ts";

/** What looks on while a gateway runs, from its start to its end: metrics, traces and logs. */
export interface Observability {
  /** Lines of JSON, where they are wanted. */
  readonly structured: StructuredLog | undefined;
  /** Where `/healthz`, `/readyz` and `/metrics` are; of a worker it is its primary that has them. */
  readonly url: string | undefined;
  /** What keeps the gateway from taking calls; none, and it is ready. */
  unready(): readonly string[];
  /** What was counted so far, where anybody wants it. */
  snapshot(): MetricsSnapshot | undefined;
  /** The same plan, looked on. */
  adapt(plan: GatewayPlan): GatewayPlan;
  /** From now on it is ready, until it drains. */
  attach(gateway: Gateway, current: () => BuiltPlan): void;
  /** Sends what waits, and ends. */
  close(): Promise<void>;
}

export interface ObservabilityOptions {
  readonly host: Host;
  readonly log: Log;
  /** Whether texts of errors are logged, which may quote payloads. */
  readonly verbose: boolean;
  /** The number of this process among workers, where it is one. */
  readonly worker?: number | undefined;
}

/** The sections whose change takes a new start. */
export const FIXED_SECTIONS = ["metrics", "traces", "logs"] as const;

/** Opens what a configuration asks for. Rejects with what Node says where a port cannot be had; nothing is left open then. */
export async function openObservability(config: Pick<GatewayConfig, (typeof FIXED_SECTIONS)[number]>, options: ObservabilityOptions): Promise<Observability> {
  const { host, log, verbose, worker } = options;
  const { metrics: metricsConfig, traces, logs } = config;
  const structured = openLog(logs, { host, verbose, ...(worker === undefined ? {} : { base: { worker: String(worker) } }) });
  const metrics = metricsConfig === undefined ? undefined : createMetrics({ host });
  let gateway: Gateway | undefined;
  let built: (() => BuiltPlan) | undefined;
  const unready = () => {
    if (gateway === undefined) return ["starting"];
    return gateway.stats().draining ? ["draining"] : built === undefined ? [] : unrecorded(built());
  };
  const send = traces === undefined ? undefined : createHttpSend();
  const otlp =
    traces === undefined || send === undefined
      ? undefined
      : createOtlp({ ...traces, headers: Object.entries(traces.headers ?? {}), send, host, log: (message) => log({ level: "warning", message }) });
  if (otlp !== undefined) metrics?.watchQueue("spans", () => otlp.stats());
  const endTraces = async () => {
    await otlp?.close();
    await send?.close();
  };
  let listener: HandlerServer | undefined;
  try {
    if (metrics !== undefined && worker === undefined) listener = await listenOps({ ...metricsConfig, port: Number(metricsConfig?.port ?? 0), ready: unready, metrics: () => metrics.text() });
  } catch (thrown) {
    await endTraces();
    throw thrown;
  }
  const observers = [metrics, otlp, structured].filter((one) => one !== undefined);

  return {
    structured,
    url: listener?.origin,
    unready,
    snapshot: () => metrics?.snapshot(),
    adapt(plan) {
      const check = plan.http?.authenticate;
      return {
        ...plan,
        ...(plan.http === undefined || metrics === undefined
          ? {}
          : { http: { ...plan.http, around: metrics.http, ...(check === undefined ? {} : { authenticate: metrics.authenticate(check) }) } }),
        ...(observers.length === 0
          ? {}
          : {
              observe(event, upstream) {
                for (const one of observers) one.observe(event, upstream);
              },
            }),
      };
    },
    attach(running, current) {
      gateway = running;
      built = current;
      metrics?.watchGateway(() => running.stats());
      metrics?.watchBreakers(() => current().breakers);
      const { audit } = current();
      if (audit !== undefined) metrics?.watchAudit(() => audit.stats());
    },
    async close() {
      await listener?.close(0);
      await endTraces();
    },
  };
}

// Where what cannot be written down does not happen, every call is refused while nothing can be.
function unrecorded({ audit, plan }: BuiltPlan): readonly string[] {
  const failing = plan.policy?.onRecordFailure === "continue" ? undefined : audit?.stats().failing;
  return failing === undefined ? [] : [`the audit log cannot be written: ${failing}`];
}

/** Lines of JSON on stderr, where the configuration wants them. `base`: members of every line besides those that it names. */
export function openLog(logs: LogsConfig | undefined, { base, ...options }: Pick<LogOptions, "base" | "host" | "verbose">): StructuredLog | undefined {
  if (logs?.format !== "json") return undefined;
  return createLog({ ...options, ...(logs.level === undefined ? {} : { level: logs.level }), base: { ...logs.base, ...base } });
}
