import assert from "node:assert/strict";
import { test } from "node:test";
import { detectHost } from "../../src/core/base/host.ts";
import { scriptedHost } from "../../src/conformance/clock.ts";

test("time passes at once, timer by timer in the order of what falls due, where nothing else can happen", async () => {
  const host = scriptedHost(detectHost());
  const log: string[] = [];
  const after = (ms: number, what: string) => new Promise<void>((resolve) => host.setTimer(() => resolve(void log.push(`${what} at ${host.now()}`)), ms));
  const stop = host.setTimer(() => log.push("stopped, and fires all the same"), 10);
  stop();
  await host.run(Promise.all([after(60_000, "late"), after(5, "soon").then(() => after(1, "then")), after(60_000, "late too")]));
  assert.deepEqual(log, ["soon at 5", "then at 6", "late at 60000", "late too at 60000"]);
});

test("what waits for nothing is said to hang, and a rejection is handed on", async () => {
  const host = scriptedHost(detectHost());
  await assert.rejects(host.run(new Promise(() => {})), { code: "timeout" });
  await assert.rejects(host.run(Promise.reject(new Error("mine"))), { message: "mine" });
});

test("a bounded pass fires what falls due within it, and no more", async () => {
  const host = scriptedHost(detectHost());
  const fired: number[] = [];
  for (const ms of [10, 11, 10]) host.setTimer(() => fired.push(ms), ms);
  await host.pass(10);
  assert.deepEqual([fired, host.now()], [[10, 10], 10]);
  await host.pass(5);
  assert.deepEqual([fired, host.now()], [[10, 10, 11], 15]);
});
