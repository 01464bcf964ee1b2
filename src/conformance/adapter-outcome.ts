import { compareCodePoints } from "../core/base/compare-code-points.ts";
import { isObject, type JsonObject } from "../core/base/json.ts";
import type { ChainVector } from "./vector.ts";

const COMPARED = [
  ...["status", "calls", "results", "validationSummary", "abortedAt", "finalPayload", "payloadAfterwards", "error", "aborted", "refresh"],
  // Those that count only where a vector has them.
  ...["unfinished", "cancelled", "logged", "lateAnswers"],
];
const OF_ABORTED_AT = ["interceptor", "reason", "type"];
const OF_FAILURE = ["code", "reason", "timeoutMs"];
const OF_ERROR = ["code", "message", "data"];
const OF_REFRESH = ["added", "removed", "changed"];
const OF_LOG = ["level", "address", "reason"];
// What a result says of the clock, of the protocol, or of the side that it is on.
const NOT_OF_RESULT: ReadonlySet<string> = new Set(["durationMs", "elapsedMs", "address", "_meta", "resultType"]);

/**
 * What an adapter says that a chain came to, with what is compared and no more, so that an adapter may hand over its SDK's own objects:
 * durations and further members go, `null` for no `abortedAt` or `error` too, and the calls of validators that ran side by side are put by name,
 * as are those that were cancelled.
 */
export function comparableOutcome(outcome: JsonObject, { servers }: ChainVector["input"]): JsonObject {
  if (outcome["refused"] === true || outcome["rejected"] === true) return outcome;
  const { calls, results, abortedAt, error, refresh, cancelled, logged } = outcome;
  const mutators = new Set(servers.flatMap(({ interceptors }) => interceptors.flatMap(({ type, name }) => (type === "mutation" ? [name] : []))));
  return {
    ...only(outcome, COMPARED),
    ...(Array.isArray(calls) && { calls: inOrder(calls, mutators) }),
    ...(Array.isArray(results) && { results: results.map(visibleResult) }),
    abortedAt: only(abortedAt ?? undefined, OF_ABORTED_AT),
    error: only(error ?? undefined, OF_ERROR),
    ...(isObject(refresh) && { refresh: only(refresh, OF_REFRESH) }),
    ...(Array.isArray(cancelled) && { cancelled: cancelled.map(String).sort(compareCodePoints) }),
    ...(Array.isArray(logged) && { logged: logged.map((line: unknown) => only(line, OF_LOG)) }),
  };
}

function visibleResult(result: unknown): unknown {
  if (!isObject(result)) return result;
  // A server echoes the payload that was not modified, and a chain may keep it.
  const echoed = result["modified"] === false;
  const kept = Object.fromEntries(Object.entries(result).filter(([name]) => !NOT_OF_RESULT.has(name) && !(echoed && name === "payload")));
  return "error" in kept ? { ...kept, error: only(kept["error"], OF_FAILURE) } : kept;
}

function only<T>(value: T, names: readonly string[]): T | JsonObject {
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name))) : value;
}

function inOrder(calls: readonly unknown[], mutators: ReadonlySet<string>): unknown[] {
  const nameOf = (call: unknown) => (isObject(call) ? String(call["interceptor"]) : "");
  const steps: unknown[][] = [[]];
  for (const call of calls) {
    if (mutators.has(nameOf(call))) steps.push([call], []);
    else steps.at(-1)?.push(call);
  }
  return steps.flatMap((step) => step.sort((a, b) => compareCodePoints(nameOf(a), nameOf(b))));
}
