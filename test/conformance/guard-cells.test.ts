import assert from "node:assert/strict";
import { test } from "node:test";
import type { GuardVector } from "../../src/conformance/vector.ts";
import { CELLS, cellsOf } from "./guard-cells.ts";
import { guardVectors } from "./play-seam.ts";

const shownBy = (given: readonly GuardVector[]) => new Set(given.flatMap(cellsOf).map(({ cell, verdict }) => `${cell}: ${verdict}`));
const ALL = CELLS.flatMap((cell) => [`${cell}: passes`, `${cell}: blocks`]);

test("each direction, phase, revision and role of a guard has a vector in which a message passes, and one in which it is blocked", (context) => {
  const shown = shownBy(guardVectors);
  assert.deepEqual(ALL.filter((wanted) => !shown.has(wanted)), []);
  context.diagnostic(`${ALL.length} of ${ALL.length} cells of guards are shown by ${guardVectors.length} vectors`);
});

test("a cell is missed when its vectors are taken away", () => {
  const few = guardVectors.filter(({ id }) => id !== "guard/seams/client-2025-06-18-server-notification");
  const shown = shownBy(few);
  assert.deepEqual(ALL.filter((wanted) => !shown.has(wanted)), [
    "a client's guard, 2025-06-18, server notification: passes",
    "a client's guard, 2025-06-18, server notification: blocks",
  ]);
});

test("a response that was replaced is no pass, whatever took its place", () => {
  for (const how of ["client-response", "block-as-response", "answer-as-response", "client-error"]) {
    const vector = guardVectors.find(({ id }) => id === `guard/seams/server-2025-06-18-${how}`);
    assert.ok(vector !== undefined, how);
    assert.deepEqual(cellsOf(vector).map(({ verdict }) => verdict), ["blocks", "passes"], how);
  }
});
