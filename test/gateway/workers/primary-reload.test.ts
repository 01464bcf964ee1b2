import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createClusterReload } from "../../../src/gateway/workers/primary-reload.ts";
import { settle } from "../../support/fake-host.ts";
import { nodeHost } from "../../../src/node/host.ts";
import { temporaryFolder } from "../config/kit.ts";
import { fakeWorker, SERVED, type FakeWorker } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());
const config = (command: string) => JSON.stringify({ upstreams: { up: { command } } });

function rig(...workers: FakeWorker[]) {
  const file = folder.write("gateway.json", config("one"));
  for (const worker of workers) worker.serve();
  const said: string[] = [];
  const reload = createClusterReload({
    file,
    text: config("one"),
    supervisor: {
      get serving() {
        return workers.filter(({ serves }) => serves);
      },
    },
    host: nodeHost(),
    tell: (level, text) => said.push(`${level}: ${text}`),
    told: ({ error = "reloaded" }) => said.push(error),
  });
  const run = async () => {
    reload.run();
    await settle();
  };
  return { file, reload, said, run };
}

describe("a reload of all workers", () => {
  it("is tried by one, then taken in by the others, and told once", async () => {
    const [one, two, three] = [fakeWorker(1), fakeWorker(2), fakeWorker(3)];
    const { run, said, reload } = rig(one, two, three);
    folder.write("gateway.json", config("two"));
    await run();
    for (const worker of [one, two, three]) assert.deepEqual(worker.texts, [config("two")]);
    assert.deepEqual(said, ["reloaded"]);
    assert.equal(reload.fork(2), config("two"));
  });

  it("bothers no worker with a file that is wrong, and a new one begins with what the others have", async () => {
    const one = fakeWorker(1);
    const { run, said, reload } = rig(one);
    folder.write("gateway.json", '{ "upstreams": 7 }');
    await run();
    assert.deepEqual(one.texts, []);
    assert.match(said[0] ?? "", /gateway\.json:1:16: \/upstreams must be an object/);
    assert.equal(reload.fork(1), config("one"));
  });

  it("changes nothing in the others where the first one cannot take it in, or does not answer", async () => {
    for (const answer of [{ error: "no such module" }, undefined]) {
      const [one, two] = [fakeWorker(1, () => answer), fakeWorker(2)];
      const { run, said, reload } = rig(one, two);
      folder.write("gateway.json", config("two"));
      await run();
      assert.deepEqual(two.texts, []);
      assert.match(said[0] ?? "", /no such module|has ended or did not answer/);
      assert.equal(reload.fork(2), config("one"));
    }
  });

  it("starts one anew that cannot follow the first", async () => {
    const [one, two] = [fakeWorker(1), fakeWorker(2, () => ({ error: "not here" }))];
    const { run, said, reload } = rig(one, two);
    folder.write("gateway.json", config("two"));
    await run();
    assert.deepEqual(two.sent, [{ kind: "end" }]);
    assert.match(said[0] ?? "", /error: worker 2 could not take the new configuration in, and is started anew with it/);
    assert.equal(reload.fork(2), config("two"));
  });

  it("brings one up to the others that was being started meanwhile, and leaves one alone that has all", async () => {
    const [one, late, fresh] = [fakeWorker(1), fakeWorker(2), fakeWorker(3)];
    const { run, reload } = rig(one);
    assert.equal(reload.fork(2), config("one"));
    folder.write("gateway.json", config("two"));
    await run();
    assert.equal(reload.fork(3), config("two"));
    late.serve();
    reload.catchUp(late);
    reload.catchUp(fresh);
    await settle();
    assert.deepEqual([late.texts, fresh.texts], [[config("two")], []]);
  });

  it("does so once more where it is asked for meanwhile", async () => {
    const one = fakeWorker(1, () => ({ served: SERVED }));
    const { reload } = rig(one);
    reload.run();
    reload.run();
    reload.run();
    await settle();
    assert.equal(one.texts.length, 2);
  });
});
