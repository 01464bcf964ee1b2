import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { LocalError } from "../../../src/core/base/errors.ts";
import { buildPlan, createPools } from "../../../src/gateway/config/build.ts";
import { loadConfig } from "../../../src/gateway/config/load.ts";
import { createReloader, type ReloadOutcome } from "../../../src/gateway/config/reload.ts";
import type { GatewayPlan } from "../../../src/gateway/plan.ts";
import { readyMade } from "../../../src/library/catalog.ts";
import { fakeHost } from "../../support/fake-host.ts";
import { policyServer, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const upstreams = { files: { command: "x" } };

async function rig(config: object = { interceptors: [policyServer()] }) {
  const write = (next: object | string) => folder.write("gateway.json", typeof next === "string" ? next : { upstreams, ...next });
  const file = write(config);
  const pools = createPools();
  const build = { pools, log: () => {}, chainLog: () => {} };
  const built = await buildPlan(await loadConfig(file), build);
  const plans: GatewayPlan[] = [];
  const told: ReloadOutcome[] = [];
  const host = fakeHost();
  const gateway = {
    refuse: undefined as LocalError | undefined,
    async reload(plan: GatewayPlan) {
      if (gateway.refuse !== undefined) throw gateway.refuse;
      plans.push(plan);
    },
  };
  const reloader = createReloader({ file, gateway, built, build, host, told: (outcome) => void told.push(outcome), env: { A: "s3cret-token" } });
  const errors = () => told.map(({ error }) => error?.replaceAll(file, "F"));
  return { write, pools, plans, told, host, gateway, reloader, built, errors };
}

describe("a reload", () => {
  it("swaps the plan whole, and keeps what the one before alone has used for the calls in flight", async () => {
    const { write, pools, plans, host, reloader, errors } = await rig();
    write({ interceptors: [{ use: "redact" }] });
    await reloader.reload();
    assert.deepEqual([errors(), plans.length], [[undefined], 1]);
    assert.equal(plans[0], reloader.built.plan);
    assert.equal(pools.clients.size, 1);
    await host.advance(600_000);
    await reloader.close();
    assert.deepEqual([pools.clients.size, host.liveTimers], [0, 0]);
  });

  it("of a file that is wrong changes nothing, and says why, with no secret", async () => {
    const { write, plans, reloader, built, errors, gateway } = await rig();
    write("{");
    await reloader.reload();
    write({ interceptors: [{ use: "none" }], stdio: "${A}" });
    await reloader.reload();
    write({ interceptors: [{ use: "redact" }] });
    gateway.refuse = new LocalError("unsupported", "a running gateway cannot change http; start it anew");
    await reloader.reload();
    write({ interceptors: [{ use: "redact" }], policy: { immutable: ["/${A}"] } });
    gateway.refuse = new LocalError("invalid_argument", 'policy.immutable has "s3cret-token", which is no JSON pointer');
    await reloader.reload();
    assert.deepEqual(errors(), [
      "F:1:2: the file ends too early: a bracket, a brace or a quote is not closed",
      `F:9:14: /interceptors/0/use is no ready-made interceptor; known are ${[...readyMade.keys()].join(", ")}\nF:12:12: /stdio is no upstream; known are files`,
      "a running gateway cannot change http; start it anew",
      'policy.immutable has "***", which is no JSON pointer',
    ]);
    assert.deepEqual([plans.length, reloader.built], [0, built]);
    await reloader.close();
  });

  it("that waits for what may never come is given up when the gateway ends, and when the file changes again after a while", async () => {
    const { write, plans, host, reloader, errors } = await rig();
    write({ interceptors: [policyServer("silent")] });
    void reloader.reload();
    await host.advance(4_999);
    void reloader.reload();
    assert.deepEqual(errors(), []);
    write({ interceptors: [{ use: "redact" }] });
    await host.advance(1);
    await reloader.reload();
    assert.deepEqual([errors(), plans.length], [["F has changed again before it was read and built", undefined], 1]);
    write({ interceptors: [policyServer("silent")] });
    void reloader.reload();
    await host.advance(10);
    await reloader.close();
    assert.deepEqual(errors().slice(2), ["the gateway ends"]);
    assert.equal(host.liveTimers, 0);
  });

  it("that takes too long has failed, and the next one is tried", async () => {
    const { write, plans, pools, host, reloader, errors } = await rig();
    folder.write("never.mjs", "await new Promise(() => {});");
    write({ interceptors: [policyServer(), { module: "never.mjs" }] });
    const reloading = reloader.reload();
    await host.advance(60_000);
    await reloading;
    write({});
    await reloader.reload();
    assert.deepEqual([errors(), plans.length], [["F could not be read and built within 60000 ms", undefined], 1]);
    await reloader.close();
    assert.deepEqual([pools.clients.size, host.liveTimers], [0, 0]);
  });

  it("that is asked for during another one runs once after it, however often it was asked for", async () => {
    const { plans, reloader } = await rig({});
    await Promise.all([reloader.reload(), reloader.reload(), reloader.reload()]);
    assert.equal(plans.length, 2);
    await reloader.close();
    await reloader.reload();
    assert.equal(plans.length, 2);
  });

  it("gives back what plans before the eight last have used alone", async () => {
    const { write, pools, host, reloader } = await rig({});
    for (let round = 0; round < 10; round++) {
      write({ drainMs: round + 1 });
      await reloader.reload();
    }
    assert.equal(host.liveTimers, 8);
    await reloader.close();
    assert.deepEqual([host.liveTimers, pools.clients.size], [0, 0]);
  });
});
