import { detectHost, type Host } from "../core/base/host.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import type { ObserverStats } from "../core/chain/observer.ts";
import type { GuardEvent } from "../core/guard/events.ts";
import type { Authenticate } from "../core/http/authentication.ts";
import type { HttpHandler } from "../core/http/exchange.ts";
import { METHODS } from "../core/wire/methods.ts";
import type { AuditStats } from "./audit.ts";
import type { BreakerSource } from "./breaker.ts";
import type { CircuitState } from "./breaker-circuit.ts";
import { createRegistry, OVERFLOW, type GaugeSample, type MetricsSnapshot, type Registry } from "./metrics-registry.ts";
import { formatMetrics } from "./metrics-text.ts";

/** How many series there may be, and how durations are counted. */
export interface MetricsOptions {
  /** Combinations of labels of one metric. Further ones are counted together, with `other` for each label. Default 2,000. */
  readonly maxSeries?: number;
  /** Upper bounds of the buckets of durations, in seconds. Default: 12 from 0.5 ms to 10 s. */
  readonly bounds?: readonly number[];
  readonly host?: Host;
}

const OPTIONS: OptionTable<MetricsOptions> = { maxSeries: "a number", bounds: "a list", host: "an object" };

/** What a gateway's `stats()` tells, as far as it is shown. */
export interface GatewayCounts {
  readonly faces: number;
  readonly calls: number;
  readonly parked: number;
  readonly upstreams: Readonly<Record<string, { readonly connections: number; readonly calls: number; readonly lost: number; readonly failedStarts: number; readonly backOffMs: number }>>;
}

/** Counters and durations of a gateway, for Prometheus. */
export interface Metrics {
  /** For `GatewayPlan.observe`: cheap, and never throws. */
  observe(event: GuardEvent, upstream: string): void;
  /** Counts requests over HTTP by status, and how long they took to the head of their answer; for a listener of one's own (`Gateway.handle`). */
  http(handler: HttpHandler): HttpHandler;
  /** Counts who was let in and who was turned away. */
  authenticate(check: Authenticate): Authenticate;
  /** What is read when somebody asks. Each may be called once; `breakers` is asked anew each time, as a reload changes the sources. */
  watchGateway(read: () => GatewayCounts): void;
  watchBreakers(read: () => readonly BreakerSource[]): void;
  watchAudit(read: () => AuditStats): void;
  watchQueue(name: string, read: () => Pick<ObserverStats, "dropped" | "waiting">): void;
  /** For metrics of one's own. */
  readonly registry: Registry;
  snapshot(): MetricsSnapshot;
  text(): string;
}

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10];
const STATES: readonly CircuitState[] = ["closed", "half_open", "open"];
const METHODS_OF_HTTP: ReadonlySet<string> = new Set(["GET", "POST", "DELETE", "OPTIONS", "HEAD"]);
const P = "mcp_interceptors";

/**
 * What goes on, in numbers. Labels are names of upstreams and interceptors, which the operator chose, and a few words; methods that MCP does not have are
 * counted as `other`, as anybody can make up one.
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  checkOptions(options, "the options of createMetrics", OPTIONS);
  const { maxSeries = 2_000, bounds = SECONDS, host = detectHost() } = options;
  const registry = createRegistry(maxSeries);
  const messages = registry.counter({ name: `${P}_messages_total`, help: "Messages that interceptors judged, by what became of them.", labels: ["upstream", "event", "phase", "verdict"] });
  const blocked = registry.counter({ name: `${P}_blocked_total`, help: "Messages that did not go on, by reason and interceptor.", labels: ["upstream", "reason", "interceptor"] });
  const chains = registry.histogram({ name: `${P}_judging_seconds`, help: "From a message's arrival to its decision.", labels: ["upstream", "phase"] }, bounds);
  const invocations = registry.counter({ name: `${P}_invocations_total`, help: "Invocations of interceptors, by how they ended.", labels: ["upstream", "interceptor", "mode", "outcome"] });
  const failures = registry.counter({ name: `${P}_failures_total`, help: "Invocations that failed, by reason, timeouts included.", labels: ["upstream", "interceptor", "reason"] });
  const late = registry.counter({ name: `${P}_late_answers_total`, help: "Answers of interceptors that came after their timeout.", labels: ["upstream", "interceptor"] });
  const failOpens = registry.counter({ name: `${P}_fail_open_total`, help: "Failures of active interceptors that let their message pass.", labels: ["upstream", "interceptor"] });
  const durations = registry.histogram({ name: `${P}_invocation_seconds`, help: "How long interceptors took.", labels: ["upstream", "interceptor"] }, bounds);
  const callers = registry.counter({ name: `${P}_authentications_total`, help: "Callers that were let in or turned away.", labels: ["outcome"] });
  const requests = registry.counter({ name: `${P}_http_requests_total`, help: "Requests over HTTP.", labels: ["upstream", "method", "status"] });
  const answers = registry.histogram({ name: `${P}_http_answer_seconds`, help: "From a request over HTTP to the head of its answer.", labels: ["upstream", "method"] }, bounds);
  const queues = new Map<string, () => Pick<ObserverStats, "dropped" | "waiting">>();
  let countsOf: (() => GatewayCounts) | undefined;
  const ofQueues = (pick: "dropped" | "waiting") => (): GaugeSample[] => [...queues].map(([name, read]) => ({ labels: [name], value: read()[pick] }));

  return {
    registry,
    observe(event, upstream) {
      switch (event.kind) {
        case "passed":
        case "blocked": {
          const { verdict, reason, by = "", durationMs, phase, interceptors } = event.decision;
          messages.add([upstream, METHODS.has(event.event) ? event.event : OVERFLOW, phase, verdict]);
          chains.observe([upstream, phase], durationMs / 1000);
          if (reason !== undefined) blocked.add([upstream, reason, by]);
          else for (const { name, mode, type, outcome } of interceptors) if (outcome === "failed" && mode !== "audit" && type !== "sink") failOpens.add([upstream, name]);
          return;
        }
        case "verdict":
        case "mutated":
        case "failed":
        case "timed_out": {
          const outcome = event.kind === "verdict" ? event.outcome : event.kind;
          invocations.add([upstream, event.interceptor, event.mode, outcome]);
          durations.observe([upstream, event.interceptor], event.elapsedMs / 1000);
          if (event.kind === "failed") failures.add([upstream, event.interceptor, event.reason]);
          if (event.kind === "timed_out") failures.add([upstream, event.interceptor, "timeout"]);
          return;
        }
        case "late":
          return late.add([upstream, event.interceptor]);
        case "planned":
        case "invoked":
          return;
      }
    },
    http: (handler) => async (request) => {
      const begun = host.now();
      const answer = await handler(request);
      const upstream = /^\/([^/]+)\/mcp$/.exec(request.path)?.[1];
      // A name that the gateway does not have is anybody's invention; a session that it does not have is at one of its own.
      const isServed = upstream !== undefined && (answer.status !== 404 || Object.hasOwn(countsOf?.().upstreams ?? {}, upstream));
      const labels = [isServed ? upstream : OVERFLOW, METHODS_OF_HTTP.has(request.method) ? request.method : OVERFLOW];
      requests.add([...labels, String(answer.status)]);
      answers.observe(labels, (host.now() - begun) / 1000);
      return answer;
    },
    authenticate: (check) => async (request) => {
      try {
        const answer = await check(request);
        callers.add(["principal" in answer ? "admitted" : (answer.challenge.error ?? "no_token")]);
        return answer;
      } catch (thrown) {
        callers.add(["failed"]);
        throw thrown;
      }
    },
    watchGateway(read) {
      countsOf = read;
      const one = (name: string, help: string, pick: (counts: GatewayCounts) => number) => registry.gauge({ name: `${P}_${name}`, help }, () => [{ labels: [], value: pick(read()) }]);
      one("faces", "Connections of clients: sessions, stateless requests that are being served, stdio.", ({ faces }) => faces);
      one("calls", "Calls in flight.", ({ calls }) => calls);
      one("parked_calls", "Calls that wait for an answer of their client's.", ({ parked }) => parked);
      const each = (pick: (counts: GatewayCounts["upstreams"][string]) => number) => (): GaugeSample[] =>
        Object.entries(read().upstreams).map(([name, counts]) => ({ labels: [name], value: pick(counts) }));
      const labels = ["upstream"];
      registry.gauge({ name: `${P}_upstream_connections`, help: "Connections to an upstream.", labels }, each(({ connections }) => connections));
      registry.gauge({ name: `${P}_upstream_calls`, help: "Calls in flight at an upstream.", labels }, each(({ calls }) => calls));
      registry.gauge({ name: `${P}_upstream_back_off_seconds`, help: "Until the next start of an upstream may be tried.", labels }, each(({ backOffMs }) => backOffMs / 1000));
      registry.counted({ name: `${P}_upstream_lost_total`, help: "Connections to an upstream that ended by themselves.", labels }, each(({ lost }) => lost));
      registry.counted({ name: `${P}_upstream_failed_starts_total`, help: "Starts of an upstream that failed.", labels }, each(({ failedStarts }) => failedStarts));
    },
    watchBreakers(read) {
      const all = () => read().flatMap((source) => source.stats().map((stats) => ({ ...stats, labels: [source.label, stats.interceptor] })));
      const labels = ["source", "interceptor"];
      registry.gauge({ name: `${P}_breaker_state`, help: "1 for the state that a circuit breaker is in.", labels: [...labels, "state"] }, () =>
        all().flatMap(({ labels: who, state }) => STATES.map((one) => ({ labels: [...who, one], value: one === state ? 1 : 0 }))),
      );
      registry.gauge({ name: `${P}_breaker_running`, help: "Invocations under way.", labels }, () => all().map(({ labels: who, running }) => ({ labels: who, value: running })));
      registry.gauge({ name: `${P}_breaker_waiting`, help: "Invocations that wait for their turn.", labels }, () => all().map(({ labels: who, waiting }) => ({ labels: who, value: waiting })));
      registry.counted({ name: `${P}_breaker_refused_total`, help: "Invocations that were refused, as the circuit was open or no turn was to be had.", labels: [...labels, "why"] }, () =>
        all().flatMap(({ labels: who, refused }) => [{ labels: [...who, "open"], value: refused.open }, { labels: [...who, "busy"], value: refused.busy }]),
      );
    },
    watchAudit(read) {
      registry.counted({ name: `${P}_audit_records_total`, help: "Decisions for the audit log, written or not.", labels: ["outcome"] }, () => [
        { labels: ["written"], value: read().written },
        { labels: ["failed"], value: read().failed },
      ]);
      registry.gauge({ name: `${P}_audit_queued`, help: "Decisions that wait to be written." }, () => [{ labels: [], value: read().queued }]);
    },
    watchQueue(name, read) {
      if (queues.size === 0) {
        registry.gauge({ name: `${P}_queued`, help: "What waits in a bounded queue.", labels: ["queue"] }, ofQueues("waiting"));
        registry.counted({ name: `${P}_dropped_total`, help: "What found a bounded queue full, and is lost.", labels: ["queue"] }, ofQueues("dropped"));
      }
      queues.set(name, read);
    },
    snapshot: registry.snapshot,
    text: () => formatMetrics(registry.snapshot()),
  };
}
