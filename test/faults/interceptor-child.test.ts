// Interceptor servers that are real children, behind a real configuration: killed, hanging, late, malformed or listing less while calls go on.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { describe, it, type TestContext } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import type { ReloadOutcome } from "../../src/gateway/config/reload.ts";
import { childOf, connectClients, policies, startRig } from "./kit.ts";

/** Two clients of each era in front of a child that all share. */
async function start(test: TestContext, ...interceptors: JsonObject[]) {
  const outcomes: ReloadOutcome[] = [];
  const config = { upstreams: { up: childOf("handshake", { sharing: "shared" }) }, interceptors };
  const rig = await startRig(test, config, { reloaded: (outcome) => void outcomes.push(outcome) });
  const clients = await connectClients(rig.one.gateway.url, { ofEach: 2 });
  const end = async () => {
    await clients.close();
    await rig.end();
  };
  /** All clients call three times at once, the second time so that a part of the policies gets something to do. Gives the ids of that time. */
  const among = async (deed: string, many?: number): Promise<readonly string[]> => {
    clients.call("echo");
    const ids = clients.call("echo", { deed }, many);
    clients.call("echo");
    await clients.settled();
    return ids;
  };
  return { rig, clients, outcomes, end, among };
}

describe("an interceptor server", { concurrency: true }, () => {
  for (const [part, what] of [["cleaner", "an answer"], ["gate", "a call"]] as const) {
    it(`that is killed, or cut off in a line, while it judges ${what} fails what it had, and is started again`, async (test) => {
      const { clients, among, end } = await start(test, policies("cleaner", "gate"));
      const marked = [...(await among(`${part}:die`, 1)), ...(await among(`${part}:halves`, 1))];
      let left = 2_000;
      for (let again = false; !again; assert.ok(left-- > 0, "it does not come back")) {
        const ids = clients.call("echo");
        await clients.settled();
        again = ids.every((id) => clients.answersTo(id)[0]?.includes('"result"') === true);
      }
      const { failed } = clients.judged();
      for (const id of marked) assert.ok(failed.has(id), id);
      await end();
    });
  }

  it("that hangs fails those calls alone when their time is up, and an answer that comes later is nobody's", async (test) => {
    const { clients, among, end } = await start(test, { ...policies("cleaner", "gate"), timeoutMs: 1_000 });
    const marked: string[] = [];
    // The last round outlasts what the one before it says late.
    for (const deed of ["gate:hang", "cleaner:hang", "gate:late", "cleaner:late", "cleaner:hang"]) marked.push(...(await among(deed)));
    const { own, failed } = clients.judged();
    assert.deepEqual([...failed.keys()].sort(), [...marked].sort());
    assert.equal(own.size, 2 * marked.length);
    for (const { code, message } of failed.values()) assert.deepEqual([code, message], [-32000, "Interceptor execution timeout"]);
    await end();
  });

  it("that audits holds nothing up and changes nothing, whatever becomes of it", async (test) => {
    const { clients, among, end } = await start(test, policies("cleaner"), { ...policies("watcher"), name: "watching", timeoutMs: 60_000 });
    for (const deed of ["hang", "late", "odd", "error", "twice", "halves", "die"]) await among(`watcher:${deed}`);
    const { own, failed } = clients.judged();
    assert.deepEqual([own.size, failed.size], [7 * 12, 0]);
    await end();
  });

  it("that answers with what is no verdict, or twice, fails those calls alone, and none of its words gets out", async (test) => {
    const { clients, among, end } = await start(test, policies("cleaner", "gate"));
    const marked: string[] = [];
    for (const deed of ["gate:odd", "cleaner:odd", "gate:error", "cleaner:error"]) marked.push(...(await among(deed)));
    await among("cleaner:twice");
    const { own, failed } = clients.judged();
    assert.deepEqual([...failed.keys()].sort(), [...marked].sort());
    assert.equal(own.size, 4 * 8 + 12);
    await end();
  });

  it("that lists fewer than before has each reload refused, and once it is lost nothing passes that it should have judged", async (test) => {
    const item = policies("cleaner", "gate");
    const { rig, clients, outcomes, end } = await start(test, item);
    for (const names of [["gate"], [], ["cleaner"]]) {
      writeFileSync(item.args[1], JSON.stringify(names));
      const reloading = rig.one.reload();
      clients.call("echo");
      await reloading;
      clients.call("echo");
      await clients.settled();
    }
    assert.match(outcomes.map(({ error = "taken" }) => error).join("\n"), /cleaner \(it is gone\)[^]*lists no interceptors[^]*gate \(it is gone\)/);
    assert.equal(clients.judged().failed.size, 0);
    // The next one is made of what the file says now.
    writeFileSync(item.args[1], JSON.stringify(["gate"]));
    clients.call("echo", { deed: "cleaner:die" }, 1);
    await clients.settled();
    for (let left = 100; left > 0; left--) {
      clients.call("echo");
      await clients.settled();
    }
    const { own, failed } = clients.judged();
    assert.deepEqual([own.size, failed.size], [6 * 4, 1 + 400]);
    await end();
  });
});
