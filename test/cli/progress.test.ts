import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { progressOn } from "../../src/cli/progress.ts";

function written(isTTY: boolean) {
  const texts: string[] = [];
  const write = (text: string | Uint8Array) => texts.push(String(text)) > 0;
  let now = 0;
  return { texts, progress: progressOn({ isTTY, write }, () => now), wait: (ms: number) => void (now += ms) };
}

describe("progress", () => {
  it("writes over its own line, at most ten times a second, and takes it away", () => {
    const { texts, progress, wait } = written(true);
    for (const text of ["1", "2", "3"]) {
      progress.tell(text);
      wait(60);
    }
    progress.end();
    assert.deepEqual(texts, ["\r\u001b[K1", "\r\u001b[K3", "\r\u001b[K"]);
  });

  it("is nothing elsewhere than on a terminal, and leaves no trace where there was none", () => {
    const file = written(false);
    file.progress.tell("1");
    file.progress.end();
    const silent = written(true);
    silent.progress.end();
    assert.deepEqual([file.texts, silent.texts], [[], []]);
  });
});
