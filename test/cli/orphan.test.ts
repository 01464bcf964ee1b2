import assert from "node:assert/strict";
import { test } from "node:test";
import { whenOrphaned } from "../../src/cli/orphan.ts";

test("who has another parent than at its start is an orphan, once", ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  let calls = 0;
  const forgetLiving = whenOrphaned(process.ppid, () => assert.fail("the parent lives"));
  const forgetDead = whenOrphaned(process.ppid + 1, () => calls++);
  mock.timers.tick(10_000);
  assert.equal(calls, 1);
  forgetLiving();
  forgetDead();
});

test("nothing is called after the undoing", ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  whenOrphaned(process.ppid + 1, () => assert.fail("undone"))();
  mock.timers.tick(10_000);
});
