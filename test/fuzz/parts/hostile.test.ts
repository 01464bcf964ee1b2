import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compileSchema } from "../../../src/core/schema/schema.ts";
import { HOSTILE } from "./hostile-schemas.ts";

const PROGRAM = fileURLToPath(new URL("hostile-run.ts", import.meta.url));
const SIZE = 0.12;
/** Of its heap, all of Node and of the loader included. */
const MAX_MEGABYTES = 96;

test(`every hostile schema is refused, judged or given up, within ${MAX_MEGABYTES} MB`, async () => {
  const ran = await promisify(execFile)(process.execPath, [`--max-old-space-size=${MAX_MEGABYTES}`, "--conditions=mcp-interceptors-source", "--import", "tsx", PROGRAM, String(SIZE)], { timeout: 120_000 }).catch((thrown: unknown) => thrown as { stdout: string });
  const lines = ran.stdout.trim().split("\n");
  assert.equal(lines.length, Object.keys(HOSTILE).length, `ended in ${lines.at(-1)}`);
  const found = new Map(lines.map((line) => {
    const [, name = "", told = ""] = /^("(?:[^"\\]|\\.)*") (\{.*\})$/.exec(line) ?? assert.fail(line);
    return [JSON.parse(name) as string, JSON.parse(told) as { outcome: string; problem?: string }];
  }));
  assert.deepEqual([...found.values()].flatMap(({ problem }) => problem ?? []), []);
  for (const name of ["nested beyond the limit", "a reference to itself"]) assert.equal(found.get(name)?.outcome, "refused", name);
  for (const name of ["references doubled by anyOf", "references doubled by if", "the pattern ^(a*)\\1\\1b$", "a value nested as deep as messages may be"]) {
    assert.match(found.get(name)?.outcome ?? "", name.startsWith("a value") ? /fits|does not fit/ : /given up/, name);
  }
});

test("what is shared by a thousand schemas is no dearer than what each has", () => {
  // Pointers and identifiers begin with those of the schemas around them: these must not be copied, compared or kept for each.
  const [schema] = HOSTILE["long names above many schemas"]!(1);
  assert.equal(compileSchema(schema).check({}), undefined);
});
