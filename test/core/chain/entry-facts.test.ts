import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_LIMITS } from "../../../src/core/base/limits.ts";
import { createChain } from "../../../src/core/chain/chain.ts";
import { entryFact } from "../../../src/core/chain/entry-facts.ts";
import { validator } from "../../../src/core/interceptor/define.ts";
import { fakeHost } from "../../support/fake-host.ts";

const look = (name: string) => validator({ name, hooks: [{ events: ["tools/call"], phase: "request" }] }, () => true);

/** How many entries hook anything, and how often that has been worked out. */
function counted() {
  let computed = 0;
  const fact = entryFact((entries, event) => {
    computed++;
    return `${entries.length} ${event}`;
  });
  return { fact, computed: () => computed };
}

test("an answer about entries is worked out once for each event, also where it is undefined", () => {
  const { fact, computed } = counted();
  const { entries } = createChain({ host: fakeHost() });
  for (let again = 0; again < 3; again++) assert.deepEqual([fact(entries), fact(entries, "a"), fact(entries, "b")], ["0 ", "0 a", "0 b"]);
  assert.equal(computed(), 3);

  let asked = 0;
  const nothing = entryFact(() => void asked++);
  assert.deepEqual([nothing(entries), nothing(entries), asked], [undefined, undefined, 1]);
});

test("a chain that has changed is asked about anew, and the one before keeps its answer", () => {
  const { fact } = counted();
  const chain = createChain({ host: fakeHost() });
  const before = chain.entries;
  assert.equal(fact(before), "0 ");
  chain.add([look("a"), look("b")]);
  assert.equal(fact(chain.entries), "2 ");
  assert.equal(fact(before), "0 ");
});

test("the answers that are kept are bounded, whatever events peers name", () => {
  const { fact, computed } = counted();
  const { entries } = createChain({ host: fakeHost() });
  for (let at = 0; at < DEFAULT_LIMITS.maxPlans; at++) fact(entries, `x/${at}`);
  assert.equal(fact(entries, "x/0"), "0 x/0");
  assert.equal(computed(), DEFAULT_LIMITS.maxPlans);
  fact(entries, "one more");
  fact(entries, "x/0");
  assert.equal(computed(), DEFAULT_LIMITS.maxPlans + 2, "all were dropped");
});
