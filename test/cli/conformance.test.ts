import assert from "node:assert/strict";
import { test } from "node:test";
import { showProgress } from "../../src/cli/conformance.ts";
import type { VectorOutcome } from "../../src/conformance/kit.ts";

const outcome = (status: VectorOutcome["status"]): VectorOutcome => ({ id: "chain/x", title: "x", requirements: [], status });

test("progress is one line that is written over, and ends with the last vector", () => {
  const written: string[] = [];
  const show = showProgress(5, { write: (text) => written.push(text) });
  for (const status of ["passed", "failed", "skipped", "known", "fixed"] as const) show(outcome(status));
  assert.deepEqual(written, ["\r1 of 5", "\r2 of 5, 1 failed", "\r3 of 5, 1 failed", "\r4 of 5, 1 failed", "\r5 of 5, 2 failed\n"]);
});
