import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomesOf } from "../../../src/core/guard/decision.ts";
import { CALL, remoteSource, rig } from "../chain/kit.ts";

test("a decision tells of a sink that it observed, or that it failed", async () => {
  for (const [answer, outcome] of [[{ recorded: true }, { outcome: "observed" }], ["text", { outcome: "failed", failure: "malformed_result" }]] as const) {
    const { chain } = rig();
    const hooks = [{ events: ["tools/call"], phase: "request" }];
    await chain.addSource(remoteSource("s", [{ name: "sink", type: "sink", hooks } as never], () => answer));
    const [told] = outcomesOf(await chain.execute(CALL));
    assert.deepEqual({ ...told, durationMs: 0 }, { name: "sink", type: "sink", mode: "audit", ...outcome, durationMs: 0 });
  }
});
