// What the guard's owner hands in besides a chain: `record` and `context`. A promise of theirs may be none.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { GuardOptions } from "../../../src/core/guard/options.ts";
import { validator } from "../../../src/core/interceptor/define.ts";
import { call, guardedPair } from "../../support/guarded-pair.ts";

const looks = validator({ name: "v", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => true);
const spring = (): never => assert.fail("trap");

test("a record or a context that is no proper promise fails or counts, and leaves no timer", async () => {
  const rows: [string, Partial<Omit<GuardOptions, "chain">>, "passes" | "blocked"][] = [
    ["a record that gives nothing", { record: () => undefined as never }, "passes"],
    ["a record whose then throws", { record: () => ({ then: spring }) as never }, "blocked"],
    ["a record whose then calls both", { record: () => ({ then: (yes: () => void, no: () => void) => (yes(), no()) }) as never }, "passes"],
    ["a context whose then throws", { context: () => ({ then: spring }) as never }, "blocked"],
    ["a context whose then calls both", { context: () => ({ then: (yes: (given: object) => void, no: () => void) => (yes({}), no()) }) as never }, "passes"],
  ];
  for (const [what, options, expected] of rows) {
    const pair = guardedPair([looks], options);
    await pair.fromPeer(call(1));
    assert.deepEqual([pair.atApp.length, pair.atPeer.length], expected === "passes" ? [1, 0] : [0, 1], what);
    assert.equal(pair.host.liveTimers, 0, what);
  }
});
