import { isObject, ownMember, type JsonObject } from "../../core/base/json.ts";
import type { HookDeclaration } from "../../core/interceptor/define.ts";
import { isEvent, matchesPattern } from "../../core/wire/patterns.ts";
import { compilePatterns } from "../../library/name-patterns.ts";
import { compileTests, TESTS } from "./condition-tests.ts";

/** What is known of where a condition is asked. */
export interface ConditionWorld {
  /** Whether anybody can be known by a token. */
  readonly signsIn: boolean;
  /** The tools of the upstream; `undefined` where it could not be asked. */
  readonly tools: readonly string[] | undefined;
  /** Of the interceptor. */
  readonly hooks: readonly HookDeclaration[];
}

/** One part of a condition that is no junction: what it is about, and the whole of it. */
interface Leaf {
  readonly subject: string;
  readonly given: unknown;
  readonly condition: JsonObject;
}

const CHOICES: ReadonlySet<string> = new Set(["method", "phase", "tool"]);
const VALUES = ["argument", "payload", "claim", "principal", "annotation"] as const;

/**
 * Why a condition that was compiled without a fault can never hold, as a clause; `undefined` where it may. Only what is certain: it looks at one value or one
 * choice at a time, takes every `not` for something that may hold, and knows of values nothing but their tests.
 */
export function whyNever(condition: unknown, world: ConditionWorld): string | undefined {
  const leaves: Leaf[] = [];
  return gather(condition, world, leaves) ?? inLeaves(leaves, world);
}

/** Into `leaves` goes what must hold for the condition to hold. */
function gather(condition: unknown, world: ConditionWorld, leaves: Leaf[]): string | undefined {
  if (!isObject(condition)) return undefined;
  const all = ownMember(condition, "all");
  const either = ownMember(condition, "any");
  if (Array.isArray(all)) {
    for (const part of all) {
      const why = gather(part, world, leaves);
      if (why !== undefined) return why;
    }
  } else if (Array.isArray(either)) {
    const reasons = either.map((part) => whyNever(part, world));
    if (reasons.every((why) => why !== undefined)) return [...new Set(reasons)].join("; and ");
  } else {
    const subject = [...CHOICES, ...VALUES].find((name) => Object.hasOwn(condition, name));
    if (subject !== undefined) leaves.push({ subject, given: ownMember(condition, subject), condition });
  }
  return undefined;
}

function inLeaves(leaves: readonly Leaf[], world: ConditionWorld): string | undefined {
  for (const leaf of leaves) {
    const why = lacking(leaf, world);
    if (why !== undefined) return why;
  }
  return contradiction(leaves) ?? outsideHooks(leaves, world);
}

function lacking(leaf: Leaf, { signsIn, tools }: ConditionWorld): string | undefined {
  const { subject, given } = leaf;
  if (subject === "tool" && tools !== undefined) {
    const patterns = listOf(given);
    const matches = compilePatterns(patterns);
    if (!tools.some(matches)) return `it has no tool ${patterns.join(", ")}, which the condition asks for`;
  }
  if (signsIn || !wantsValue(leaf)) return undefined;
  if (subject === "claim") return `the condition asks for the claim ${JSON.stringify(given)}, and without "auth" nobody has any`;
  if (subject === "principal") return `the condition asks who calls, and without "auth" nobody is known`;
  return undefined;
}

function contradiction(leaves: readonly Leaf[]): string | undefined {
  const phases = new Set(leaves.flatMap(({ subject, given }) => (subject === "phase" ? [given] : [])));
  if (phases.size > 1) return "the condition asks for both phases at once";
  const tools = leaves.flatMap(({ subject, given }) => (subject === "tool" ? [listOf(given)] : []));
  for (const names of tools) {
    // Who is asked for by name is one of these.
    if (names.every((name) => !name.endsWith("*")) && !names.some((name) => tools.every((patterns) => compilePatterns(patterns)(name)))) {
      return `no tool is ${tools.map((patterns) => patterns.join(", ")).join(" and also ")}, which the condition asks for`;
    }
  }
  const values = new Map<string, Leaf[]>();
  for (const leaf of leaves) {
    if (CHOICES.has(leaf.subject)) continue;
    const key = `${leaf.subject} ${JSON.stringify(leaf.given)}`;
    values.set(key, [...(values.get(key) ?? []), leaf]);
  }
  for (const [key, about] of values) if (excludeEachOther(about)) return `no ${key} passes all tests of the condition`;
  return undefined;
}

/** Whether there is no value that passes all the tests of these, which are about one value. */
function excludeEachOther(leaves: readonly Leaf[]): boolean {
  const each = (name: string): unknown[] => leaves.flatMap(({ condition }) => (Object.hasOwn(condition, name) ? [ownMember(condition, name)] : []));
  const tests = leaves.map(({ condition }) => compileTests(condition, testsIn(condition), () => {}));
  const exists = each("exists");
  if (exists.includes(false)) return exists.includes(true) || leaves.some(({ condition }) => testsIn(condition).some((name) => name !== "exists"));
  // A value that only a few can be: whether one of them passes.
  const few = [...each("equals").map((value) => [value]), ...each("in").filter(Array.isArray)];
  if (few.some((candidates) => candidates.every((value) => tests.some((test) => test(value) === false)))) return true;
  if (Math.max(...each("atLeast").map(Number)) > Math.min(...each("atMost").map(Number))) return true;
  return apart(each("prefix"), (one, other) => one.startsWith(other)) || apart(each("suffix"), (one, other) => one.endsWith(other));
}

/** Whether two of them cannot both stand at one end of a text. */
function apart(texts: readonly unknown[], within: (one: string, other: string) => boolean): boolean {
  return texts.some((one) => texts.some((other) => !within(String(one), String(other)) && !within(String(other), String(one))));
}

/** What is about a tool, or arguments, is so of these messages alone. */
const METHODS_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ["tool", ["tools/call"]],
  ["annotation", ["tools/call"]],
  ["argument", ["tools/call", "prompts/get"]],
]);

function outsideHooks(leaves: readonly Leaf[], { hooks }: ConditionWorld): string | undefined {
  const phases = leaves.flatMap(({ subject, given }) => (subject === "phase" ? [given] : []));
  const named = leaves.flatMap(({ subject, given }) => (subject === "method" ? [listOf(given)] : []));
  const implied = leaves.flatMap((leaf) => (leaf.subject === "tool" || wantsValue(leaf) ? [METHODS_OF.get(leaf.subject) ?? ["*"]] : []));
  const wanted = [...named, ...implied];
  const meets = (event: string) => wanted.every((patterns) => patterns.some((pattern) => matchesPattern(pattern, event)));
  // Of a pattern each event may come, unless the condition itself names a few.
  const few = wanted.find((patterns) => patterns.every(isEvent));
  const mayCome = (pattern: string) => (isEvent(pattern) ? meets(pattern) : few === undefined || few.some((event) => matchesPattern(pattern, event) && meets(event)));
  const possible = hooks.some(({ phase, events }) => phases.every((asked) => asked === phase) && events.some(mayCome));
  return possible ? undefined : "the condition asks for no message that it hooks";
}

/** Whether a test beside it fails where there is no such value. */
function wantsValue({ subject, condition }: Leaf): boolean {
  return !CHOICES.has(subject) && testsIn(condition).some((name) => name !== "exists" || ownMember(condition, name) === true);
}

function testsIn(condition: JsonObject): string[] {
  return Object.keys(condition).filter((name) => TESTS.includes(name));
}

// The condition has been compiled, so these are texts.
function listOf(given: unknown): readonly string[] {
  return (Array.isArray(given) ? given : [given]).map(String);
}
