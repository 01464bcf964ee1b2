// Conditions of the gateway's configuration, against an evaluator of our own with three answers: yes, no, and that cannot be told.
import { compileCondition } from "../../../src/gateway/config/condition.ts";
import { collectProblems, ConfigError } from "../../../src/gateway/config/problems.ts";
import { LocalError } from "../../../src/core/base/errors.ts";
import type { ConditionInput } from "../../../src/core/interceptor/policy.ts";
import { isDeepStrictEqual } from "node:util";
import { randomJson } from "../../support/random-json.ts";
import type { Random } from "../../support/random.ts";
import type { Part } from "./part.ts";

type Json = Readonly<Record<string, unknown>>;

const VALUES = ["a", "ab", "/etc/passwd", "", 0, 3, -1, true, null, ["a", "admins"], [], { a: 1 }];
const POINTERS = ["/a", "/path", "/list/0", "/list/00", "/a/b", "/~1x", "/__proto__", "/constructor/name", "", "/toString"];
const HINTS: Readonly<Record<string, Json>> = { search: { readOnlyHint: true, title: "S" }, delete_all: { destructiveHint: true } };

function drawCondition(random: Random, depth: number): unknown {
  if (random.below(120) === 0) return randomJson(random, 1);
  if (depth > 0 && random.below(3) > 0) {
    const subject = random.pick(["all", "any", "not", "all", "any"]);
    const inner = () => drawCondition(random, depth - 1);
    return { [subject]: subject === "not" ? inner() : Array.from({ length: random.below(50) === 0 ? 0 : 1 + random.below(3) }, inner) };
  }
  const texts = (some: readonly string[]) => (random.below(3) === 0 ? [random.pick(some), random.pick(some)] : random.pick(some));
  const chosen = random.below(4);
  if (chosen === 0) return { method: texts(["tools/call", "tools/*", "*", "prompts/get", "tools/list"]) };
  if (chosen === 1 && random.below(2) === 0) return { phase: random.pick(["request", "response"]) };
  if (chosen === 1) return { tool: texts(["search", "delete_*", "*", "s"]) };
  const subject = random.pick<Json>([{ argument: random.pick(POINTERS) }, { payload: random.pick(["/name", "/arguments/a", ...POINTERS]) }, { claim: random.pick(["groups", "role", "__proto__", "/groups/0", "a/b"]) }, { principal: random.pick(["id", "type"]) }, { annotation: random.pick(["readOnlyHint", "destructiveHint", "title"]) }]);
  const tests: Record<string, unknown> = {};
  for (let left = 1 + random.below(2); left > 0; left--) {
    const test = random.pick(["exists", "equals", "in", "prefix", "suffix", "contains", "hasItem", "atLeast", "atMost"]);
    const text = random.pick(["a", "/etc", "b", "passwd"]);
    tests[test] = test === "exists" ? random.below(2) === 0 : test === "in" ? [random.pick(VALUES), random.pick(VALUES)] : test === "equals" || test === "hasItem" ? random.pick(VALUES) : test.startsWith("at") ? random.below(4) : text;
  }
  return { ...subject, ...tests };
}

const WRONG: readonly Json[] = [{ tools: "x" }, { all: [] }, { all: {} }, { not: [] }, { phase: "both" }, { method: "a*b" }, { method: [] }, { tool: "" }, { tool: "*x" }, { argument: "a" }, { argument: "/a" }, { argument: "/a", exists: 1 }, { payload: "/~2", exists: true }, { claim: "", exists: true }, { principal: "name", exists: true }, { argument: "/a", prefix: "" }, { argument: "/a", in: 1 }, { argument: "/a", atLeast: "1" }, { tool: "a", method: "b" }, { tool: "a", equals: 1 }, {}];

/** Puts something wrong somewhere in a condition; gives it and its pointer. */
function spoil(random: Random, condition: unknown): { readonly condition: unknown; readonly pointer: string } {
  const at = condition as Json;
  for (const junction of ["all", "any"]) {
    if (!Array.isArray(at?.[junction]) || random.below(3) === 0) continue;
    const list: readonly unknown[] = at[junction];
    const index = random.below(list.length);
    if (list.length === 0) continue;
    const inner = spoil(random, list[index]);
    return { condition: { [junction]: list.with(index, inner.condition) }, pointer: `/${junction}/${index}${inner.pointer}` };
  }
  return { condition: random.pick(WRONG), pointer: "" };
}

// Unlike everything JSON has.
const UNTOLD = Symbol("cannot be told");
type Told = boolean | typeof UNTOLD;

function at(value: unknown, pointer: string): unknown {
  for (const step of pointer.split("/").slice(1).map((text) => text.replaceAll("~1", "/").replaceAll("~0", "~"))) {
    if (typeof value !== "object" || value === null || (Array.isArray(value) && !/^(?:0|[1-9][0-9]*)$/.test(step))) return undefined;
    value = Object.entries(value).find(([name]) => name === step)?.[1];
  }
  return value;
}

const kleene = (all: readonly Told[], decisive: boolean): Told => (all.includes(decisive) ? decisive : all.includes(UNTOLD) ? UNTOLD : !decisive);
const negated = (told: Told): Told => (told === UNTOLD ? told : !told);
const listed = (value: unknown) => (Array.isArray(value) ? value : [value]) as string[];

/** What a condition says of a message; it fits the schema. */
export function evaluate(condition: Json, { event, phase, payload, context }: ConditionInput): Told {
  const [subject = "", given] = Object.entries(condition).find(([name]) => ["all", "any", "not", "method", "phase", "tool", "argument", "payload", "claim", "principal", "annotation"].includes(name)) ?? [];
  const inner = (one: unknown) => evaluate(one as Json, { event, phase, payload, context, name: "x" });
  const request: unknown = phase === "request" ? payload : context.request?.method === event ? (context.request.params ?? {}) : UNTOLD;
  const of = (value: unknown, member: string) => (value === UNTOLD ? UNTOLD : Array.isArray(value) ? undefined : at(value, `/${member}`));
  const called = event !== "tools/call" ? undefined : of(request, "name");
  const tool = event !== "tools/call" || typeof called === "string" ? called : UNTOLD;
  switch (subject) {
    case "all":
      return kleene(listed(given).map(inner), false);
    case "any":
      return kleene(listed(given).map(inner), true);
    case "not":
      return negated(inner(given));
    case "method":
      return listed(given).some((pattern) => pattern === "*" || pattern === event || (pattern.endsWith("/*") && event.startsWith(pattern.slice(0, -1)) && event.length >= pattern.length));
    case "phase":
      return phase === given;
    case "tool":
      return tool === UNTOLD ? UNTOLD : listed(given).some((pattern) => typeof tool === "string" && (tool === pattern || (pattern.endsWith("*") && tool.startsWith(pattern.slice(0, -1)))));
  }
  const pointer = given as string;
  let value: unknown;
  if (subject === "argument") {
    value = event === "tools/call" || event === "prompts/get" ? of(request, "arguments") : undefined;
    if (value !== UNTOLD) value = at(value, pointer);
  } else if (subject === "payload") value = at(payload, pointer);
  else if (subject === "claim") value = at(context.principal?.claims, pointer.startsWith("/") ? pointer : `/${pointer.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  else if (subject === "principal") value = context.principal?.[pointer as "id"];
  else value = tool === UNTOLD ? UNTOLD : typeof tool === "string" ? hintOf(tool, pointer) : undefined;
  if (value === UNTOLD) return UNTOLD;
  return kleene(Object.entries(condition).filter(([name]) => name !== subject).map(([name, expected]) => passes(name, expected, value)), false);
}

function hintOf(tool: string, name: string): unknown {
  return HINTS[tool] === undefined ? UNTOLD : HINTS[tool][name];
}

function passes(test: string, expected: unknown, value: unknown): Told {
  if (test === "exists") return (value !== undefined) === expected;
  if (value === undefined) return false;
  const same = (left: unknown, right: unknown) => isDeepStrictEqual(left, right);
  if (test === "equals") return same(value, expected);
  if (test === "in") return listed(expected).some((one) => same(value, one));
  if (test === "hasItem") return Array.isArray(value) ? value.some((one) => same(one, expected)) : UNTOLD;
  if (test.startsWith("at")) return typeof value !== "number" ? UNTOLD : test === "atLeast" ? value >= (expected as number) : value <= (expected as number);
  if (typeof value !== "string") return UNTOLD;
  const place = value.indexOf(expected as string);
  return test === "prefix" ? place === 0 : test === "contains" ? place >= 0 : value.slice(-(expected as string).length) === expected;
}

function drawInput(random: Random): ConditionInput {
  const value = () => random.pick<unknown>([...VALUES, { b: "a" }]);
  const params = () => ({ name: random.pick<unknown>(["search", "delete_all", "s", 5, undefined]), arguments: random.below(4) === 0 ? value() : { a: value(), path: value(), list: ["ab", 1], "/x": value() }, path: value() });
  const event = random.pick(["tools/call", "tools/call", "tools/list", "prompts/get", "tools"]);
  const phase = random.pick(["request", "response"] as const);
  const request = random.below(3) === 0 ? undefined : { method: random.pick([event, "ping"]), params: params() };
  const principal = random.below(4) === 0 ? undefined : { type: "user", ...(random.below(2) === 0 && { id: "ann" }), claims: { groups: value(), role: value(), "a/b": 1 } };
  const plain = JSON.parse(JSON.stringify({ event, phase, payload: random.below(8) === 0 ? value() : params(), context: { ...(request && { request }), ...(principal && { principal }) } })) as Omit<ConditionInput, "name">;
  return freeze({ ...plain, name: "x" });
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

// As the gateway has them, whose own are read from lists; what it says of a tool that no list had is a thing apart, so such tools are not asked about.
const hints = { hint: (tool: string, name: string) => HINTS[tool]?.[name], learn: () => {}, informed: true };

export const conditionsPart: Part = {
  name: "conditions",
  cases: 1_000,
  least: { true: 150, false: 400, "cannot be told": 100, refused: 150, spoilt: 150 },
  run(random, count) {
    let condition = freeze(drawCondition(random, 3));
    let pointer: string | undefined;
    if (random.below(4) === 0) ({ condition, pointer } = spoil(random, condition));
    const told = JSON.stringify(condition);
    const problems = collectProblems("f", () => undefined);
    const compiled = compileCondition(condition, { problems, pointer: "/when" });
    if (problems.any) {
      count("refused");
      try {
        problems.throwIfAny();
      } catch (thrown) {
        if (!(thrown instanceof ConfigError)) throw thrown;
        if (thrown.problems.some((one) => !one.pointer.startsWith("/when") || one.message === "")) return `told without its place: ${thrown.message} of ${told}`;
        if (pointer === undefined) return undefined;
        count("spoilt");
        // What is wrong elsewhere may be told, too.
        return thrown.problems.some((one) => one.pointer.startsWith(`/when${pointer}`)) ? undefined : `${pointer} is not told: ${thrown.message} of ${told}`;
      }
    }
    if (pointer !== undefined) return `${pointer} is wrong, and is not told: ${told}`;
    for (let turn = 0; turn < 4; turn++) {
      const input = drawInput(random);
      const { name } = (input.phase === "request" ? input.payload : input.context.request?.params) as Json ?? {};
      if (told.includes("annotation") && typeof name === "string" && HINTS[name] === undefined) continue;
      const expected = evaluate(condition as Json, input);
      let found: Told;
      try {
        found = compiled.holds(input, hints);
      } catch (thrown) {
        if (!(thrown instanceof LocalError) || thrown.code !== "invalid_message") throw thrown;
        found = UNTOLD;
      }
      count(found === UNTOLD ? "cannot be told" : String(found));
      if (found !== expected) return `${String(found)}, not ${String(expected)}, for ${told} on ${JSON.stringify(input)}`;
    }
    return undefined;
  },
};
