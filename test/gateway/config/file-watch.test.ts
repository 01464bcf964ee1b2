import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { describe, it } from "node:test";
import { watchFiles } from "../../../src/gateway/config/file-watch.ts";
import { fakeHost } from "../../support/fake-host.ts";
import { temporaryFolder } from "./kit.ts";

function watched() {
  const host = fakeHost();
  const looks = new Map([["a", "1"], ["b", "1"]]);
  let calls = 0;
  const watch = watchFiles({ host, changed: () => void calls++, look: (file) => looks.get(file) ?? "" });
  watch.watch(["a", "b"]);
  return { host, looks, watch, calls: () => calls };
}

describe("a watch over files", () => {
  it("tells of a change once it has settled, and once", async () => {
    const { host, looks, watch, calls } = watched();
    await host.advance(3_000);
    assert.equal(calls(), 0);
    looks.set("a", "2");
    await host.advance(1_000);
    looks.set("a", "3");
    looks.delete("b");
    await host.advance(1_000);
    assert.equal(calls(), 0);
    await host.advance(1_000);
    assert.equal(calls(), 1);
    await host.advance(5_000);
    assert.equal(calls(), 1);
    watch.close();
  });

  it("loses no change of a file that it goes on with, and none of another is its matter any more", async () => {
    const { host, looks, watch, calls } = watched();
    looks.set("a", "2");
    watch.watch(["a"]);
    looks.set("b", "2");
    await host.advance(3_000);
    assert.equal(calls(), 1);
    looks.set("b", "3");
    await host.advance(3_000);
    assert.equal(calls(), 1);
    watch.close();
    assert.equal(host.liveTimers, 0);
  });

  it("sees a file that is written, put in the place of another, or removed", async () => {
    const folder = temporaryFolder();
    const host = fakeHost();
    let calls = 0;
    const file = folder.write("a", "one");
    const watch = watchFiles({ host, changed: () => void calls++ });
    watch.watch([file]);
    const changes = [() => folder.write("a", "two!"), () => renameSync(folder.write("b", "two!"), file), () => renameSync(file, `${file}.old`), () => folder.write("a", "two!")];
    for (const [index, change] of changes.entries()) {
      change();
      await host.advance(2_000);
      assert.equal(calls, index + 1);
    }
    watch.close();
    folder.remove();
  });
});
