import assert from "node:assert/strict";
import { test } from "node:test";
import { watchParent } from "../../src/cli/orphan.ts";

test("who has another parent than at its start is an orphan, once, within a second", ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  let calls = 0;
  const living = watchParent(process.ppid, () => assert.fail("the parent lives"));
  const dead = watchParent(process.ppid + 1, () => calls++);
  mock.timers.tick(999);
  assert.equal(calls, 0);
  mock.timers.tick(1);
  assert.equal(calls, 1);
  mock.timers.tick(10_000);
  assert.equal(calls, 1);
  living.release();
  dead.release();
});

test("in a hurry it takes a tenth of that", ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  let calls = 0;
  const watch = watchParent(process.ppid + 1, () => calls++);
  watch.hurry();
  mock.timers.tick(100);
  assert.equal(calls, 1);
  watch.release();
});

test("nothing is called after the undoing, hurried or not", ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const watch = watchParent(process.ppid + 1, () => assert.fail("undone"));
  watch.release();
  watch.hurry();
  mock.timers.tick(10_000);
});
