import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import type { ConditionInput } from "../../../src/core/interceptor/policy.ts";
import { matchesPattern } from "../../../src/core/wire/patterns.ts";
import { compileCondition } from "../../../src/gateway/config/condition.ts";
import { whyNever, type ConditionWorld } from "../../../src/gateway/config/condition-never.ts";
import { collectProblems } from "../../../src/gateway/config/problems.ts";
import { createToolHints } from "../../../src/gateway/config/tool-hints.ts";
import { seededRandom, type Random } from "../../support/random.ts";

const SEED = 20261201;
const ANYWHERE: ConditionWorld = { signsIn: true, tools: undefined, hooks: [{ events: ["*"], phase: "request" }, { events: ["*"], phase: "response" }] };
const CALLS: ConditionWorld = { ...ANYWHERE, hooks: [{ events: ["tools/call"], phase: "request" }] };
const why = (condition: unknown, world: Partial<ConditionWorld> = {}) => whyNever(condition, { ...ANYWHERE, ...world });
const path = (tests: object) => ({ argument: "/path", ...tests });

describe("a condition that can never hold", () => {
  const tools = ["read", "write"];
  const table: Readonly<Record<string, readonly (readonly [condition: unknown, world?: Partial<ConditionWorld>])[]>> = {
    "a tool that the upstream has not": [
      [{ tool: "rm" }, { tools }], [{ tool: ["rm", "del*"] }, { tools }], [{ all: [{ phase: "request" }, { all: [{ tool: "rm" }] }] }, { tools }],
      [{ any: [{ tool: "rm" }, { tool: "delete" }] }, { tools }], [{ tool: "read" }, { tools: [] }],
    ],
    "a caller where nobody signs in": [
      [{ claim: "role", equals: "admin" }, { signsIn: false }], [{ claim: "/a/b", exists: true }, { signsIn: false }], [{ principal: "id", prefix: "a" }, { signsIn: false }],
      [{ all: [{ tool: "x" }, { any: [{ claim: "a", in: [1] }, { principal: "type", equals: "user" }] }] }, { signsIn: false }],
    ],
    "two things of one value": [
      [{ all: [path({ equals: 1 }), path({ equals: 2 })] }], [{ all: [path({ equals: { a: [1] } }), { all: [path({ equals: { a: [2] } })] }] }],
      [path({ equals: "a", in: ["b", "c"] })], [{ all: [path({ in: [1, 2] }), path({ in: [3] })] }], [path({ in: [] })], [path({ equals: "a", prefix: "b" })],
      [{ all: [path({ in: ["ax", "bx"] }), path({ suffix: "y" })] }], [path({ exists: false, equals: 1 })], [{ all: [path({ exists: true }), path({ exists: false })] }],
      [path({ atLeast: 3, atMost: 2 })], [{ all: [path({ equals: 5 }), path({ atMost: 4 })] }], [{ all: [path({ prefix: "/a/" }), path({ prefix: "/b/" })] }],
      [{ all: [path({ suffix: ".ts" }), path({ suffix: ".js" })] }], [{ all: [{ claim: "role", equals: "a" }, { claim: "role", equals: "b" }] }],
    ],
    "two choices at once": [
      [{ all: [{ phase: "request" }, { phase: "response" }] }], [{ all: [{ tool: "a" }, { tool: "b" }] }], [{ all: [{ tool: ["a", "b"] }, { tool: "c*" }] }],
      [{ all: [{ method: "tools/list" }, { method: "prompts/*" }] }], [{ all: [{ method: ["tools/list", "ping"] }, { tool: "a" }] }],
      [{ all: [{ method: "resources/read" }, path({ exists: true })] }], [{ all: [{ method: "prompts/get" }, { annotation: "readOnlyHint", equals: true }] }],
    ],
    "messages that are not hooked": [
      [{ phase: "response" }, CALLS], [{ method: "prompts/*" }, CALLS], [{ any: [{ method: "ping" }, { phase: "response" }] }, CALLS],
      [{ tool: "a" }, { hooks: [{ events: ["prompts/*", "ping"], phase: "request" }] }],
    ],
  };
  for (const [what, conditions] of Object.entries(table)) {
    it(`asks for ${what}`, () => {
      for (const [condition, world] of conditions) assert.ok(why(condition, world) !== undefined, JSON.stringify(condition));
    });
  }

  it("is told from one that may, with whatever is not certain", () => {
    const may: readonly (readonly [condition: unknown, world?: Partial<ConditionWorld>])[] = [
      [{ tool: "rm" }], [{ tool: "re*" }, { tools }], [{ not: { tool: "rm" } }, { tools }], [{ any: [{ tool: "rm" }, { phase: "request" }] }, { tools }],
      [{ claim: "role", exists: false }, { signsIn: false }], [{ not: { claim: "role", equals: "a" } }, { signsIn: false }], [{ claim: "role", equals: "a" }],
      [{ any: [{ claim: "role", equals: "a" }, { principal: "id", exists: false }] }, { signsIn: false }],
      [{ all: [path({ equals: 1 }), { argument: "/other", equals: 2 }] }], [{ any: [path({ equals: 1 }), path({ equals: 2 })] }], [{ all: [path({ equals: 1 }), { payload: "/path", equals: 2 }] }],
      [{ all: [path({ in: [1, 2] }), path({ in: [2, 3] })] }], [path({ equals: 2, atLeast: 2, atMost: 2 })], [{ all: [path({ prefix: "/a" }), path({ prefix: "/a/b" }), path({ suffix: "b" })] }],
      [path({ equals: { a: 1, b: 2 }, in: [{ b: 2, a: 1 }] })], [{ all: [path({ hasItem: 1 }), path({ hasItem: 2 })] }], [path({ exists: true, contains: "x" })],
      [{ all: [{ tool: ["a", "b"] }, { tool: "b*" }] }], [{ all: [{ tool: "a*" }, { tool: "b*" }] }],
      [{ all: [{ method: ["tools/list", "tools/call"] }, { tool: "a" }] }], [{ all: [{ method: "prompts/get" }, path({ exists: true })] }], [{ all: [{ method: "ping" }, path({ exists: false })] }],
      [{ method: "tools/*" }, CALLS], [{ method: "acme/x" }, { hooks: [{ events: ["acme/*"], phase: "request" }] }],
    ];
    for (const [condition, world] of may) assert.equal(why(condition, world), undefined, JSON.stringify(condition));
  });
});

const VALUES = [1, 2, 3, "a", "ab", "ba", null, true, [1], { a: 1 }];
const EVENTS = ["tools/call", "tools/list", "prompts/get", "ping", "acme/x"];
const TOOLS = ["a", "ab", "b"];
const PATTERNS = [...EVENTS, "tools/*", "*"];
const NAMES = [...TOOLS, "a*", "c"];
const some = <T>(random: Random, from: readonly T[]): T[] => Array.from({ length: 1 + random.below(2) }, () => random.pick(from));

function randomTests(random: Random): JsonObject {
  const makers: readonly (() => JsonObject)[] = [
    () => ({ equals: random.pick(VALUES) }), () => ({ in: some(random, VALUES) }), () => ({ exists: random.below(2) === 0 }), () => ({ prefix: random.pick(["a", "b"]) }),
    () => ({ suffix: random.pick(["a", "b"]) }), () => ({ contains: "a" }), () => ({ atLeast: random.below(4) }), () => ({ atMost: random.below(4) }), () => ({ hasItem: 1 }),
  ];
  return Object.assign({}, ...Array.from({ length: 1 + random.below(2) }, () => random.pick(makers)())) as JsonObject;
}

function randomCondition(random: Random, depth = 0): JsonObject {
  const leaves: readonly (() => JsonObject)[] = [
    () => ({ method: some(random, PATTERNS) }), () => ({ phase: random.pick(["request", "response"]) }), () => ({ tool: some(random, NAMES) }),
    () => ({ argument: random.pick(["/p", "/q"]), ...randomTests(random) }), () => ({ payload: "/x", ...randomTests(random) }), () => ({ claim: "c", ...randomTests(random) }),
    () => ({ principal: random.pick(["id", "type"]), ...randomTests(random) }), () => ({ annotation: "readOnlyHint", ...randomTests(random) }),
  ];
  const kind = depth < 3 ? random.below(7) : 6;
  const parts = () => Array.from({ length: 1 + random.below(3) }, () => randomCondition(random, depth + 1));
  return kind < 3 ? { all: parts() } : kind === 3 ? { any: parts() } : kind === 4 ? { not: randomCondition(random, depth + 1) } : random.pick(leaves)();
}

function randomInput(random: Random, { signsIn, tools, hooks }: ConditionWorld): ConditionInput | undefined {
  const event = random.pick(EVENTS);
  const phase = random.pick(["request", "response"] as const);
  if (!hooks.some((hook) => hook.phase === phase && hook.events.some((pattern) => matchesPattern(pattern, event)))) return undefined;
  const member = (name: string) => (random.below(4) === 0 ? {} : { [name]: random.pick(VALUES) });
  const request = { name: random.pick(tools ?? NAMES), arguments: { ...member("p"), ...member("q") }, ...member("x") };
  const principal = signsIn && random.below(3) > 0 ? { type: "user", id: random.pick(["a", "ab"]), claims: { ...member("c") } } : undefined;
  const payload = phase === "request" ? request : { ...member("x") };
  return { event, phase, name: "n", payload, context: { ...(principal === undefined ? {} : { principal }), ...(phase === "request" ? {} : { request: { method: event, params: request } }) } } as ConditionInput;
}

it("what is said never to hold holds for no message, whatever the condition", () => {
  let never = 0;
  let held = 0;
  for (let round = 0; round < 3_000; round++) {
    const random = seededRandom(SEED + round);
    const world: ConditionWorld = {
      signsIn: random.below(2) === 0,
      tools: random.below(2) === 0 ? undefined : random.below(4) === 0 ? ["d"] : TOOLS,
      hooks: random.below(2) === 0 ? ANYWHERE.hooks : [{ events: some(random, PATTERNS), phase: random.pick(["request", "response"] as const) }],
    };
    const condition = randomCondition(random);
    const problems = collectProblems("f", () => undefined);
    const { holds } = compileCondition(condition, { problems, pointer: "" });
    const reason = whyNever(condition, world);
    if (reason !== undefined) never++;
    const hints = createToolHints();
    hints.learn({ tools: TOOLS.map((name, index) => ({ name, annotations: { readOnlyHint: index % 2 === 0 } })) });
    for (let turn = 0; turn < 60; turn++) {
      const input = randomInput(random, world);
      if (input === undefined) continue;
      let truth = false;
      try {
        truth = holds(input, hints);
      } catch {
        // It cannot be judged.
      }
      if (truth) held++;
      assert.ok(!(truth && reason !== undefined), `seed ${SEED + round}: ${JSON.stringify(condition)} holds for ${JSON.stringify(input)}, though ${reason}`);
    }
  }
  assert.ok(never > 500 && held > 5_000, `${never} never, ${held} held`);
});
