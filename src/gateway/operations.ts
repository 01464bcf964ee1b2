import { detectHost, type Host } from "../core/base/host.ts";
import type { Decision } from "../core/guard/decision.ts";
import type { GuardEvent } from "../core/guard/events.ts";
import type { GuardPolicy } from "../core/guard/options.ts";
import type { Authenticate } from "../core/http/authentication.ts";
import type { HttpSend } from "../core/http/exchange.ts";
import { createHttpSend } from "../node/http-send.ts";
import { openAudit, type AuditLog, type AuditOptions } from "./audit.ts";
import { createAuditDigest } from "./audit-record.ts";
import { createAuthenticate, type AuthenticateOptions } from "./auth.ts";
import type { BreakerSource } from "./breaker.ts";
import { listenOps, type OpsOptions } from "./health.ts";
import { createLog, type LogOptions, type StructuredLog } from "./logs.ts";
import { createMetrics, type GatewayCounts, type Metrics, type MetricsOptions } from "./metrics.ts";
import type { MetricsSnapshot } from "./metrics-registry.ts";
import { formatMetrics, mergeMetrics } from "./metrics-text.ts";
import { createOtlp, type Otlp, type OtlpOptions } from "./otlp.ts";

type Shared = "host" | "log" | "send";

/** What is to be seen and kept of a gateway, as a configuration says it. What is left out is not done. */
export interface OperationsOptions {
  readonly log?: Omit<LogOptions, "host">;
  /** `onFailure` becomes `policy.onRecordFailure`. Default `block`. */
  readonly audit?: Omit<AuditOptions, Shared> & { readonly onFailure?: "block" | "continue" };
  /** The listener for `/healthz`, `/readyz` and `/metrics`. */
  readonly metrics?: Omit<MetricsOptions, "host"> & Pick<OpsOptions, "allowedHosts"> & { readonly host?: string; readonly port?: number };
  readonly traces?: Omit<OtlpOptions, Shared>;
  /** Snapshots of other workers, to be summed up with this one's. */
  gather?(): Promise<readonly MetricsSnapshot[]>;
  /** For collectors and key sets. Default: connections of its own. */
  readonly send?: HttpSend;
  readonly host?: Host;
}

/** Lives as long as the process: a reload swaps chains and who may call, not the audit's chain of hashes. */
export interface Operations {
  /** For the plan of a gateway; `record` is missing where there is no audit. */
  readonly plan: {
    readonly record?: (decision: Decision, upstream: string) => Promise<void>;
    readonly observe: (event: GuardEvent, upstream: string) => void;
    readonly log: StructuredLog["log"];
    /** To be merged into the policy. */
    readonly policy: Pick<GuardPolicy, "digest" | "onRecordFailure">;
  };
  readonly log: StructuredLog;
  readonly metrics: Metrics;
  readonly audit: AuditLog | undefined;
  /** Of the listener, such as `http://127.0.0.1:9090`. */
  readonly url: string | undefined;
  /** Who may call, counted and logged; made anew by a reload. */
  authenticate(options: Omit<AuthenticateOptions, Shared>): Authenticate;
  /** The gateway that is shown from now on; before, the process is not ready. */
  watch(stats: () => GatewayCounts & { readonly draining: boolean }): void;
  /** The breakers that are shown from now on. */
  watchBreakers(sources: readonly BreakerSource[]): void;
  /** After the gateway's own end: writes and sends what waits. Never rejects. */
  close(): Promise<void>;
}

/** Starts all of it, or rejects and leaves nothing behind. */
export async function startOperations(options: OperationsOptions): Promise<Operations> {
  const { host = detectHost(), gather } = options;
  const ownSend = options.send === undefined ? createHttpSend() : undefined;
  const send = options.send ?? ownSend!;
  const log = createLog({ ...options.log, host });
  const warn = (message: string) => log.log({ level: "warn", message });
  const { host: address, port, allowedHosts, ...measured } = options.metrics ?? {};
  const metrics = createMetrics({ ...measured, host });
  let gateway: (() => GatewayCounts & { readonly draining: boolean }) | undefined;
  let breakers: readonly BreakerSource[] = [];
  const ready = () => (gateway === undefined ? ["starting"] : gateway().draining ? ["draining"] : []);
  const text = async () => formatMetrics(gather === undefined ? metrics.snapshot() : mergeMetrics([metrics.snapshot(), ...(await gather())]));

  let audit: AuditLog | undefined;
  let traces: Otlp | undefined;
  let listener: Awaited<ReturnType<typeof listenOps>> | undefined;
  const close = async () => {
    const ends = [traces?.close(), audit?.close(), listener?.close()];
    for (const { status, reason } of (await Promise.allSettled(ends)).map((end) => ({ reason: undefined, ...end }))) {
      if (status === "rejected") log.log({ level: "error", message: "something could not be ended", error: reason });
    }
    ownSend?.close();
  };
  const { onFailure, ...audited } = options.audit ?? {};
  try {
    if (options.audit !== undefined) audit = await openAudit({ path: options.audit.path, ...audited, host, log: warn });
    if (options.traces !== undefined) traces = createOtlp({ ...options.traces, host, send, log: warn });
    if (options.metrics !== undefined) {
      listener = await listenOps({ metrics: text, ready, ...(address !== undefined && { host: address }), ...(port !== undefined && { port }), ...(allowedHosts !== undefined && { allowedHosts }) });
    }
  } catch (thrown) {
    await close();
    throw thrown;
  }
  metrics.watchBreakers(() => breakers);
  metrics.watchGateway(() => gateway?.() ?? { faces: 0, calls: 0, parked: 0, upstreams: {} });
  if (audit !== undefined) metrics.watchAudit(audit.stats);
  if (traces !== undefined) {
    const { stats } = traces;
    metrics.watchQueue("spans", stats);
  }
  return {
    plan: {
      ...(audit !== undefined && { record: audit.record }),
      observe(event, upstream) {
        metrics.observe(event, upstream);
        traces?.observe(event, upstream);
        log.observe(event, upstream);
      },
      log: log.log,
      policy: audit === undefined ? {} : { digest: createAuditDigest(options.audit?.key), onRecordFailure: onFailure ?? "block" },
    },
    log,
    metrics,
    audit,
    url: listener?.origin,
    authenticate(given) {
      const jwt = (given.jwt ?? []).map((issuer) => ({ send, ...issuer }));
      return metrics.authenticate(createAuthenticate({ ...given, jwt, host, log: warn }));
    },
    watch: (stats) => void (gateway = stats),
    watchBreakers: (sources) => void (breakers = sources),
    close,
  };
}
