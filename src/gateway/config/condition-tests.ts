import { equalJson, ownMember, type JsonObject } from "../../core/base/json.ts";
import { cannotJudge, type Truth } from "./truth.ts";

type Test = (value: unknown) => Truth;

// Each makes a test of what stands beside it, or says why that will not do. A test sees values that are there; `exists` alone sees others.
const MAKERS: ReadonlyMap<string, (expected: unknown) => Test | string> = new Map<string, (expected: unknown) => Test | string>([
  ["exists", (expected) => (typeof expected === "boolean" ? (value) => (value !== undefined) === expected : "must be true or false")],
  ["equals", (expected) => (value) => equalJson(value, expected)],
  ["in", (expected) => (Array.isArray(expected) ? (value) => expected.some((item) => equalJson(value, item)) : "must be a list of values")],
  ["prefix", ofText((value, text) => value.startsWith(text))],
  ["suffix", ofText((value, text) => value.endsWith(text))],
  ["contains", ofText((value, text) => value.includes(text))],
  ["hasItem", (expected) => (value) => (Array.isArray(value) ? value.some((item) => equalJson(item, expected)) : cannotJudge("the value is no list"))],
  ["atLeast", ofNumber((value, bound) => value >= bound)],
  ["atMost", ofNumber((value, bound) => value <= bound)],
]);

/** The names of the tests. */
export const TESTS: readonly string[] = [...MAKERS.keys()];

/**
 * The tests of a condition that are named; all must hold. A value that is not there passes none but `exists: false`. One that a test cannot judge
 * (a number where `prefix` looks for a text) is neither a yes nor a no: whoever sends something else must not get past by it.
 */
export function compileTests(condition: JsonObject, names: readonly string[], refuse: (name: string, message: string) => void): Test {
  const tests = names.flatMap((name) => {
    const test = MAKERS.get(name)?.(ownMember(condition, name));
    if (typeof test === "string") refuse(name, test);
    return typeof test === "function" ? [{ name, test }] : [];
  });
  return (value) => {
    let unknown: Truth | undefined;
    for (const { name, test } of tests) {
      const truth = value === undefined && name !== "exists" ? false : test(value);
      if (truth === false) return false;
      if (truth !== true) unknown ??= truth;
    }
    return unknown ?? true;
  };
}

function ofText(holds: (value: string, text: string) => boolean): (expected: unknown) => Test | string {
  return (expected) => {
    if (typeof expected !== "string" || expected === "") return "must be a text that is not empty";
    return (value) => (typeof value === "string" ? holds(value, expected) : cannotJudge("the value is no text"));
  };
}

function ofNumber(holds: (value: number, bound: number) => boolean): (expected: unknown) => Test | string {
  return (expected) => {
    if (typeof expected !== "number") return "must be a number";
    return (value) => (typeof value === "number" ? holds(value, expected) : cannotJudge("the value is no number"));
  };
}
