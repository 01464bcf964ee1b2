import { diffJson, type Change } from "../core/base/json-diff.ts";
import { isObject, type JsonObject } from "../core/base/json.ts";
import { canonicalJson } from "./canonical.ts";
import type { Vector } from "./vector.ts";

// Whose a part of an outcome is, where everything beside it is as expected: an implementation that answers all blocks with another error has
// broken what is said of errors, and not all that it ever blocked for. `of` lists the requirements about that part; the first is the general one.
interface Part {
  readonly pattern: RegExp;
  readonly change?: Change["kind"];
  readonly of: readonly string[];
}

// What `report` says of the config, which every vector with that word shows. Those that set one are about it.
const CONFIG = ["config.overlay", "invoke.config", "config.static-checked", "refresh.settings", "security.least"];
const VERDICT = ["verdict.unambiguous", "verdict.no-severity", "verdict.odd-severity", "verdict.boolean", "dialect.messages"];
// Members that say what goes without saying.
const DEFAULTS = ["list.defaults"];
const PARTS: Readonly<Partial<Record<Vector["kind"], readonly Part[]>>> = {
  chain: [
    // Where there should be none, or is none; another one than expected is a matter of what the vector is about.
    { pattern: /^\/finalPayload$/, change: "added", of: ["atomic.final-payload", "atomic"] },
    { pattern: /^\/finalPayload$/, change: "removed", of: ["atomic.final-payload"] },
    { pattern: /^\/validationSummary\b/, of: ["verdict.summary"] },
    // Whose doing it was is no matter of wording.
    { pattern: /^\/abortedAt(\/(reason|type))?$/, of: ["verdict.aborted-at"] },
    { pattern: /^\/payloadAfterwards\b/, of: ["isolation", "atomic"] },
    { pattern: /^\/results\/\d+\/mode$/, of: ["audit.recorded"] },
    { pattern: /^\/results\/\d+\/info\/config\b/, of: CONFIG },
    // How a verdict is written down, where it was understood all the same.
    { pattern: /^\/results\/\d+\/(severity|messages)\b/, of: VERDICT },
  ],
  descriptor: [{ pattern: /^\/accepted\/(mode|failOpen|priorityHint)$/, change: "added", of: DEFAULTS }],
  list: [{ pattern: /^\/result\/interceptors\/\d+\/(mode|failOpen|priorityHint)$/, change: "added", of: DEFAULTS }],
  invoke: [
    { pattern: /^\/result\/(severity|messages)\b/, of: VERDICT },
    { pattern: /^\/result\/durationMs$/, of: ["invoke.duration"] },
    { pattern: /^\/result\/info\/config\b/, of: CONFIG },
  ],
};

const BOUNDARY: ReadonlyMap<unknown, string> = new Map([
  [-32602, "boundary.validation"],
  [-32603, "boundary.mutation"],
  [-32000, "boundary.timeout"],
]);
const OF_ORDER = ["order.results", "descriptor.validator-priority"];
const ABOUT_ERRORS = [...BOUNDARY.values(), "boundary.response-messages", "time.error"];
// Whom the error names as a whole: those that were waited for.
const VALIDATION_ERROR = /^\/error\/data\/validationErrors\/\d+$/;
// How a failure is told to this side, where it was taken for one; and that it is told at all.
const OF_FAILURE = ["fail.recorded"];
const OF_REASON = [...OF_FAILURE, "invoke.generic-error"];
const OF_FAILURES = [...OF_FAILURE, "audit.recorded", "audit.settled", "audit.max-detached", "time.audit-logged"];

// Where these differ, the vector went another way as a whole.
const WHOLE: ReadonlySet<string> = new Set(["", "/status", "/refused", "/rejected"]);

/** All requirements that a part belongs to. */
export const PART_REQUIREMENTS: ReadonlySet<string> = new Set([...Object.values(PARTS).flatMap((parts) => parts.flatMap((part) => part.of)), ...ABOUT_ERRORS, "verdict.all-complete", ...OF_ORDER, ...OF_FAILURES, ...OF_REASON, "invoke.flat"]);

/**
 * The requirements that a vector's failure speaks against, from where the outcome is not as expected: those of the vector, unless all that
 * differs belongs to others. A wrong status makes all the rest wrong, and says nothing of it.
 */
export function blamedRequirements(vector: Vector, actual: unknown, changes: readonly Change[]): readonly string[] {
  const { kind, requirements, expect } = vector;
  if (changes.some(({ pointer }) => WHOLE.has(pointer))) return requirements;
  const flat = kind === "invoke" ? flattened(actual) : undefined;
  if (flat !== undefined) {
    const rest = diffJson(expect, flat);
    return [...new Set(["invoke.flat", ...(rest.length > 0 ? blamedRequirements(vector, flat, rest) : [])])];
  }
  const blamed = new Set<string>();
  const results = kind === "chain" ? differenceOfResults(expect, actual) : "other";
  for (const change of changes) {
    const owners = ownersOf(kind, change, expect, results);
    const named = owners === undefined ? requirements : requirements.filter((id) => owners.includes(id));
    for (const id of named.length > 0 ? named : (owners ?? []).slice(0, 1)) blamed.add(id);
  }
  return blamed.size > 0 ? [...blamed] : requirements;
}

function ownersOf(kind: Vector["kind"], { pointer, kind: change }: Change, expect: unknown, results: ResultsDifference): readonly string[] | undefined {
  if (results === "order" && /^\/results\b/.test(pointer)) return OF_ORDER;
  if (kind === "chain" && VALIDATION_ERROR.test(pointer) && change !== "replaced") return [...ABOUT_ERRORS, "verdict.all-complete"];
  if (kind === "chain" && /^\/error\b/.test(pointer)) return ownersOfError(expect);
  if (results === "failures" && /^\/results\/\d+$/.test(pointer)) return OF_FAILURES;
  if (results === "failures" && /^\/results\/\d+\/(?!mode$)/.test(pointer)) return ownersOfFailure(pointer, change);
  return PARTS[kind]?.find((part) => part.pattern.test(pointer) && (part.change === undefined || part.change === change))?.of;
}

function ownersOfFailure(pointer: string, change: Change["kind"]): readonly string[] | undefined {
  if (change !== "replaced") return OF_FAILURE;
  // Another limit than expected is no matter of how it is told.
  return pointer.endsWith("/error/timeoutMs") ? undefined : pointer.endsWith("/error/reason") ? OF_REASON : OF_FAILURE;
}

/** An outcome whose result is nested as Go nests it, without that; `undefined` where it is not. */
function flattened(actual: unknown): JsonObject | undefined {
  const result = isObject(actual) ? actual["result"] : undefined;
  if (!isObject(result)) return undefined;
  const { validation, mutation, ...rest } = result;
  return isObject(validation) || isObject(mutation) ? { result: { ...rest, ...(isObject(validation) && validation), ...(isObject(mutation) && mutation) } } : undefined;
}

/** How results differ from those expected: in their order alone, if at all; in how failures are recorded, if they are, and in nothing else; or in more. */
type ResultsDifference = "order" | "failures" | "other";

function differenceOfResults(expect: unknown, actual: unknown): ResultsDifference {
  const [expected, found] = [resultsOf(expect), resultsOf(actual)];
  if (expected === undefined || found === undefined) return "other";
  const texts = (results: readonly JsonObject[]) => results.map(canonicalJson);
  if (texts(expected).sort().join() === texts(found).sort().join()) return "order";
  const failed = new Set(expected.filter(isFailure).map(({ interceptor }) => interceptor));
  const ofFailed = ({ interceptor }: JsonObject) => failed.has(interceptor);
  const others = (results: readonly JsonObject[]) => texts(results.filter((result) => !ofFailed(result))).join();
  // What failed and is recorded as a success was not taken for a failure.
  const succeeded = found.some((result) => ofFailed(result) && (result["valid"] === true || result["modified"] === true));
  return !succeeded && expected.filter(ofFailed).every(isFailure) && others(expected) === others(found) ? "failures" : "other";
}

function resultsOf(outcome: unknown): readonly JsonObject[] | undefined {
  const results = isObject(outcome) ? outcome["results"] : undefined;
  return Array.isArray(results) && results.every(isObject) ? results : undefined;
}

function isFailure(result: JsonObject): boolean {
  return Object.hasOwn(result, "error");
}

function ownersOfError(expect: unknown): readonly string[] | undefined {
  const error = isObject(expect) ? expect["error"] : undefined;
  const general = isObject(error) ? BOUNDARY.get(error["code"]) : undefined;
  return general === undefined ? undefined : [general, ...ABOUT_ERRORS];
}
