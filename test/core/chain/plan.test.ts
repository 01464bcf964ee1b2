import assert from "node:assert/strict";
import { test } from "node:test";
import { createEntry, type ChainEntry } from "../../../src/core/chain/entry.ts";
import { matchEntries, planSteps, resolveDirection, type PlanQuery } from "../../../src/core/chain/plan.ts";
import { createPlanCache } from "../../../src/core/chain/plan-cache.ts";
import type { Overrides } from "../../../src/core/interceptor/policy.ts";
import type { InterceptorDescriptor } from "../../../src/core/wire/gen/interceptors.ts";
import { remoteSource } from "./kit.ts";

const source = remoteSource("s", [], () => assert.fail("a plan calls nobody"));
const BOTH: InterceptorDescriptor["hooks"] = [{ events: ["*"], phase: "request" }, { events: ["*"], phase: "response" }];

function entry(name: string, type: "validation" | "mutation", members: Partial<InterceptorDescriptor> = {}, overrides?: Overrides): ChainEntry {
  return createEntry(source, { name, type, hooks: BOTH, ...members }, { overrides, config: undefined, maxDepth: 64, log: undefined });
}

function shape(entries: readonly ChainEntry[], query: Partial<PlanQuery> = {}): string[] {
  const full: PlanQuery = { event: "tools/call", phase: "request", direction: "receiving", ...query };
  const { steps } = planSteps(matchEntries(entries, full.event)[full.phase], full);
  return steps.map(({ type, entries }) => `${type}: ${entries.map(({ entry }) => entry.name).join(" ")}`);
}

test("validation comes first when receiving and last when sending, in both phases", () => {
  const entries = [entry("m", "mutation"), entry("v", "validation")];
  for (const phase of ["request", "response"] as const) {
    assert.deepEqual(shape(entries, { phase, direction: "receiving" }), ["validation: v", "mutation: m"]);
    assert.deepEqual(shape(entries, { phase, direction: "sending" }), ["mutation: m", "validation: v"]);
  }
});

test("the direction follows from the event where only clients ask for it", () => {
  assert.equal(resolveDirection("tools/call", "request", undefined), "receiving");
  assert.equal(resolveDirection("tools/call", "response", undefined), "sending");
  assert.equal(resolveDirection("tools/call", "response", "receiving"), "receiving");
  for (const event of ["sampling/createMessage", "elicitation/create", "roots/list", "llm/completion", "custom/op"]) {
    assert.throws(() => resolveDirection(event, "request", undefined), { code: "invalid_argument", message: /both ways/ }, event);
    assert.equal(resolveDirection(event, "request", "sending"), "sending");
  }
});

test("what is no event, phase or direction is refused", () => {
  for (const args of [["", "request"], ["*", "request"], ["tools/*", "request"], ["tools/call", "both"], ["tools/call", "request", "up"]]) {
    assert.throws(() => resolveDirection(...(args as unknown as Parameters<typeof resolveDirection>)), { code: "invalid_argument" }, args.join());
  }
});

test("mutators order by the priority of the phase, then by code point, then by the order of the servers", () => {
  const entries = [
    entry("b", "mutation"),
    entry("ä", "mutation"),
    entry("Z", "mutation"),
    entry("\u{1F600}", "mutation"),
    entry("\uFFFD", "mutation"),
    entry("a", "mutation"),
    entry("late", "mutation", { priorityHint: { request: 100, response: -100 } }),
    entry("early", "mutation", { priorityHint: -5 }),
    entry("pushed", "mutation", { priorityHint: -999 }, { priorityHint: 50 }),
  ];
  assert.deepEqual(shape(entries), ["mutation: early Z a b ä \uFFFD \u{1F600} pushed late"]);
  assert.deepEqual(shape(entries, { phase: "response" }), ["mutation: late early Z a b ä \uFFFD \u{1F600} pushed"]);
  const settings = { overrides: undefined, config: undefined, maxDepth: 64, log: undefined };
  const other = createEntry({ ...source, label: "first" }, { name: "a", type: "mutation", hooks: BOTH }, settings);
  const plan = planSteps([other, entry("a", "mutation")], { phase: "request", direction: "sending" });
  assert.deepEqual(plan.steps[0]?.entries.map(({ entry }) => entry.address), ["first/a", "s/a"]);
});

test("validators stay in the order of entries, whatever their priority", () => {
  const entries = [entry("z", "validation", { priorityHint: 5 }), entry("a", "validation", { priorityHint: -5 }), entry("m", "validation")];
  assert.deepEqual(shape(entries), ["validation: z a m"]);
});

test("an entry runs where one of its hooks, as narrowed, has phase and event", () => {
  const hooks: InterceptorDescriptor["hooks"] = [{ events: ["tools/*", "prompts/get"], phase: "request" }, { events: ["prompts/get"], phase: "response" }];
  const wide = entry("wide", "validation", { hooks });
  const narrow = entry("narrow", "validation", { hooks }, { hooks: [{ events: ["tools/call"], phase: "request" }] });
  const table: [string, "request" | "response", string[]][] = [
    ["tools/call", "request", ["validation: wide narrow"]],
    ["tools/list", "request", ["validation: wide"]],
    ["tools/call", "response", []],
    ["prompts/get", "response", ["validation: wide"]],
    ["resources/read", "request", []],
  ];
  for (const [event, phase, expected] of table) assert.deepEqual(shape([wide, narrow], { event, phase }), expected, `${event} ${phase}`);
});

test("only entries that handle errors run on an error", () => {
  const handles = entry("e", "mutation", { _meta: { "org.mcp-interceptors/handlesErrors": true } });
  assert.deepEqual(shape([entry("m", "mutation"), handles], { phase: "response", error: true }), ["mutation: e"]);
  assert.deepEqual(shape([entry("m", "mutation"), handles], { phase: "response" }), ["mutation: e m"]);
});

test("compat is held against the version of the message", () => {
  const compat = { minProtocol: "2025-03-26", maxProtocol: "2025-11-25" };
  const limited = entry("v", "validation", { compat });
  const incompatible = (version: string | undefined) =>
    planSteps([limited], { phase: "request", direction: "receiving", version }).steps[0]?.entries[0]?.incompatible;
  for (const version of ["2025-03-26", "2025-06-18", "2025-11-25", undefined]) assert.equal(incompatible(version), undefined, version);
  for (const version of ["2024-11-05", "2026-07-28"]) assert.equal(typeof incompatible(version), "string", version);
});

test("plans are made once for each question, and bounded however many events there are", () => {
  const cache = createPlanCache([entry("v", "validation")], 10);
  const query = { event: "tools/call", phase: "request", direction: "receiving" } as const;
  const plan = cache.plan(query);
  assert.equal(cache.plan({ ...query }), plan);
  const others = [{ direction: "sending" }, { phase: "response" }, { version: "2025-06-18" }, { error: true, phase: "response" }] as const;
  assert.equal(new Set([plan, ...others.map((other) => cache.plan({ ...query, ...other }))]).size, 5);
  assert.equal(cache.plan(query), plan);
  for (let index = 0; index < 10; index++) cache.matches(`flood/${index}`);
  assert.notEqual(cache.plan(query), plan);
});
