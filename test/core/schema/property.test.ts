import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError } from "../../../src/core/base/errors.ts";
import { compileSchema, type CompiledSchema } from "../../../src/core/schema/schema.ts";
import { randomSchema, randomValue } from "../../support/random-schema.ts";
import { seededRandom } from "../../support/random.ts";

const SEED = 2_624;

test("compiles or refuses any schema, and any value fits or not, the same for check and checkAll", () => {
  const random = seededRandom(SEED);
  const counts = { refused: 0, fits: 0, fails: 0 };
  for (let round = 0; round < 3_000; round++) {
    const node = random.next() < 0.3 ? { node: { $dynamicAnchor: "node", type: "object" } } : {};
    const $defs = { x: randomSchema(random, 2), y: randomSchema(random, 2), leaf: { $dynamicAnchor: "leaf" }, ...node };
    const schema = { ...(randomSchema(random, 3) as object), $defs };
    const told = `seed ${SEED}, round ${round}: ${JSON.stringify(schema)}`;
    let compiled: CompiledSchema;
    try {
      compiled = compileSchema(schema, { limits: { maxCheckSteps: 20_000 } });
    } catch (error) {
      const clear = error instanceof LocalError && error.code === "invalid_argument" && typeof error.details?.["pointer"] === "string";
      assert.ok(clear, `${told} ${String(error)}`);
      counts.refused++;
      continue;
    }
    for (let turn = 0; turn < 6; turn++) {
      const value = randomValue(random, 3);
      const first = compiled.check(value);
      const all = compiled.checkAll(value);
      assert.deepEqual(all[0], first, `${told} on ${JSON.stringify(value)}`);
      assert.deepEqual(compiled.check(structuredClone(value)), first, told);
      counts[first === undefined ? "fits" : "fails"]++;
    }
  }
  assert.ok(counts.refused > 200 && counts.fits > 2_000 && counts.fails > 2_000, `the generator is too tame: ${JSON.stringify(counts)}`);
});

test("a schema and its negation never agree, unless the value cannot be judged", () => {
  const random = seededRandom(SEED + 1);
  let compared = 0;
  for (let round = 0; round < 3_000; round++) {
    const schema = randomSchema(random, 3);
    // The root is not the same schema in the two.
    if (JSON.stringify(schema).includes('"#"')) continue;
    const $defs = { x: {}, y: { type: "object" }, leaf: { $dynamicAnchor: "leaf" } };
    let plain: CompiledSchema;
    let negated: CompiledSchema;
    try {
      plain = compileSchema({ allOf: [schema], $defs });
      negated = compileSchema({ not: { allOf: [schema] }, $defs });
    } catch {
      continue;
    }
    const value = randomValue(random, 3);
    const problem = plain.check(value);
    const opposite = negated.check(value);
    if (/too|nested/.test(`${problem?.reason} ${opposite?.reason}`) && problem !== undefined && opposite !== undefined) continue;
    assert.notEqual(problem === undefined, opposite === undefined, `seed ${SEED + 1}: ${JSON.stringify(schema)} on ${JSON.stringify(value)}`);
    compared++;
  }
  assert.ok(compared > 1_000, `the generator is too tame: ${compared}`);
});
