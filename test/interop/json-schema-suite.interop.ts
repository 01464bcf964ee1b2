// The official JSON Schema Test Suite, all required tests of the two drafts that we read.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { describeError } from "../../src/core/base/errors.ts";
import { compileSchema, type CompiledSchema } from "../../src/core/schema/schema.ts";
import { findSuite, type SuiteGroup } from "./json-schema-suite-source.ts";

// "draft/file/group" and why it is left out. An entry that passes fails the build.
const EXCLUDED = new Map<string, string>([]);

const DRAFTS = [
  { name: "draft2020-12", atLeast: 1_050, prepare: (schema: unknown) => schema },
  {
    name: "draft7",
    atLeast: 850,
    // The suite leaves the dialect out, where ours would be 2020-12.
    prepare: (schema: unknown) => (typeof schema === "object" ? { $schema: "http://json-schema.org/draft-07/schema#", ...schema } : schema),
  },
];

const suite = findSuite();
console.log(`suite: ${suite.origin}`);
console.log(`left out: ${[...EXCLUDED].map(([name, reason]) => `\n  ${name}: ${reason}`).join("") || "nothing"}`);

/** What of a group fails. */
function failuresOf(group: SuiteGroup, prepare: (schema: unknown) => unknown): string[] {
  let compiled: CompiledSchema;
  try {
    compiled = compileSchema(prepare(group.schema), { resources: suite.resources });
  } catch (error) {
    return [`${group.description}: ${describeError(error)}`];
  }
  return group.tests.flatMap(({ description, data, valid }) => {
    const problem = compiled.check(data);
    const agree = (problem === undefined) === valid && (compiled.checkAll(data).length === 0) === valid;
    return agree ? [] : [`${group.description}: ${description}: must be ${valid ? "valid" : "invalid"}, got ${JSON.stringify(problem)}`];
  });
}

for (const { name, atLeast, prepare } of DRAFTS) {
  const totals = { files: 0, groups: 0, tests: 0, excluded: 0, failed: 0 };
  for (const [file, groups] of suite.load(name)) {
    test(`${name}/${file} passes`, () => {
      totals.files++;
      const failures: string[] = [];
      for (const group of groups) {
        totals.groups++;
        totals.tests += group.tests.length;
        const found = failuresOf(group, prepare);
        const label = `${name}/${file}/${group.description}`;
        if (!EXCLUDED.has(label)) failures.push(...found);
        else if (found.length === 0) failures.push(`${label} passes: take it off the list`);
        else totals.excluded += group.tests.length;
      }
      totals.failed += failures.length;
      assert.deepEqual(failures, []);
    });
  }
  test(`${name} is there in full`, () => assert.ok(totals.tests >= atLeast, JSON.stringify(totals)));
  after(() => console.log(`${name}: ${JSON.stringify(totals)}`));
}
