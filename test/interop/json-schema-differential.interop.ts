// Random schemas and values, judged by ajv and by us. Where the two differ on purpose, the schema is left out.
import { Ajv2020 } from "ajv/dist/2020.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema, type CompiledSchema } from "../../src/core/schema/schema.ts";
import { randomSchema, randomValue } from "../support/random-schema.ts";
import { seededRandom } from "../support/random.ts";

const SEED = 31_415;

// ajv overlooks the first two as names in some keywords, divides in binary, knows dynamic anchors only at the root, and takes an empty list to
// contain what the list before it contained. The official suite covers these.
const DIFFERENT_ON_PURPOSE = /"__proto__"|""|"multipleOf"|"\$dynamicRef"|"contains"/;

test("agrees with ajv about random schemas and values", () => {
  const random = seededRandom(SEED);
  const counts = { schemas: 0, fits: 0, fails: 0, refused: 0 };
  for (let round = 0; round < 3_000; round++) {
    const $defs = { x: randomSchema(random, 2), y: randomSchema(random, 2), leaf: { $dynamicAnchor: "leaf" } };
    const generated = { ...(randomSchema(random, 3) as object), $defs };
    const text = JSON.stringify(generated);
    if (DIFFERENT_ON_PURPOSE.test(text)) continue;
    const schema: object = JSON.parse(text);
    const told = `seed ${SEED}, round ${round}: ${text}`;
    let ours: CompiledSchema;
    try {
      ours = compileSchema(schema);
    } catch {
      // What ajv refuses too is no news; what it takes is mostly endless references, which it runs into.
      counts.refused++;
      continue;
    }
    const theirs = new Ajv2020({ strict: false, ownProperties: true, validateFormats: false, logger: false }).compile(schema);
    counts.schemas++;
    for (let turn = 0; turn < 10; turn++) {
      const value: unknown = JSON.parse(JSON.stringify(randomValue(random, 3)));
      const problem = ours.check(value);
      if (problem?.reason.includes(" too ") === true) continue;
      assert.equal(problem === undefined, theirs(value), `${told} on ${JSON.stringify(value)}: ${JSON.stringify(problem)}`);
      counts[problem === undefined ? "fits" : "fails"]++;
    }
  }
  console.log(`compared with ajv: ${JSON.stringify(counts)}`);
  assert.ok(counts.schemas > 400 && counts.fits > 1_000 && counts.fails > 1_000, JSON.stringify(counts));
});
