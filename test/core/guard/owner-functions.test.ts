// What the guard's owner hands in besides a chain: `record` and `context`. A promise of theirs may be none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createChain } from "../../../src/core/chain/chain.ts";
import type { ChainLog } from "../../../src/core/chain/report.ts";
import { guardTransport } from "../../../src/core/guard/guard.ts";
import type { GuardOptions } from "../../../src/core/guard/options.ts";
import { validator } from "../../../src/core/interceptor/define.ts";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
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

test("what a handler throws is told to the chain's log with the error itself, and to no event, decision, line of the guard or peer", async () => {
  const host = fakeHost();
  const why = new Error("no such key 4711");
  const faults = { sync: () => { throw why; }, async: () => Promise.reject(why) };
  for (const [name, fault] of Object.entries(faults)) {
    const told: ChainLog[] = [];
    const shown: unknown[] = [];
    const keep = (what: unknown) => void shown.push(what);
    const chain = createChain({ host, log: (entry) => void told.push(entry), observe: keep });
    chain.add(validator({ name, hooks: [{ events: ["tools/call"], phase: "request" }] }, fault));
    const [inner, peer] = memoryPair();
    const guarded = guardTransport(inner, { role: "server", chain, host, record: keep, observe: keep, log: keep });
    const pulled = guarded.receive();
    await peer.send({ message: call(1) });
    keep((await peer.receive())?.frame.message);
    await settle();
    assert.deepEqual(told.map(({ address, reason, message, thrown }) => [address, reason, message, thrown]), [[`local/${name}`, "crashed", "validation failed: no such key 4711", why]]);
    assert.match(JSON.stringify(shown), /crashed/);
    assert.doesNotMatch(JSON.stringify(shown), /4711/);
    const result = await chain.execute({ event: "tools/call", phase: "request", payload: { name: "x" } });
    assert.equal(result.results[0]?.error?.message, "no such key 4711");
    await guarded.close();
    assert.equal(await pulled, undefined);
  }
});
