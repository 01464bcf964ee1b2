import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { measureCosts, predictCost, SHAPES, withCosts, type Measured } from "./cost-model.ts";
import { README_FILE } from "./results.ts";

let counted: Measured | undefined;
const measure = (): Measured => (counted ??= measureCosts());

test("what a guard does for a request follows the formula, over all numbers of validators and mutators", () => {
  const measured = measure();
  assert.deepEqual(measured.map(({ shape }) => shape), SHAPES);
  for (const { shape, cost } of measured) assert.deepEqual(cost, predictCost(shape), JSON.stringify(shape));
});

test("the table of costs in README.md is what the counters say", () => {
  const readme = readFileSync(README_FILE, "utf8");
  assert.match(readme, /<!-- cost -->/);
  assert.equal(withCosts(readme, measure()), readme, "npm run bench writes it anew, as does: node --import tsx test/bench/write-costs.ts");
});
