import { isObject, type JsonObject } from "../core/base/json.ts";
import { LONGEST_TIMER_MS } from "../core/base/host.ts";
import { OWN_META } from "../core/wire/meta.ts";
import { NoOutcome } from "./no-outcome.ts";
import type { Behaviour, ChainVector, FixtureDeclaration, VectorServer } from "./vector.ts";

type ChainInput = ChainVector["input"];

/**
 * How much longer everything takes for an adapter on a real clock. The vectors tell 99 ms from 100; a real clock, and a machine that does
 * other things too, tell 990 from 1000.
 */
export const REAL_TIME_FACTOR = 10;

// What an entry without a `timeoutMs` of its own has: our reading, and no vector can make it shorter.
const DEFAULT_TIMEOUT_MS = 30_000;

export interface RealTime {
  /** The vector, with its times stretched. */
  readonly input: ChainInput;
  /** A time that the outcome speaks of, as the vector has it. */
  restore(ms: unknown): unknown;
}

/**
 * A chain vector for a real clock: times stretched by `REAL_TIME_FACTOR`, or by less where the waiting would last longer than `longestMs`.
 * Throws `unsupported` where it would even so, and where the vector looks at the time that is left after a wait. Nothing is stretched where
 * nothing waits, and nothing that is no valid time.
 */
export function inRealTime(input: ChainInput, longestMs: number): RealTime {
  const neededMs = waitOf(input);
  if (neededMs > 0 && showsCalls(input)) throw new NoOutcome("unsupported", "what a call is sent with after a wait is no fixed number on a real clock");
  if (neededMs > longestMs) throw new NoOutcome("unsupported", `a real clock needs ${neededMs} ms for it, and has ${longestMs} (half of the timeout for a vector)`);
  const factor = neededMs === 0 ? 1 : Math.min(REAL_TIME_FACTOR, longestMs / neededMs);
  const before = new Map<unknown, number>();
  const stretch = (ms: unknown): unknown => {
    if (!Number.isSafeInteger(ms)) return ms;
    const longer = Math.round(Number(ms) * factor);
    if (longer < 1 || longer > LONGEST_TIMER_MS) return ms;
    before.set(longer, Number(ms));
    return longer;
  };
  const stretched = factor === 1 ? input : stretchInput(input, stretch);
  return { input: stretched, restore: (ms) => before.get(ms) ?? ms };
}

function stretchInput({ servers, execute, waitMs, ...others }: ChainInput, stretch: (ms: unknown) => unknown): ChainInput {
  const timed = <T extends object>(value: T): T => withTime(value, "timeoutMs", stretch);
  const behave = (behaviour: Behaviour): Behaviour => {
    const longer = withTime(behaviour, "ms", stretch);
    return behaviour.do === "slow" ? { ...longer, then: behave(behaviour["then"] as Behaviour) } : longer;
  };
  const interceptor = (declaration: FixtureDeclaration): FixtureDeclaration => {
    const { behaviour, listed } = declaration;
    const meta = listed?.["_meta"];
    const longer = isObject(meta) ? { listed: { ...listed, _meta: withTime(meta, OWN_META.timeoutMs, stretch) } } : {};
    return { ...timed(declaration), ...longer, behaviour: behave(behaviour) };
  };
  const server = ({ interceptors, later, overrides, ...rest }: VectorServer): VectorServer => ({
    ...rest,
    interceptors: interceptors.map(interceptor),
    ...(later !== undefined && { later: later.map(interceptor) }),
    ...(overrides !== undefined && { overrides: Object.fromEntries(Object.entries(overrides).map(([name, override]) => [name, timed(override)])) }),
  });
  const { edit, ...given } = withTime(timed(execute), "abortAfterMs", stretch);
  return {
    ...others,
    servers: servers.map(server),
    execute: { ...given, ...(edit !== undefined && { edit: withTime(edit, "afterMs", stretch) }) },
    ...(waitMs !== undefined && withTime({ waitMs }, "waitMs", stretch)),
  };
}

function showsCalls({ servers }: ChainInput): boolean {
  return servers.some(({ interceptors }) => interceptors.some(({ behaviour }) => behaviour.do === "show-call"));
}

function withTime<T extends object>(value: T, member: string, stretch: (ms: unknown) => unknown): T {
  // Any object can be read by any name.
  return Object.hasOwn(value, member) ? { ...value, [member]: stretch((value as JsonObject)[member]) } : value;
}

/** How long the longest of its interceptors takes, run or not: until it answers, its time is up, or the caller gives up; and what is waited after that. */
function waitOf({ servers, execute, waitMs = 0 }: ChainInput): number {
  const { timeoutMs = Infinity, abortAfterMs = Infinity } = execute;
  const waits = servers.flatMap(({ interceptors, later = [], overrides }) =>
    [...interceptors, ...later].map((declaration) => {
      const own = overrides?.[declaration.name]?.timeoutMs ?? ownTimeout(declaration);
      const entry = typeof own === "number" ? own : DEFAULT_TIMEOUT_MS;
      return Math.min(durationOf(declaration.behaviour), entry, timeoutMs, abortAfterMs);
    }),
  );
  return Math.max(0, ...waits) + waitMs;
}

function ownTimeout({ timeoutMs, listed }: FixtureDeclaration): unknown {
  const meta = listed?.["_meta"];
  return isObject(meta) && Object.hasOwn(meta, OWN_META.timeoutMs) ? meta[OWN_META.timeoutMs] : timeoutMs;
}

function durationOf(behaviour: Behaviour): number {
  if (behaviour.do === "hang") return Infinity;
  const ms = Number(behaviour["ms"] ?? 0);
  return behaviour.do === "slow" ? ms + durationOf(behaviour["then"] as Behaviour) : ms;
}

/** An outcome with its times as the vector has them: those of failed results, and of the error. */
export function restoreTimes(outcome: JsonObject, restore: RealTime["restore"]): JsonObject {
  const inside = (value: unknown, member: string): unknown => {
    if (!isObject(value)) return value;
    const inner = value[member];
    return isObject(inner) && "timeoutMs" in inner ? { ...value, [member]: { ...inner, timeoutMs: restore(inner["timeoutMs"]) } } : value;
  };
  const { results, error } = outcome;
  return {
    ...outcome,
    ...(Array.isArray(results) && { results: results.map((result) => inside(result, "error")) }),
    ...(error !== undefined && { error: inside(error, "data") }),
  };
}
