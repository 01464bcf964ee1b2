import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { conformance, showProgress } from "../../src/cli/conformance.ts";
import type { VectorOutcome } from "../../src/conformance/kit.ts";
import { temporaryFolder } from "../gateway/config/kit.ts";

const outcome = (status: VectorOutcome["status"]): VectorOutcome => ({ id: "chain/x", title: "x", requirements: [], status });

test("progress is one line that is written over, and ends with the last vector", () => {
  const written: string[] = [];
  const show = showProgress(5, { write: (text) => written.push(text) });
  for (const status of ["passed", "failed", "skipped", "known", "fixed"] as const) show(outcome(status));
  assert.deepEqual(written, ["\r1 of 5", "\r2 of 5, 1 failed", "\r3 of 5, 1 failed", "\r4 of 5, 1 failed", "\r5 of 5, 2 failed\n"]);
});

test("--json is the reporter of that name, and no second one goes with it", async () => {
  await assert.rejects(conformance.run(["--json", "--reporter", "junit", "--command", "x"]), /--json and --reporter say the same twice/);
  const folder = temporaryFolder();
  try {
    const output = `${folder.path}/report`;
    const { code } = await conformance.run(["--json", "--adapter", `${process.execPath} -e 0`, "--timeout", "2000", "--output", output]);
    assert.equal(code, 1);
    assert.ok(Array.isArray((JSON.parse(readFileSync(output, "utf8")) as { requirements: unknown }).requirements));
  } finally {
    folder.remove();
  }
});
