import assert from "node:assert/strict";
import { test } from "node:test";
import { createEntry, type ChainEntry } from "../../../src/core/chain/entry.ts";
import { createPlanCache } from "../../../src/core/chain/plan-cache.ts";
import type { Hook } from "../../../src/core/wire/gen/interceptors.ts";

/** An entry that counts each reading of the events of one of its hooks. */
function counted(name: string, hooks: readonly Hook[], read: (phase: string) => void): ChainEntry {
  const source = { label: "s", remote: true, list: async () => [], invoke: () => undefined };
  const entry = createEntry(source, { name, type: "validation", hooks: [...hooks] }, { overrides: undefined, config: undefined, maxDepth: 64, log: undefined });
  const watched = hooks.map(({ phase, events }) => ({
    phase,
    get events() {
      read(phase);
      return events;
    },
  }));
  return { ...entry, policy: { ...entry.policy, hooks: watched } };
}

test("planning an event among 10,000 entries looks at each pattern once, and planning it again at none", () => {
  let reads = 0;
  const entries = Array.from({ length: 10_000 }, (_, at) =>
    counted(`i${at}`, [{ events: [`acme/${at}`], phase: "request" }, { events: ["tools/*"], phase: "response" }], () => reads++),
  );
  const cache = createPlanCache(entries, 100);
  const query = { event: "acme/7", phase: "request", direction: "receiving" } as const;
  assert.deepEqual(cache.plan(query).steps.flatMap((step) => step.entries.map(({ entry }) => entry.name)), ["i7"]);
  assert.equal(reads, 20_000, "one for each hook");
  reads = 0;
  for (const again of [query, { ...query, phase: "response" }, { ...query, direction: "sending" }, { ...query, version: "2025-11-25" }] as const) cache.plan(again);
  cache.matches("acme/7");
  assert.equal(reads, 0);
});
