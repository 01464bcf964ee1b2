import assert from "node:assert/strict";
import { test } from "node:test";
import { createChain, type Chain } from "../../../src/core/chain/chain.ts";
import type { ChainEntry } from "../../../src/core/chain/entry.ts";
import { mutator, validator, type Interceptor } from "../../../src/core/interceptor/define.ts";
import { call, guardedPair, notice, textResult } from "../../support/guarded-pair.ts";

const COUNT = 1_000;
const BOTH = ["request", "response"] as const;

/** A chain that tells of each look at one of its entries. */
function watched(chain: Chain, looked: () => void): Chain {
  const lists = new WeakMap<readonly ChainEntry[], readonly ChainEntry[]>();
  const list = (entries: readonly ChainEntry[]) => {
    const known =
      lists.get(entries) ??
      new Proxy(entries, {
        get(target, member, receiver) {
          if (typeof member === "string" && /^\d+$/.test(member)) looked();
          return Reflect.get(target, member, receiver) as unknown;
        },
      });
    lists.set(entries, known);
    return known;
  };
  return new Proxy(chain, { get: (target, member) => (member === "entries" ? list(target.entries) : Reflect.get(target, member)) });
}

for (const role of ["server", "client"] as const) {
  test(`the guard of a ${role} looks at no entry for a message whose like it has seen, however many hook something else`, async () => {
    const others = Array.from({ length: COUNT }, (_, at): Interceptor => {
      const hooks = BOTH.map((phase) => ({ events: [`acme/${at}`], phase }));
      return at % 2 === 0 ? validator({ name: `v${at}`, hooks }, () => false) : mutator({ name: `m${at}`, hooks }, () => "never");
    });
    let runs = 0;
    const stamp = mutator({ name: "stamp", hooks: BOTH.map((phase) => ({ events: ["tools/call"], phase })) }, ({ payload }) => ({ ...payload, runs: ++runs }));
    let looks = 0;
    const pair = guardedPair([...others, stamp], {
      role,
      policy: { interceptNotifications: true },
      chainOf: (host) => watched(createChain({ host }), () => looks++),
    });
    const [ask, answer] = role === "server" ? [pair.fromPeer, pair.fromApp] : [pair.fromApp, pair.fromPeer];
    const exchange = async (id: number) => {
      await ask(call(id), notice("notifications/x", { a: 1 }), { jsonrpc: "2.0", id: `list ${id}`, method: "tools/list" });
      await answer(textResult(id, "done"), { jsonrpc: "2.0", id: `list ${id}`, result: { tools: [] } }, notice("notifications/y"));
    };

    await exchange(1);
    assert.ok(looks > COUNT, String(looks));
    looks = 0;
    await exchange(2);
    assert.equal(looks, 0);
    assert.equal(runs, 4);
    assert.equal(pair.guard.inFlight, 0);
  });
}
