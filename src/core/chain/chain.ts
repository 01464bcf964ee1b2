import { LocalError } from "../base/errors.ts";
import { createTimestamp, detectHost, type Host } from "../base/host.ts";
import type { JsonObject } from "../base/json.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import type { Signal } from "../base/signal.ts";
import type { Interceptor } from "../interceptor/define.ts";
import type { Overrides } from "../interceptor/policy.ts";
import type { InterceptorDescriptor, Phase } from "../wire/gen/interceptors.ts";
import { createEntry, type ChainEntry } from "./entry.ts";
import { execute, type ChainParts, type ExecuteParams, type Revalidate } from "./execute.ts";
import { interceptorSource } from "./in-process.ts";
import { indexNames } from "./names.ts";
import { resolveDirection, type Direction, type Plan } from "./plan.ts";
import { createPlanCache } from "./plan-cache.ts";
import { harmless, type ChainEvent, type ChainLog, type Reporter } from "./report.ts";
import type { ChainResult } from "./result.ts";
import type { Detached } from "./run.ts";
import type { InterceptorSource } from "./source.ts";

export interface ChainOptions {
  readonly host?: Host;
  readonly limits?: Partial<Limits>;
  /** Failures, and oddities of what is added. What it throws is dropped. */
  readonly log?: (entry: ChainLog) => void;
  /** Each invocation that ends, without its payload. What it throws is dropped. */
  readonly observe?: (event: ChainEvent) => void;
  /** `if-modified`: when receiving, active validators judge a mutated payload again. `never` unless said otherwise. */
  readonly revalidate?: Revalidate;
  /** For a whole execution; none unless said otherwise. */
  readonly timeoutMs?: number;
  /** Beats `limits.maxDetached`. */
  readonly maxDetached?: number;
}

export interface AddOptions {
  /** By name, or `label/name`. */
  readonly overrides?: Readonly<Record<string, Overrides>>;
  /** The static part of `config`, by name or `label/name`. */
  readonly config?: Readonly<Record<string, JsonObject>>;
}

export interface ChainStats {
  /** Answers that came after their timeout, and were dropped. */
  readonly lateAnswers: number;
  /** Audit invocations that run on after their chain. */
  readonly detached: number;
  /** Audit invocations that were cancelled, as too many ran on. */
  readonly dropped: number;
}

/** Interceptors of one or more sources, and the one way to run them (SEP-2624, Chain Execution). What runs is what was there at the start. */
export interface Chain {
  /**
   * Adds interceptors of this process, under the label `local`. All or nothing. Throws a `LocalError`: `conflict` for a name that is taken,
   * `refused` for hooks that widen, `not_found` for settings of a name that is not among them, `limit_exceeded`.
   */
  add(interceptors: Interceptor | readonly Interceptor[], options?: AddOptions): void;
  /** Lists a source and adds all that it has, or nothing. Rejects with what its `list` rejects with, or like `add` throws. */
  addSource(source: InterceptorSource, options?: AddOptions & { readonly signal?: Signal }): Promise<void>;
  /** A snapshot, in the order of addition. */
  readonly entries: readonly ChainEntry[];
  /** Whether any entry hooks this event in this phase. Cheap: whoever guards traffic asks it for each message. */
  matches(event: string, phase: Phase): boolean;
  /** Whether any active entry hooks the response phase of any event: if so, a response that nobody can place must not pass. */
  readonly hooksResponses: boolean;
  /** Whether an active entry hooks the responses of this event and would not see an error response. */
  missesErrors(event: string): boolean;
  /** Which entries would run, in which order; to look at. */
  plan(query: { event: string; phase: Phase; direction?: Direction; version?: string; error?: boolean }): Plan;
  /**
   * Runs the chain. Resolves whatever interceptors do; rejects with the reason of `signal`, or with a `LocalError` where the parameters are
   * wrong: `invalid_argument`, `not_json` and `limit_exceeded` for the payload, `not_found` and `ambiguous` for names.
   */
  execute(params: ExecuteParams): Promise<ChainResult>;
  stats(): ChainStats;
}

const LOCAL = "local";

export function createChain(options: ChainOptions = {}): Chain {
  const { host = detectHost(), revalidate = "never", timeoutMs } = options;
  const limits = resolveLimits(options.maxDetached === undefined ? options.limits : { ...options.limits, maxDetached: options.maxDetached });
  const reporter: Reporter = { log: harmless(options.log), observe: harmless(options.observe) };
  const detached: Detached = { max: limits.maxDetached, running: 0, dropped: 0 };
  let lateAnswers = 0;
  let entries: readonly ChainEntry[] = Object.freeze([]);
  const labels = new Set<string>();
  const timestamp = createTimestamp(host);
  let parts = partsFor(entries);

  // A new object for each set of entries: an execution keeps the one that it began with.
  function partsFor(of: readonly ChainEntry[]): ChainParts {
    const plans = createPlanCache(of, limits.maxPlans);
    const names = indexNames(of);
    return { host, limits, reporter, revalidate, timeoutMs, plans, names, detached, countLateAnswer: () => void lateAnswers++, timestamp };
  }

  function install(source: InterceptorSource, descriptors: readonly InterceptorDescriptor[], settings: AddOptions): void {
    if (entries.length + descriptors.length > limits.maxInterceptors) {
      throw new LocalError("limit_exceeded", `a chain holds at most ${limits.maxInterceptors} interceptors`);
    }
    const overrides = settingsOf("overrides", source.label, descriptors, settings.overrides);
    const config = settingsOf("config", source.label, descriptors, settings.config);
    const added = descriptors.map((descriptor) =>
      createEntry(source, descriptor, {
        overrides: overrides.get(descriptor.name),
        config: config.get(descriptor.name),
        maxDepth: limits.maxDepth,
        log: reporter.log,
      }),
    );
    const taken = new Set<string>();
    for (const { address } of added) {
      if (taken.has(address) || parts.names.has(address)) throw new LocalError("conflict", `the chain has an interceptor ${address} already`);
      taken.add(address);
    }
    entries = Object.freeze([...entries, ...added]);
    parts = partsFor(entries);
    labels.add(source.label);
  }

  return {
    get entries() {
      return entries;
    },
    add(interceptors, settings = {}) {
      const list = "descriptor" in interceptors ? [interceptors] : interceptors;
      const source = interceptorSource(list, { label: LOCAL, host, limits });
      install(source, list.map(({ descriptor }) => descriptor), settings);
    },
    async addSource(source, { signal, ...settings } = {}) {
      const { label } = source;
      if (typeof label !== "string" || label === "" || label.includes("/")) {
        throw new LocalError("invalid_argument", `a source's label must be a non-empty text without "/", not ${JSON.stringify(label)}`);
      }
      const descriptors = await source.list(signal);
      // Asked after the wait: another source may have come in meanwhile.
      if (labels.has(label)) throw new LocalError("conflict", `the chain has a source with the label ${JSON.stringify(label)} already`);
      if (descriptors.length === 0) reporter.log?.({ level: "warning", message: `the source ${JSON.stringify(label)} lists no interceptors` });
      install(source, descriptors, settings);
    },
    matches: (event, phase) => parts.plans.matches(event)[phase].length > 0,
    get hooksResponses() {
      return entries.some(({ policy }) => policy.mode === "active" && policy.hooks.some(({ phase }) => phase === "response"));
    },
    missesErrors: (event) => parts.plans.matches(event).response.some(({ policy, handlesErrors }) => policy.mode === "active" && !handlesErrors),
    plan: ({ event, phase, direction, version, error }) =>
      parts.plans.plan({ event, phase, direction: resolveDirection(event, phase, direction), version, error }),
    execute: (params) => execute(params, parts),
    stats: () => ({ lateAnswers, detached: detached.running, dropped: detached.dropped }),
  };
}

/** Settings by name, once each is known to be meant for one of these descriptors. */
function settingsOf<T>(
  what: string,
  label: string,
  descriptors: readonly InterceptorDescriptor[],
  settings: Readonly<Record<string, T>> = {},
): Map<string, T> {
  const found = new Map<string, T>();
  for (const [text, setting] of Object.entries(settings)) {
    const match = descriptors.filter(({ name }) => name === text || `${label}/${name}` === text);
    const [descriptor] = match;
    if (descriptor === undefined) throw new LocalError("not_found", `${what} for ${JSON.stringify(text)}: "${label}" has no such interceptor`);
    if (match.length > 1 || found.has(descriptor.name)) {
      throw new LocalError("ambiguous", `${what} for ${JSON.stringify(text)}: it may mean more than one interceptor, or is given twice`);
    }
    found.set(descriptor.name, setting);
  }
  return found;
}
