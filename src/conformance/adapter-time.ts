import { isObject, type JsonObject } from "../core/base/json.ts";
import { LONGEST_TIMER_MS } from "../core/base/host.ts";
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
 * Throws `unsupported` where it would even so. Nothing is stretched where nothing waits, and nothing that is no valid time.
 */
export function inRealTime(input: ChainInput, longestMs: number): RealTime {
  const neededMs = waitOf(input);
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

function stretchInput({ servers, execute }: ChainInput, stretch: (ms: unknown) => unknown): ChainInput {
  const timed = <T extends object>(value: T): T => ("timeoutMs" in value ? { ...value, timeoutMs: stretch(value.timeoutMs) } : value);
  const behave = (behaviour: Behaviour): Behaviour =>
    behaviour.do === "slow" ? { ...behaviour, ms: stretch(behaviour["ms"]), then: behave(behaviour["then"] as Behaviour) } : behaviour;
  const interceptor = (declaration: FixtureDeclaration): FixtureDeclaration => ({ ...timed(declaration), behaviour: behave(declaration.behaviour) });
  const server = ({ interceptors, overrides, ...rest }: VectorServer): VectorServer => ({
    ...rest,
    interceptors: interceptors.map(interceptor),
    ...(overrides !== undefined && { overrides: Object.fromEntries(Object.entries(overrides).map(([name, override]) => [name, timed(override)])) }),
  });
  return { servers: servers.map(server), execute: timed(execute) };
}

/** How long the longest of its interceptors takes, run or not: until it answers, or until its time is up. */
function waitOf({ servers, execute }: ChainInput): number {
  const waits = servers.flatMap(({ interceptors, overrides }) =>
    interceptors.map(({ name, behaviour, timeoutMs }) => {
      const own = overrides?.[name]?.timeoutMs ?? timeoutMs;
      const entry = typeof own === "number" ? own : DEFAULT_TIMEOUT_MS;
      return Math.min(durationOf(behaviour), entry, execute.timeoutMs ?? Infinity);
    }),
  );
  return Math.max(0, ...waits);
}

function durationOf(behaviour: Behaviour): number {
  if (behaviour.do === "hang") return Infinity;
  return behaviour.do === "slow" ? Number(behaviour["ms"]) + durationOf(behaviour["then"] as Behaviour) : 0;
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
