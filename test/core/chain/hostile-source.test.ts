// A source that somebody else wrote: whatever it answers, throws or rejects with, the chain ends, and in time.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { InterceptorSource } from "../../../src/core/chain/source.ts";
import { settle } from "../../support/fake-host.ts";
import { CALL, rig } from "./kit.ts";

const spring = (): never => {
  throw trap;
};
const trap: object = new Proxy({}, { get: spring, has: spring, ownKeys: spring, getPrototypeOf: spring });
const described = [{ name: "x", type: "validation", hooks: [{ events: ["tools/call"], phase: "request" }] }];
const source = (invoke: InterceptorSource["invoke"]): InterceptorSource => ({ label: "s", remote: true, list: async () => described, invoke });

test("a source that throws or rejects with a proxy that throws on every trap has failed", async () => {
  for (const invoke of [() => { throw trap; }, () => Promise.reject(trap), async () => ({ get valid() { return spring(); } }), () => ({ get valid() { return spring(); } })]) {
    const { chain, host } = rig();
    await chain.addSource(source(invoke));
    const run = chain.execute(CALL);
    const result = await Promise.race([run, settle().then(() => undefined)]);
    assert.ok(result !== undefined, String(invoke));
    assert.equal(result.status, "validation_failed");
    assert.equal(host.liveTimers, 0);
  }
});
