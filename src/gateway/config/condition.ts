import { LocalError } from "../../core/base/errors.ts";
import { formatPointer, isObject, ownMember, parsePointer } from "../../core/base/json.ts";
import { valueAt } from "../../core/base/json-pointer.ts";
import { didYouMean } from "../../core/base/nearest.ts";
import type { ConditionInput } from "../../core/interceptor/policy.ts";
import type { Principal } from "../../core/wire/gen/interceptors.ts";
import { isPattern, matchesPattern } from "../../core/wire/patterns.ts";
import { compilePatterns, isNamePattern } from "../../library/name-patterns.ts";
import { compileTests, TESTS } from "./condition-tests.ts";
import type { Problems } from "./problems.ts";
import type { ToolHints } from "./tool-hints.ts";
import { cannotJudge, isUnknown, type Truth, type Unknown } from "./truth.ts";

// Conditions are JSON and no little language: an editor completes them by the schema, a fault has its place in the file, nothing binds tighter
// than anything else, and no quotes stand within quotes. The form is closed, has no recursion but what the file spells out, and calls nothing
// that a message names. src/gateway/config/README.md explains it.

/** A condition that was read, ready for any number of messages. */
export interface Condition {
  /** Throws a `LocalError` where it cannot be judged: the entry has failed then, under its own policy. `hints` are those of the upstream's tools. */
  holds(input: ConditionInput, hints: ToolHints): boolean;
  readonly usesHints: boolean;
  /** The claims that it asks for. */
  readonly claims: readonly string[];
  /** As it stands in the file. */
  readonly source: unknown;
}

interface Facts {
  readonly input: ConditionInput;
  readonly hints: ToolHints;
}
type Check = (facts: Facts) => Truth;

export const MAX_CONDITIONS = 1_000;
export const MAX_CONDITION_DEPTH = 32;

// Those that ask about a value, and take tests.
const VALUES: ReadonlyMap<string, (name: string) => ((facts: Facts) => unknown) | string> = new Map([
  ["argument", (name) => pointerIn(name, ({ input }) => (input.event === "tools/call" || input.event === "prompts/get" ? memberOf(requestOf(input), "arguments") : undefined))],
  ["payload", (name) => pointerIn(name, ({ input }) => input.payload)],
  ["claim", (name) => valueIn(name.startsWith("/") ? parsePointer(name) : [name], ({ input }) => input.context.principal?.claims)],
  ["principal", (name) => (name === "type" || name === "id" ? ({ input }) => input.context.principal?.[name] : 'must be "type" or "id"; what a token says beyond that are claims')],
  ["annotation", (name) => ({ input, hints }) => {
    const tool = toolOf(input);
    return typeof tool === "string" ? hints.hint(tool, name) : tool;
  }],
]);
const CHOICES: ReadonlyMap<string, (value: unknown) => Check | string> = new Map<string, (value: unknown) => Check | string>([
  ["method", compileMethod],
  ["phase", (phase) => (phase === "request" || phase === "response" ? ({ input }) => input.phase === phase : 'must be "request" or "response"')],
  ["tool", compileTool],
]);
const JUNCTIONS = ["all", "any", "not"] as const;
const SUBJECTS = [...JUNCTIONS, ...CHOICES.keys(), ...VALUES.keys()];
const ABOUT_CALLERS: ReadonlySet<string> = new Set([...JUNCTIONS, "claim", "principal"]);

export interface CompileOptions {
  readonly problems: Problems;
  /** Where in the file the condition stands. */
  readonly pointer: string;
  /** Nothing but the caller may be asked about. */
  readonly callerOnly?: boolean;
}

/** Reads a condition. What is wrong goes to `problems`, and the result is of no use then. */
export function compileCondition(condition: unknown, { problems, pointer, callerOnly = false }: CompileOptions): Condition {
  let count = 0;
  let usesHints = false;
  const claims = new Set<string>();

  const read = (value: unknown, at: string, depth: number): Check => {
    const refuse = (message: string, where = at, part?: "name" | "value"): Check => {
      problems.add(where, message, part);
      return () => false;
    };
    if (!isObject(value)) return refuse(`must be an object with one of ${SUBJECTS.join(", ")}`);
    if (++count > MAX_CONDITIONS) return count > MAX_CONDITIONS + 1 ? () => false : refuse(`has more than ${MAX_CONDITIONS} conditions`);
    if (depth > MAX_CONDITION_DEPTH) return refuse(`is nested deeper than ${MAX_CONDITION_DEPTH}`);
    const names = Object.keys(value);
    const unknown = names.find((name) => !SUBJECTS.includes(name) && !TESTS.includes(name));
    if (unknown !== undefined) {
      return refuse(`is no part of a condition; ${didYouMean(unknown, [...SUBJECTS, ...TESTS], `known are ${SUBJECTS.join(", ")}`)}`, below(at, unknown), "name");
    }
    const subjects = names.filter((name) => SUBJECTS.includes(name));
    const [subject] = subjects;
    if (subject === undefined) return refuse(`must say what it is about: one of ${SUBJECTS.join(", ")}`);
    if (subjects.length > 1) return refuse(`is about ${subjects.join(" and ")}; put each into a condition of its own, and these into "all": [ … ]`);
    const where = below(at, subject);
    if (callerOnly && !ABOUT_CALLERS.has(subject)) return refuse(`says nothing about a caller; here only ${[...ABOUT_CALLERS].join(", ")} do`, where, "name");
    const given = ownMember(value, subject);
    const tests = names.filter((name) => TESTS.includes(name));

    const makeValue = VALUES.get(subject);
    if (makeValue !== undefined) {
      if (typeof given !== "string" || given === "") return refuse("must be a text", where);
      if (tests.length === 0) return refuse(`needs a test beside it: one of ${TESTS.join(", ")}`, where);
      const valueOf = makeValue(given);
      if (typeof valueOf === "string") return refuse(valueOf, where);
      if (subject === "annotation") usesHints = true;
      if (subject === "claim") claims.add(given.startsWith("/") ? (parsePointer(given)?.[0] ?? "") : given);
      const test = compileTests(value, tests, (name, message) => problems.add(below(at, name), message));
      return (facts) => {
        const found = valueOf(facts);
        return isUnknown(found) ? found : test(found);
      };
    }
    const [stray] = tests;
    if (stray !== undefined) return refuse(`tests a value, and ${subject} is none; tests go with ${[...VALUES.keys()].join(", ")}`, below(at, stray), "name");
    const choose = CHOICES.get(subject);
    if (choose !== undefined) {
      const check = choose(given);
      return typeof check === "string" ? refuse(check, where) : check;
    }
    if (subject === "not") {
      const inner = read(given, where, depth + 1);
      return (facts) => {
        const truth = inner(facts);
        return isUnknown(truth) ? truth : !truth;
      };
    }
    if (!Array.isArray(given) || given.length === 0) return refuse("must be a list of conditions, with one at least", where);
    const parts = given.map((item, index) => read(item, below(where, index), depth + 1));
    return junction(parts, subject === "any");
  };

  const check = read(condition, pointer, 1);
  return {
    holds(input, hints) {
      const truth = check({ input, hints });
      if (isUnknown(truth)) throw new LocalError("invalid_message", `the condition cannot be judged: ${truth.why}`);
      return truth;
    },
    get usesHints() {
      return usesHints;
    },
    get claims() {
      return [...claims];
    },
    source: condition,
  };
}

/** A condition about callers alone, which a caller that it cannot judge does not meet. */
export function callerCheck(condition: Condition): (principal: Principal | undefined) => boolean {
  return (principal) => {
    const context = principal === undefined ? {} : { principal };
    try {
      return condition.holds({ event: "", phase: "request", name: "", payload: undefined, context }, NO_HINTS);
    } catch {
      return false;
    }
  };
}

const NO_HINTS: ToolHints = { hint: () => undefined, learn: () => {}, informed: false };

// What decides, decides, in whatever order: a part that cannot be judged counts only where the others leave it open.
function junction(parts: readonly Check[], decisive: boolean): Check {
  return (facts) => {
    let unknown: Truth | undefined;
    for (const part of parts) {
      const truth = part(facts);
      if (truth === decisive) return decisive;
      if (isUnknown(truth)) unknown ??= truth;
    }
    return unknown ?? !decisive;
  };
}

function compileMethod(given: unknown): Check | string {
  const patterns = listOf(given);
  if (patterns === undefined || !patterns.every(isPattern)) return 'must be a method or a list of some, such as "tools/call", "tools/*" or "*"';
  return ({ input }) => patterns.some((pattern) => matchesPattern(pattern, input.event));
}

function compileTool(given: unknown): Check | string {
  const patterns = listOf(given);
  if (patterns === undefined || !patterns.every(isNamePattern)) return 'must be the name of a tool or a list of some, such as "search" or "delete_*"';
  const matches = compilePatterns(patterns);
  return ({ input }) => {
    const tool = toolOf(input);
    return typeof tool === "string" ? matches(tool) : (tool ?? false);
  };
}

function listOf(given: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const texts = list.filter((item) => typeof item === "string" && item !== "");
  // The filter has left texts alone.
  return texts.length === list.length && list.length > 0 ? (texts as string[]) : undefined;
}

// The tool that is called, or was; undefined where the message is about none.
function toolOf(input: ConditionInput): string | Unknown | undefined {
  if (input.event !== "tools/call") return undefined;
  const name = memberOf(requestOf(input), "name");
  return typeof name === "string" || isUnknown(name) ? name : cannotJudge("the name of the tool is no text");
}

// The params of the request that is judged, or that is being answered.
function requestOf({ event, phase, payload, context }: ConditionInput): unknown {
  if (phase === "request") return payload;
  const { request } = context;
  return request?.method === event ? (request.params ?? {}) : cannotJudge("the request that is answered is not known");
}

function memberOf(value: unknown, member: string): unknown {
  return isUnknown(value) ? value : isObject(value) ? ownMember(value, member) : undefined;
}

function pointerIn(pointer: string, root: (facts: Facts) => unknown): ((facts: Facts) => unknown) | string {
  return valueIn(parsePointer(pointer), root);
}

function valueIn(steps: readonly string[] | undefined, root: (facts: Facts) => unknown): ((facts: Facts) => unknown) | string {
  if (steps === undefined) return 'must be a JSON pointer, such as "/path" or "/items/0/name"';
  return (facts) => {
    const value = root(facts);
    return isUnknown(value) ? value : valueAt(value, steps);
  };
}

function below(pointer: string, step: string | number): string {
  return pointer + formatPointer([step]);
}

