import { LocalError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import { cloneJson, isObject, type JsonObject } from "../base/json.ts";
import type { Limits } from "../base/limits.ts";
import type { RandomHex } from "../base/random-hex.ts";
import { isSignal, subscribe, type Signal, type SignalLike } from "../base/signal.ts";
import { contextProblem } from "../wire/context.ts";
import type { InvocationContext, Phase } from "../wire/gen/interceptors.ts";
import { timeoutProblem } from "../wire/timeout.ts";
import type { ChainEntry } from "./entry.ts";
import type { Digester } from "./digest.ts";
import type { ChainEvent, Teller } from "./events.ts";
import type { NameIndex } from "./names.ts";
import { planSteps, resolveDirection, type Direction, type Plan } from "./plan.ts";
import type { PlanCache } from "./plan-cache.ts";
import { provenanceProblem, type ProvenanceMode, type Tracing } from "./provenance.ts";
import type { Reporter } from "./report.ts";
import type { ChainResult } from "./result.ts";
import { runPlan, type Detached, type Run } from "./run.ts";
import { tellEnd, tellerOf, tellPlanned, type Telling } from "./teller.ts";

export type Revalidate = "if-modified" | "never";

/** One message to run a chain on (SEP-2624, Chain Execution). Times are in milliseconds. */
export interface ExecuteParams {
  readonly event: string;
  readonly phase: Phase;
  /** By default the server's side of requests that only clients send; required for all other events. */
  readonly direction?: Direction;
  readonly payload: unknown;
  /**
   * Nobody will change `payload`, `request`, `config` and `context` any more, so the chain need not copy them. They are plain JSON, and the context is
   * well formed: whoever takes it from elsewhere leaves this out, and the chain checks it.
   */
  readonly owned?: boolean;
  /** Protocol version of the message, for `compat`; unknown, every entry is compatible. */
  readonly version?: string | undefined;
  /** Only these entries, by name or `label/name`; an empty list is no filter. */
  readonly interceptors?: readonly string[];
  /** Laid over the entries' static `config`, member by member; by name or `label/name`. */
  readonly config?: Readonly<Record<string, JsonObject>>;
  /** For the whole execution. */
  readonly timeoutMs?: number | undefined;
  readonly context?: InvocationContext;
  /** The request that a response answers, for entries with `withRequest`. */
  readonly request?: { readonly method: string; readonly params?: JsonObject } | undefined;
  /** The payload is `{ error }`: only entries with `handlesErrors` run. */
  readonly error?: boolean;
  /**
   * Called with each payload that a mutator wants applied, and the one before it; gives the payload to go on with. What it throws is that mutator's
   * failure (`malformed_result`). For whoever knows more of the payload than the chain does.
   */
  readonly accept?: (after: unknown, before: unknown) => unknown;
  /** Beats the chain's own setting. */
  readonly revalidate?: Revalidate;
  /** Beats the chain's own setting. */
  readonly provenance?: ProvenanceMode | undefined;
  /** Told of this execution's events at once, in the middle of the run; it must be quick. `createChain` takes one that may take its time. */
  readonly observe?: ((event: ChainEvent) => void) | undefined;
  readonly signal?: Signal | SignalLike;
}

/** What a chain lends to its executions. */
export interface ChainParts extends Telling {
  readonly host: Host;
  readonly limits: Limits;
  readonly reporter: Reporter;
  readonly revalidate: Revalidate;
  readonly digest: Digester;
  readonly provenance: ProvenanceMode;
  readonly timeoutMs: number | undefined;
  readonly plans: PlanCache;
  readonly names: NameIndex;
  readonly detached: Detached;
  countLateAnswer(): void;
  readonly randomHex: RandomHex;
}

/**
 * Runs a chain once. Rejects with a `LocalError` for wrong parameters, or with the caller's reason. What several invocations read over
 * time is copied first, unless it is `owned`: what was judged must be what is sent. No async function, as that would wait for one more promise.
 */
export function execute(params: ExecuteParams, parts: ChainParts): Promise<ChainResult> {
  try {
    const direction = resolveDirection(params.event, params.phase, params.direction);
    const execution = begin(params, direction, parts);
    const { tell, plan } = execution;
    if (tell !== undefined) tellPlanned(tell, plan, direction);
    const running = runPlan(execution, plan, execution.payload, parts.detached);
    return tell === undefined ? running : tellEnd(tell, parts.host, running);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

function begin(params: ExecuteParams, direction: Direction, parts: ChainParts): Execution {
  const timeoutMs = params.timeoutMs === undefined ? parts.timeoutMs : params.timeoutMs;
  const problem = paramsProblem(params, timeoutMs);
  if (problem !== undefined) throw new LocalError("invalid_argument", problem);
  const { config } = params;
  const configs = config === undefined ? undefined : new Map(Object.keys(config).map((text) => [parts.names.find(text), config[text]!]));
  const plan = planFor(params, direction, parts);
  const revalidate = direction === "receiving" && (params.revalidate ?? parts.revalidate) === "if-modified";
  return new Execution(params, parts, { plan, revalidate, timeoutMs: timeoutMs ?? Infinity, configs });
}

interface Settings {
  readonly plan: Plan;
  readonly revalidate: boolean;
  readonly timeoutMs: number;
  readonly configs: ReadonlyMap<ChainEntry, JsonObject> | undefined;
}

// As W3C Trace Context has it: hexadecimal in lower case, and not all zeros.
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;

// A class for speed: its methods are shared, where a plain object would have new closures for each message.
class Execution implements Run {
  readonly host: Host;
  readonly maxDepth: number;
  readonly reporter: Reporter;
  readonly tell: Teller | undefined;
  readonly tracing: Tracing | undefined;
  readonly digest: Digester;
  readonly event: string;
  readonly phase: Phase;
  deadline: number;
  readonly timeoutMs: number;
  readonly revalidate: boolean;
  readonly plan: Plan;
  readonly payload: unknown;
  readonly request: ExecuteParams["request"] | undefined;
  readonly accept: ExecuteParams["accept"] | undefined;
  readonly #parts: ChainParts;
  readonly #signal: Signal | SignalLike | undefined;
  readonly #given: InvocationContext | undefined;
  // Complete configurations, by entry; only of entries that the call configures.
  readonly #configs: Map<ChainEntry, JsonObject> | undefined;
  #context: InvocationContext | undefined;
  #cancels: Set<(reason: unknown) => void> | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(params: ExecuteParams, parts: ChainParts, { plan, revalidate, timeoutMs, configs }: Settings) {
    const { host, limits } = parts;
    const own = <T>(value: T): T => (params.owned || plan.steps.length === 0 ? value : cloneJson(value, limits.maxDepth, limits.maxMessageBytes));
    this.host = host;
    this.maxDepth = limits.maxDepth;
    this.reporter = parts.reporter;
    this.digest = parts.digest;
    this.event = params.event;
    this.phase = params.phase;
    this.deadline = timeoutMs === Infinity ? Infinity : host.now() + timeoutMs;
    this.timeoutMs = timeoutMs;
    this.revalidate = revalidate;
    this.plan = plan;
    this.payload = own(params.payload === undefined ? null : params.payload);
    this.request = plan.withRequest && params.request !== undefined ? own(params.request) : undefined;
    this.accept = params.accept;
    const mode = params.provenance ?? parts.provenance;
    this.tracing = mode === false ? undefined : { mode, max: limits.maxProvenance, maxDepth: limits.maxDepth };
    this.#parts = parts;
    this.#signal = params.signal;
    this.#given = params.context === undefined ? undefined : own(params.context);
    this.tell = parts.observer === undefined && params.observe === undefined ? undefined : tellerOf(parts, params, this.#given?.traceId);
    this.#configs = configs && new Map([...configs].map(([entry, config]) => [entry, { ...entry.config, ...own(config) }]));
  }

  context(): InvocationContext {
    return (this.#context ??= { timestamp: this.#parts.timestamp(), ...this.#given });
  }

  traceparent(): string | undefined {
    const { traceId } = this.context();
    if (traceId === undefined || !TRACE_ID.test(traceId)) return undefined;
    try {
      return `00-${traceId}-${this.#parts.randomHex(8)}-01`;
    } catch {
      // A host without a random source has no spans, and judges all the same.
      return undefined;
    }
  }

  config(entry: ChainEntry): JsonObject | undefined {
    return this.#configs?.get(entry) ?? entry.config;
  }

  onAbort(cancel: (reason: unknown) => void): () => void {
    if (this.#signal === undefined) return () => {};
    const cancels = (this.#cancels ??= new Set());
    cancels.add(cancel);
    this.#unsubscribe ??= subscribe(this.#signal, (reason) => {
      for (const cancelOne of [...cancels]) cancelOne(abortReason(reason));
    });
    return () => cancels.delete(cancel);
  }

  throwIfAborted(): void {
    if (!this.#signal?.aborted) return;
    this.release();
    throw abortReason(this.#signal.reason);
  }

  countLateAnswer(): void {
    this.#parts.countLateAnswer();
  }

  release(): void {
    this.#unsubscribe?.();
  }
}

/** The reason of an abort, or one of ours where it has none. */
function abortReason(reason: unknown): unknown {
  return reason ?? new LocalError("aborted", "the caller gave up");
}

function planFor({ event, phase, version, error, interceptors = [] }: ExecuteParams, direction: Direction, { plans, names }: ChainParts): Plan {
  const query = { event, phase, direction, version, error };
  if (interceptors.length === 0) return plans.plan(query);
  const wanted = new Set(interceptors.map((text) => names.find(text)));
  return planSteps(plans.matches(event)[phase].filter((entry) => wanted.has(entry)), query);
}

function paramsProblem(params: ExecuteParams, timeoutMs: unknown): string | undefined {
  const { phase, owned, version, interceptors, config, context, request, error, accept, revalidate, provenance, observe, signal } = params;
  if (error === true && phase !== "response") return "error is for the response phase";
  if (error !== undefined && typeof error !== "boolean") return "error must be a boolean";
  if (version !== undefined && typeof version !== "string") return "version must be a string";
  if (interceptors !== undefined && !(Array.isArray(interceptors) && interceptors.every(isText))) return "interceptors must be a list of names";
  if (config !== undefined && !(isObject(config) && Object.values(config).every(isObject))) return "config must hold an object for each name";
  if (request !== undefined && !(isObject(request) && isText(request.method))) return "request must be an object with a method";
  if (accept !== undefined && typeof accept !== "function") return "accept must be a function";
  if (revalidate !== undefined && revalidate !== "if-modified" && revalidate !== "never") return 'revalidate must be "if-modified" or "never"';
  if (observe !== undefined && typeof observe !== "function") return "observe must be a function";
  if (signal !== undefined && !isSignal(signal)) return "signal must be an AbortSignal";
  const unknownMode = provenanceProblem(provenance);
  if (unknownMode !== undefined) return unknownMode;
  const fault = timeoutMs === undefined ? undefined : timeoutProblem(timeoutMs);
  if (fault !== undefined) return `timeoutMs ${fault}`;
  return context === undefined || owned === true ? undefined : contextProblem(context);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
