import { utf8DecodeExact } from "../core/base/bytes.ts";
import { isObject, type JsonObject } from "../core/base/json.ts";
import { scanJson } from "../core/base/json-text.ts";
import { LINE_START, MAX_LINE_BYTES } from "./audit-line.ts";
import { linesOf } from "./file-lines.ts";

/** What gateways have decided, in numbers. Names come from clients too, so each list of names ends after the first thousand; the rest is under {@link OTHERS}. */
export interface AuditStatistics {
  /** Decisions that count: those within the given time. */
  readonly decisions: number;
  /** ISO 8601, of the first and the last of them. */
  readonly first?: string;
  readonly last?: string;
  readonly verdicts: Readonly<Record<string, number>>;
  /** Of what did not go on. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly upstreams: Readonly<Record<string, number>>;
  readonly methods: Readonly<Record<string, number>>;
  readonly tools: Readonly<Record<string, number>>;
  readonly interceptors: Readonly<Record<string, InterceptorStatistics>>;
  /** From arrival to the decision, in milliseconds, within 2 %. */
  readonly judgingMs?: { readonly p50: number; readonly p99: number };
  /** How many there were, by type, issuer and id; with `more`, at least so many. */
  readonly principals: number;
  readonly morePrincipals?: true;
  readonly sessions: number;
  readonly moreSessions?: true;
  /** Lines that are no line of an audit log; a half one at the end, which a kill leaves, among them. */
  readonly unreadable: number;
}

export interface InterceptorStatistics {
  readonly ran: number;
  /** Messages that it stopped. */
  readonly stopped: number;
  /** Payloads that it changed. */
  readonly modified: number;
  /** Runs in which it failed, by reason. */
  readonly failures: Readonly<Record<string, number>>;
  /** Failures after which the message went on all the same: it fails open, or audits. */
  readonly failedOpen: number;
  /** ISO 8601, of the last decision that it was asked for. */
  readonly last?: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface StatsOptions {
  /** Milliseconds since the epoch: decisions from then on. */
  readonly since?: number;
  /** Decisions before then. */
  readonly until?: number;
}

export const OTHERS = "(others)";
const MAX_NAMES = 1000;
const MAX_COUNTED = 100_000;

/** Counts audit logs, in one pass. Does not verify them. Rejects with what the file system says. */
export async function auditStats(paths: readonly string[], { since = -Infinity, until = Infinity }: StatsOptions = {}): Promise<AuditStatistics> {
  const counts = { verdicts: tally(), reasons: tally(), upstreams: tally(), methods: tally(), tools: tally() };
  const interceptors = named((): Counted => ({ ran: 0, stopped: 0, modified: 0, failedOpen: 0, failures: tally(), times: histogram() }));
  const principals = distinct();
  const sessions = distinct();
  const times = histogram();
  let [decisions, unreadable] = [0, 0];
  let first: string | undefined;
  let last: string | undefined;
  for (const path of paths) {
    for await (const { bytes } of linesOf(path, MAX_LINE_BYTES)) {
      const text = utf8DecodeExact(bytes);
      const record = text?.startsWith(LINE_START) === true ? scanJson(text).value : undefined;
      const when = isObject(record) ? Date.parse(String(record["at"])) : NaN;
      if (!isObject(record) || Number.isNaN(when)) {
        unreadable++;
        continue;
      }
      if (record["kind"] !== "decision" || when < since || when >= until) continue;
      decisions++;
      const at = String(record["at"]);
      if (first === undefined || when < Date.parse(first)) first = at;
      if (last === undefined || when > Date.parse(last)) last = at;
      const { verdict, reason, by, upstream, event, tool, ms, who, session } = record;
      counts.verdicts.add(verdict);
      counts.methods.add(event);
      for (const [count, value] of [[counts.reasons, reason], [counts.upstreams, upstream], [counts.tools, tool]] as const) if (value !== undefined) count.add(value);
      if (typeof ms === "number") times.add(ms);
      if (isObject(who)) principals.add(JSON.stringify([who["type"], who["issuer"], who["id"]]));
      if (session !== undefined) sessions.add(String(session));
      const goesOn = verdict === "passed" || verdict === "changed";
      const outcomes = Array.isArray(record["interceptors"]) ? record["interceptors"].filter(isObject) : [];
      for (const outcome of outcomes) {
        const one = interceptors.of(addressOf(outcome));
        one.ran++;
        if (one.last === undefined || when > Date.parse(one.last)) one.last = at;
        if (outcome["outcome"] === "modified" && outcome["mode"] !== "audit") one.modified++;
        if (typeof outcome["ms"] === "number") one.times.add(outcome["ms"]);
        if (outcome["outcome"] !== "failed") continue;
        one.failures.add(outcome["failure"]);
        if (goesOn || outcome["mode"] === "audit") one.failedOpen++;
      }
      if (by !== undefined && !goesOn) interceptors.of(addressOf(outcomes.filter(stops).find(({ name }) => name === by)) ?? by).stopped++;
    }
  }
  return {
    decisions,
    ...(first === undefined ? {} : { first }),
    ...(last === undefined ? {} : { last }),
    verdicts: counts.verdicts.read(),
    reasons: counts.reasons.read(),
    upstreams: counts.upstreams.read(),
    methods: counts.methods.read(),
    tools: counts.tools.read(),
    interceptors: Object.fromEntries(
      interceptors.sorted(({ ran }) => ran).map(([name, { times: own, failures, ...rest }]) => [name, { ...rest, failures: failures.read(), p50Ms: own.quantile(0.5), p99Ms: own.quantile(0.99) }]),
    ),
    ...(decisions === 0 ? {} : { judgingMs: { p50: times.quantile(0.5), p99: times.quantile(0.99) } }),
    principals: principals.size,
    ...(principals.full ? { morePrincipals: true } : {}),
    sessions: sessions.size,
    ...(sessions.full ? { moreSessions: true } : {}),
    unreadable,
  };
}

// Lines of earlier versions have the name alone.
function addressOf(outcome: JsonObject | undefined): unknown {
  return outcome?.["address"] ?? outcome?.["name"];
}

function stops({ mode, outcome }: JsonObject): boolean {
  return mode !== "audit" && (outcome === "invalid" || outcome === "failed");
}

interface Counted {
  ran: number;
  stopped: number;
  modified: number;
  failedOpen: number;
  last?: string;
  readonly failures: ReturnType<typeof tally>;
  readonly times: ReturnType<typeof histogram>;
}

function named<T>(create: () => T) {
  const all = new Map<string, T>();
  return {
    of(name: unknown): T {
      const key = typeof name === "string" && (all.has(name) || all.size < MAX_NAMES) ? name : OTHERS;
      let one = all.get(key);
      if (one === undefined) all.set(key, (one = create()));
      return one;
    },
    /** The largest first. */
    sorted: (size: (one: T) => number) => [...all].sort(([, left], [, right]) => size(right) - size(left)),
  };
}

function tally() {
  const counts = named(() => ({ count: 0 }));
  return {
    add: (name: unknown) => void counts.of(name).count++,
    read: (): Readonly<Record<string, number>> => Object.fromEntries(counts.sorted(({ count }) => count).map(([name, { count }]) => [name, count])),
  };
}

function distinct() {
  const seen = new Set<string>();
  let full = false;
  return {
    add(key: string) {
      if (seen.size < MAX_COUNTED) seen.add(key);
      else full ||= !seen.has(key);
    },
    get size() {
      return seen.size;
    },
    get full() {
      return full;
    },
  };
}

// Buckets that are each 2 % wider than the one before, from a microsecond to a day: some 1,300 at most.
const STEP = Math.log(1.02);
const [LEAST_MS, MOST_MS] = [0.001, 86_400_000];

function histogram() {
  const buckets = new Map<number, number>();
  let total = 0;
  return {
    add(ms: number) {
      const bucket = Math.floor(Math.log(Math.min(Math.max(ms, LEAST_MS), MOST_MS)) / STEP);
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
      total++;
    },
    /** The middle of the bucket that holds it. */
    quantile(part: number): number {
      let below = 0;
      for (const [bucket, count] of [...buckets].sort(([left], [right]) => left - right)) {
        below += count;
        if (below > total * part || below === total) return Number(Math.exp((bucket + 0.5) * STEP).toPrecision(3));
      }
      return 0;
    },
  };
}
