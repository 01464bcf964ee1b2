import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSupervisor } from "../../../src/gateway/workers/supervisor.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { fakeWorker, type FakeWorker } from "./kit.ts";

function rig(count = 2) {
  const host = fakeHost();
  const forked: FakeWorker[] = [];
  const said: string[] = [];
  let onFork = (_worker: FakeWorker) => {};
  const supervisor = createSupervisor({
    count,
    host,
    startMs: 5_000,
    fork(slot) {
      const worker = fakeWorker(slot);
      forked.push(worker);
      onFork(worker);
      return worker;
    },
    tell: (level, text) => said.push(`${level}: ${text}`),
    serves() {},
    ended() {},
  });
  const at = (index: number): FakeWorker => forked[index] ?? assert.fail(`${forked.length} were forked`);
  /** All that was asked for serve. */
  const begun = async () => {
    const started = supervisor.start();
    for (let index = 0; index < count; index++) {
      at(index).serve();
      await settle();
    }
    await started;
  };
  return { host, supervisor, forked, said, at, begun, from: (now: typeof onFork) => void (onFork = now) };
}

describe("a supervisor of workers", () => {
  it("starts the first one alone, and the others once it serves", async () => {
    const { supervisor, forked, at } = rig(3);
    const started = supervisor.start();
    await settle();
    assert.equal(forked.length, 1);
    at(0).serve();
    await settle();
    assert.deepEqual(forked.map(({ slot }) => slot), [1, 2, 3]);
    at(1).serve();
    at(2).serve();
    assert.deepEqual(await started, { serving: "up", warnings: [], files: ["a"] });
    assert.deepEqual(supervisor.serving.map(({ slot }) => slot), [1, 2, 3]);
  });

  it("ends all where one cannot be started, and says how that one ended", async () => {
    const { supervisor, at } = rig();
    const started = supervisor.start();
    at(0).serve();
    await settle();
    at(1).end({ code: 2 });
    await settle();
    assert.deepEqual(at(0).sent, [{ kind: "end" }]);
    at(0).end();
    assert.deepEqual(await started, { code: 2, signal: null });
  });

  it("kills one that takes too long to start", async () => {
    const { host, supervisor, at, said } = rig(1);
    const started = supervisor.start();
    await host.advance(5_000);
    assert.equal(at(0).killed, true);
    assert.deepEqual(await started, { code: null, signal: "SIGKILL" });
    assert.match(said[0] ?? "", /worker 1 was not ready within 5000 ms/);
  });

  it("starts one again that has died, at once, then after waits that grow until it has stayed for a while", async () => {
    const { host, forked, begun, at, said } = rig();
    await begun();
    at(1).end({ code: null, signal: "SIGSEGV" });
    await settle();
    assert.deepEqual([forked.length, at(2).slot], [3, 2]);
    assert.match(said[0] ?? "", /error: worker 2 has ended \(SIGSEGV\)/);
    at(2).serve();
    await settle();
    at(2).end({ code: 1 });
    await host.advance(249);
    assert.equal(forked.length, 3);
    await host.advance(1);
    assert.equal(forked.length, 4);
    at(3).serve();
    await host.advance(10_000);
    at(3).end();
    await settle();
    assert.equal(forked.length, 5, "it had stayed: this death is the first again");
  });

  it("goes on trying while another one serves, and ends the whole where none does and starts fail one after the other", async () => {
    const { host, supervisor, forked, begun, at, said, from } = rig();
    await begun();
    from((worker) => worker.end({ code: 2 }));
    at(1).end({ code: 1 });
    await host.advance(300_000);
    assert.ok(forked.length > 10 && forked.length < 30, String(forked.length));
    assert.equal(said.at(-1), "error: worker 2 could not be started (exit code 2); 1 of 2 serve");
    at(0).end({ code: 1 });
    await host.advance(60_000);
    assert.equal(await supervisor.done, 1);
    assert.match(said.at(-1) ?? "", /no worker serves, and \d+ starts in a row have failed: the gateway ends/);
  });

  it("ends all in order, starts none any more, and kills those that stay", async () => {
    const { host, supervisor, forked, begun, at } = rig();
    await begun();
    supervisor.end(20_000);
    assert.deepEqual(at(0).sent, [{ kind: "end" }]);
    at(0).end();
    await host.advance(19_999);
    assert.equal(at(1).killed, false);
    await host.advance(1);
    assert.equal(at(1).killed, true);
    assert.equal(await supervisor.done, 1, "one did not end in order");
    await host.advance(60_000);
    assert.equal(forked.length, 2);
  });

  it("ends with 0 where all have, also in the middle of a wait for the next start", async () => {
    const { supervisor, begun, at } = rig();
    await begun();
    at(1).end({ code: 1 });
    await settle();
    at(2).end({ code: 1 });
    await settle();
    supervisor.end(1_000);
    at(0).end();
    assert.equal(await supervisor.done, 0);
  });

  it("passes a signal on that ends at once", async () => {
    const { supervisor, begun, at } = rig(1);
    await begun();
    supervisor.end(20_000);
    supervisor.force("SIGINT");
    assert.deepEqual(at(0).sent.map(({ kind }) => kind), ["end", "force", "end"]);
  });
});
