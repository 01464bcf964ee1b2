import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { descriptorProblem, readDescriptor, writeDescriptor } from "../../../src/core/wire/descriptors.ts";
import { hooksMatch } from "../../../src/core/wire/patterns.ts";
import { blocks, readResult } from "../../../src/core/wire/results.ts";
import { seededRandom, type Random } from "../../support/random.ts";

const SEED = 20260729;

/** Members, each there half of the time. */
function some(random: Random, members: Readonly<Record<string, readonly unknown[]>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(() => random.next() < 0.5).map(([name, values]) => [name, random.pick(values)]));
}

const VERDICT = {
  valid: [true, false, false],
  severity: ["error", "warn", "info", "fatal"],
  messages: [[], [{ message: "m", severity: "warn" }], [{ message: "m", severity: "error" }]],
};

/** Whether a reader that knows one of the two forms alone would stop the message. */
function stopsAlone({ valid, severity, messages }: { valid?: unknown; severity?: unknown; messages?: { severity: string }[] }): boolean {
  if (valid !== false) return false;
  if (severity !== undefined) return severity !== "warn" && severity !== "info";
  return messages === undefined || messages.length === 0 || messages.some((message) => message.severity === "error");
}

test("no answer passes here that a reader of its flat or of its nested form alone would stop", () => {
  const random = seededRandom(SEED);
  let [passed, stopped, malformed] = [0, 0, 0];
  for (let round = 0; round < 4000; round++) {
    const nested = some(random, VERDICT);
    const answer: JsonObject = { ...some(random, VERDICT), ...(random.next() < 0.7 && { validation: nested }) };
    let blocked: boolean;
    try {
      blocked = blocks(readResult(answer, { name: "a", type: "validation", phase: "request", durationMs: 1 }));
    } catch {
      malformed++;
      continue;
    }
    const alone = [answer, answer["validation"] ?? {}].some((form) => stopsAlone(form as JsonObject));
    if (alone) assert.ok(blocked, `seed ${SEED}, round ${round}: ${JSON.stringify(answer)}`);
    if (blocked) stopped++;
    else passed++;
  }
  assert.ok(passed > 100 && stopped > 100 && malformed > 100, `${passed} passed, ${stopped} stopped, ${malformed} malformed`);
});

test("whatever spelling a descriptor comes in, what is read is canonical, reads as itself, and matches each event in the phases that were named", () => {
  const random = seededRandom(SEED);
  const EVENTS = ["tools/call", "tools/list", "acme/x"];
  const patterns = ["tools/call", "tools/*", "*", "*/request", "*/response", "acme/x", "x*", 5];
  const hook = () => ({ events: Array.from({ length: random.below(4) }, () => random.pick(patterns.slice(0, random.next() < 0.9 ? 6 : 8))), phase: random.pick(["request", "response", "both"]) });
  let read = 0;
  for (let round = 0; round < 4000; round++) {
    const spelt = random.pick<JsonObject>([{ hooks: Array.from({ length: random.below(3) }, hook) }, { hook: hook() }, hook()]);
    const listed: JsonObject = { name: "a", type: "validation", ...spelt, ...some(random, { mode: ["enforce", "", "audit", "active", null] }) };
    const which = `seed ${SEED}, round ${round}: ${JSON.stringify(listed)}`;
    const { value } = readDescriptor(listed);
    if (value === undefined) continue;
    read++;
    assert.equal(descriptorProblem(value), undefined, which);
    assert.equal(readDescriptor(value).value, value, which);
    assert.equal(value.mode === "audit", listed["mode"] === "audit", which);
    const hooks = (listed["hooks"] ?? [listed["hook"] ?? listed]) as { events: string[]; phase: string }[];
    for (const phase of ["request", "response"] as const) {
      for (const event of EVENTS) {
        const named = hooks.some(({ events, phase: of }) => events.some((pattern) => pattern === `*/${phase}` || ((of === phase || of === "both") && matches(pattern, event))));
        assert.equal(hooksMatch(value.hooks, event, phase), named, `${which}, ${event} ${phase}`);
      }
    }
    const written = { ...value, hooks: value.hooks.map((one) => ({ ...one })) };
    assert.equal(readDescriptor(writeDescriptor(written as never)).refused, undefined, which);
  }
  assert.ok(read > 1000, `${read} were read`);
});

function matches(pattern: string, event: string): boolean {
  return pattern === "*" || pattern === event || (pattern === "tools/*" && event.startsWith("tools/"));
}
