import type { Host } from "../base/host.ts";
import type { Grants } from "../interceptor/policy.ts";
import type { ListedType } from "../wire/descriptors.ts";
import { EVENTS, MCP_REQUESTS, needsDirection } from "../wire/events.ts";
import type { Hook, Mode, Phase } from "../wire/gen/interceptors.ts";
import { PROTOCOL_VERSIONS } from "../wire/versions.ts";
import { incompatibility, type ChainEntry } from "./entry.ts";
import type { Direction, Plan, PlanQuery } from "./plan.ts";

/** Validators of a step run together, mutators one after the other as listed. */
export interface CoverageStep {
  readonly type: "validation" | "mutation";
  readonly interceptors: readonly { readonly address: string; readonly type: ListedType; readonly mode: Mode }[];
}

/** What happens to one kind of message. */
export interface CoverageRow {
  /** A method or an event; `*` stands for all that no other row names, `ns/*` for all others under `ns/`. */
  readonly method: string;
  readonly kind: "request" | "notification";
  /** Who sends the notification, or the request, also that which a response answers; not told by a chain alone. */
  readonly from?: "client" | "server";
  readonly phase: Phase;
  readonly direction: Direction;
  /** `unhooked`: it would be intercepted, and nothing hooks it. `never`: it would not, see `why`. */
  readonly status: "intercepted" | "unhooked" | "never";
  /** In the order in which they run. */
  readonly steps: readonly CoverageStep[];
  /** Of a response: which of them run where it is an error. */
  readonly errors?: readonly string[];
  /** Other events that a message of this kind carries, and that are judged as themselves. */
  readonly also?: readonly string[];
  readonly why?: string;
}

/** One interceptor, and what it has done since it was added. Of an audit entry, `blocked` and `changed` count what it would have done. */
export interface InterceptorCoverage {
  readonly address: string;
  readonly type: ListedType;
  readonly mode: Mode;
  readonly failOpen: boolean;
  readonly timeoutMs: number;
  readonly hooks: readonly Hook[];
  /** What it may read and write, where that is not everything. */
  readonly grants?: Grants;
  /** `others`: it hooks no method of MCP, and runs only on messages of other names. `nothing`: it can never run. `methods` otherwise. */
  readonly reach: "methods" | "others" | "nothing";
  readonly why?: string;
  readonly runs: number;
  readonly blocked: number;
  readonly changed: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly late: number;
  /** ISO 8601; absent where it has never run. */
  readonly lastRunAt?: string;
}

/** What a chain, or a guard with it, would do with every kind of message. JSON. */
export interface Coverage {
  readonly role?: "server" | "client";
  readonly rows: readonly CoverageRow[];
  readonly interceptors: readonly InterceptorCoverage[];
}

type Planner = (query: Omit<PlanQuery, "version" | "error"> & { error?: boolean }) => Plan;

/** Every event that MCP, SEP-2624 or a hook names, in both phases, and in both directions where it goes both ways. */
export function chainCoverage(entries: readonly ChainEntry[], plan: Planner, host: Host): Coverage {
  const events = new Set([...MCP_REQUESTS, ...EVENTS, ...otherPatterns(entries, new Set(MCP_REQUESTS))]);
  const rows = [...events].flatMap((method) =>
    (["request", "response"] as const).flatMap((phase) => {
      const event = eventLike(method);
      const usual = phase === "request" ? "receiving" : "sending";
      const directions = needsDirection(event) ? (["receiving", "sending"] as const) : ([usual] as const);
      return directions.map((direction) => planned({ method, kind: kindOf(method), phase, direction }, plan));
    }),
  );
  return { rows, interceptors: entries.map((entry) => interceptorCoverage(entry, host, { reach: "methods" })) };
}

/** What the hooks of a chain name beyond the given methods: events, `ns/*` and, always, `*`. In order of appearance, `*` last. */
export function otherPatterns(entries: readonly ChainEntry[], known: ReadonlySet<string>): readonly string[] {
  const patterns = new Set(entries.flatMap(({ policy }) => policy.hooks.flatMap(({ events }) => events)));
  return [...[...patterns].filter((pattern) => pattern !== "*" && !known.has(pattern)), "*"];
}

export function kindOf(method: string): CoverageRow["kind"] {
  return method.startsWith("notifications/") ? "notification" : "request";
}

/** An event that a pattern matches, and nothing narrower. */
export function eventLike(pattern: string): string {
  // No method has a NUL in its name.
  return pattern.endsWith("*") ? `${pattern.slice(0, -1)}\u0000` : pattern;
}

type Draft = Pick<CoverageRow, "method" | "kind" | "from" | "phase" | "direction" | "also" | "why">;

/** The row of a message that the chain is asked about. */
export function planned(draft: Draft, plan: Planner): CoverageRow {
  const { phase, direction } = draft;
  const query = { event: eventLike(draft.method), phase, direction };
  const steps = stepsOf(plan(query));
  const onErrors = phase === "response" ? stepsOf(plan({ ...query, error: true })) : [];
  const errors = onErrors.flatMap(({ interceptors }) => interceptors.map(({ address }) => address));
  return { ...draft, status: steps.length > 0 ? "intercepted" : "unhooked", steps, ...(errors.length > 0 && { errors }) };
}

function stepsOf({ steps }: Plan): CoverageStep[] {
  return steps.map(({ type, entries }) => ({
    type,
    interceptors: entries.map(({ entry }) => ({ address: entry.address, type: entry.type, mode: entry.policy.mode })),
  }));
}

/** An entry with its counters. `reached` is what its hooks lead to; being compatible with nothing outweighs it. */
export function interceptorCoverage(entry: ChainEntry, host: Host, reached: Pick<InterceptorCoverage, "reach" | "why">): InterceptorCoverage {
  const { address, type, policy, counters } = entry;
  const { lastRunAt, ...counts } = counters;
  const never = PROTOCOL_VERSIONS.every((version) => incompatibility(entry, version) !== undefined);
  const why = "it is compatible with no revision known here, so it fails on every message whose revision is known";
  // The counter is of the host's own clock, which may stand still while the wall clock is set.
  const lastRun = Number.isNaN(lastRunAt) ? undefined : new Date(host.wallTime() - (host.now() - lastRunAt)).toISOString();
  return {
    address,
    type,
    mode: policy.mode,
    failOpen: policy.failOpen,
    timeoutMs: policy.timeoutMs,
    hooks: policy.hooks,
    ...(policy.grants !== undefined && { grants: policy.grants }),
    ...(never ? { reach: "nothing", why } : reached),
    ...counts,
    ...(lastRun !== undefined && { lastRunAt: lastRun }),
  };
}
