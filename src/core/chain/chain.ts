import { LocalError } from "../base/errors.ts";
import { createTimestamp, detectHost, type Host } from "../base/host.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import { checkOptions, type OptionTable } from "../base/options.ts";
import { createRandomHex } from "../base/random-hex.ts";
import type { Signal } from "../base/signal.ts";
import { interceptorList, type Interceptors } from "../interceptor/define.ts";
import type { Phase } from "../wire/gen/interceptors.ts";
import { nearEvent } from "../wire/near-events.ts";
import { chainCoverage, type Coverage } from "./coverage.ts";
import { createDigester } from "./digest.ts";
import type { ChainEntry } from "./entry.ts";
import { execute, type ChainParts, type ExecuteParams, type Revalidate } from "./execute.ts";
import { interceptorSource } from "./in-process.ts";
import { ADD_OPTIONS, asList, installSource, reinstallSource, type AddOptions, type Installed, type ListedOptions } from "./installed.ts";
import type { ChainEvent } from "./events.ts";
import { indexNames } from "./names.ts";
import { NOTHING_OBSERVED, observerOf, type ObserverStats, type Observing } from "./observer.ts";
import { resolveDirection, type Direction, type Plan } from "./plan.ts";
import { createPlanCache } from "./plan-cache.ts";
import { provenanceProblem, type ProvenanceMode } from "./provenance.ts";
import { compareEntries, refuseWeaker, type ChainDifference } from "./refresh.ts";
import { harmless, type ChainLog, type Reporter } from "./report.ts";
import type { ChainResult } from "./result.ts";
import type { Detached } from "./run.ts";
import type { InterceptorSource } from "./source.ts";

/** How a chain runs, unless an execution says otherwise. Times are in milliseconds. */
export interface ChainOptions {
  readonly host?: Host;
  readonly limits?: Partial<Limits>;
  /**
   * Failures with what a handler has thrown, which nobody else is shown and which may quote the payload, and oddities of what is added. What it throws
   * is dropped.
   */
  readonly log?: (entry: ChainLog) => void;
  /** Told what happens, for metrics and traces: through a bounded queue, so that it neither slows nor breaks anything; see `createObserver`. */
  readonly observe?: Observing<ChainEvent>;
  /** `if-modified`: when receiving, active validators judge a mutated payload again. `never` unless said otherwise. */
  readonly revalidate?: Revalidate;
  /** Record which places each mutation changed (see `writersOf`), with their values or without. False unless said otherwise: it costs a comparison. */
  readonly provenance?: ProvenanceMode;
  /** For a whole execution; none unless said otherwise. */
  readonly timeoutMs?: number;
  /** Beats `limits.maxDetached`. */
  readonly maxDetached?: number;
}

/** How a source is added. `signal` gives up on listing it: then nothing is added. */
export interface AddSourceOptions extends ListedOptions {
  readonly signal?: Signal;
}

/** How sources are listed again. `signal` gives up, and changes nothing. */
export interface RefreshOptions {
  /** Lets entries go, or guard less than before. */
  readonly allowWeaker?: boolean;
  readonly signal?: Signal;
}

export const CHAIN_OPTIONS: OptionTable<ChainOptions> = {
  host: "an object",
  limits: "an object",
  log: "a function",
  observe: "any",
  revalidate: ["never", "if-modified"],
  provenance: "any",
  timeoutMs: "a positive number",
  maxDetached: "any",
};

export const ADD_SOURCE_OPTIONS: OptionTable<AddSourceOptions> = { ...ADD_OPTIONS, ignoreUnknownTypes: "a boolean", signal: "an object" };

const REFRESH_OPTIONS: OptionTable<RefreshOptions> = { allowWeaker: "a boolean", signal: "an object" };

/** Counts over the life of a chain, but for `detached`, which is those of now. */
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
   * Adds interceptors of this process, under the label `local`; a list may hold lists. All or nothing. Throws a `LocalError`: `invalid_argument` for
   * what is no interceptor, `conflict` for a name that is taken, `refused` for hooks that widen, `not_found` for settings of a name that is not among
   * them, `limit_exceeded`.
   */
  add(interceptors: Interceptors, options?: AddOptions): void;
  /** Lists a source and adds all that it has, or nothing. Rejects with what its `list` rejects with, or like `add` throws. */
  addSource(source: InterceptorSource, options?: AddSourceOptions): Promise<void>;
  /**
   * Lists all sources again, takes in what has changed, and gives the difference; nothing else ever changes what a source has added. Settings
   * given when a source was added hold on. All or nothing: rejects with what a `list` rejects with, like `add` throws, or with `refused`, which
   * names every entry that is gone or weaker (active to audit, closed to open, fewer hooks), unless `allowWeaker` is true. What runs already
   * runs on as it began.
   */
  refresh(options?: RefreshOptions): Promise<ChainDifference>;
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
  /** Which entries run for which event, and what each has done so far; of a guard, ask the guard. */
  coverage(): Coverage;
  /** What has become of the events for `observe`. */
  readonly observed: ObserverStats;
}

const LOCAL = "local";

/** An empty chain. Throws `invalid_argument` for wrong options. */
export function createChain(options: ChainOptions = {}): Chain {
  checkOptions(options, "the options of a chain", CHAIN_OPTIONS);
  const { host = detectHost(), revalidate = "never", provenance = false, timeoutMs } = options;
  const unknownMode = provenanceProblem(provenance);
  if (unknownMode !== undefined) throw new LocalError("invalid_argument", unknownMode);
  const limits = resolveLimits(options.maxDetached === undefined ? options.limits : { ...options.limits, maxDetached: options.maxDetached });
  const reporter: Reporter = { log: harmless(options.log) };
  const observer = observerOf(options.observe, limits.maxQueuedEvents);
  const detached: Detached = { max: limits.maxDetached, running: 0, dropped: 0 };
  let lateAnswers = 0;
  let installed: readonly Installed[] = [];
  let entries: readonly ChainEntry[] = Object.freeze([]);
  let readings = 0;
  let runs = 0;
  const labels = new Set<string>();
  const timestamp = createTimestamp(host);
  // One key for the life of the chain, so that a value has one digest in all that it runs.
  const digest = createDigester(host);
  const randomHex = createRandomHex(host);
  let parts = partsFor(entries);

  // A new object for each set of entries: an execution keeps the one that it began with.
  function partsFor(of: readonly ChainEntry[]): ChainParts {
    const plans = createPlanCache(of, limits.maxPlans);
    const names = indexNames(of);
    const countLateAnswer = () => void lateAnswers++;
    const nextRun = () => ++runs;
    const told = { reporter, observer, nextRun, provenance };
    return { host, limits, ...told, digest, revalidate, timeoutMs, plans, names, detached, countLateAnswer, timestamp, randomHex };
  }

  const surroundings = { maxDepth: limits.maxDepth, log: reporter.log };

  // All sources in place of those before; nothing changes where it throws.
  function adopt(next: readonly Installed[]): void {
    const all = next.flatMap((one) => one.entries);
    checkCount(all.length);
    const taken = new Set<string>();
    for (const { address } of all) {
      if (taken.has(address)) throw new LocalError("conflict", `the chain has an interceptor ${address} already`);
      taken.add(address);
    }
    installed = next;
    entries = Object.freeze(all);
    parts = partsFor(entries);
  }

  function install(source: InterceptorSource, listed: readonly unknown[], settings: ListedOptions): void {
    checkCount(entries.length + listed.length);
    adopt([...installed, installSource(source, listed, settings, surroundings)]);
    labels.add(source.label);
  }

  // What never runs guards nothing, and nobody would notice.
  function warnOfNearEvents(): void {
    if (reporter.log === undefined) return;
    for (const { address, policy } of installed.at(-1)?.entries ?? []) {
      for (const event of policy.hooks.flatMap(({ events }) => events)) {
        const meant = nearEvent(event);
        if (meant !== undefined) reporter.log({ level: "warning", message: `it hooks ${JSON.stringify(event)}, which is no method of MCP: did you mean ${meant}?`, address });
      }
    }
  }

  function checkCount(count: number): void {
    if (count > limits.maxInterceptors) throw new LocalError("limit_exceeded", `a chain holds at most ${limits.maxInterceptors} interceptors`);
  }

  return {
    get entries() {
      return entries;
    },
    add(interceptors, settings = {}) {
      checkOptions(settings, "the options of add", ADD_OPTIONS);
      const list = interceptorList(interceptors);
      const source = interceptorSource(list, { label: LOCAL, host, limits });
      install(source, list.map(({ descriptor }) => descriptor), settings);
      warnOfNearEvents();
    },
    async addSource(source, options = {}) {
      checkOptions(options, "the options of addSource", ADD_SOURCE_OPTIONS);
      const { signal, ...settings } = options;
      const { label } = source;
      if (typeof label !== "string" || label === "" || label.includes("/")) {
        throw new LocalError("invalid_argument", `a source's label must be a non-empty text without "/", not ${JSON.stringify(label)}`);
      }
      const listed = asList(source, await source.list(signal));
      // Asked after the wait: another source may have come in meanwhile.
      if (labels.has(label)) throw new LocalError("conflict", `the chain has a source with the label ${JSON.stringify(label)} already`);
      install(source, listed, settings);
      if (listed.length === 0) reporter.log?.({ level: "warning", message: `the source ${JSON.stringify(label)} lists no interceptors` });
    },
    async refresh(options = {}) {
      checkOptions(options, "the options of refresh", REFRESH_OPTIONS);
      const { allowWeaker = false, signal } = options;
      const reading = ++readings;
      const lists = new Map(await Promise.all(installed.map(async ({ source }) => [source, asList(source, await source.list(signal))] as const)));
      // Sources may have come in during the wait, and another refresh may have read a newer list.
      const next = installed.map((one) => {
        const listed = lists.get(one.source);
        return listed === undefined || one.reading > reading ? one : reinstallSource(one, listed, reading, surroundings);
      });
      const difference = compareEntries(entries, next.flatMap((one) => one.entries));
      if (allowWeaker !== true) refuseWeaker(difference);
      adopt(next);
      return difference;
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
    coverage: () => chainCoverage(entries, (query) => parts.plans.plan(query), host),
    get observed() {
      return observer?.stats() ?? NOTHING_OBSERVED;
    },
  };
}
