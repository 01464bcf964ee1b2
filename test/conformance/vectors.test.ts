import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "../../src/core/schema/schema.ts";
import { lineTransport } from "../../src/core/transport/line-transport.ts";
import { canonicalPair } from "../../src/conformance/compare.ts";
import { observe } from "../../src/conformance/observe.ts";
import { directTarget } from "../../src/conformance/own-target.ts";
import type { Target } from "../../src/conformance/target.ts";
import { bytePipes } from "../support/byte-pipe.ts";
import { memory, targetOver, type Pair } from "./connected-target.ts";
import { files, fixtures, vectors, vectorSchema } from "./vectors.ts";

test("each file of vectors fits the schema of vectors", () => {
  const schema = compileSchema(vectorSchema);
  for (const [file, content] of files) {
    const problems = schema.checkAll(content, 3);
    assert.deepEqual(problems, [], `${file}: ${JSON.stringify(problems)}`);
  }
});

test("the ids of vectors are unique, and begin with their kind", () => {
  assert.equal(new Set(vectors.map(({ id }) => id)).size, vectors.length);
  for (const { id, kind } of vectors) assert.ok(id.startsWith(`${kind}/`), id);
});

test("there are at least 150 vectors, and some of each kind", () => {
  assert.ok(vectors.length >= 150, String(vectors.length));
  for (const kind of ["descriptor", "list", "invoke", "chain", "dialect", "guard"]) assert.ok(vectors.some((vector) => vector.kind === kind), kind);
});

const lines: Pair = () => {
  const [near, far] = bytePipes({ chunkBytes: 1000 });
  return [lineTransport(near, { invalid: "drop" }), lineTransport(far, { invalid: "answer" })];
};

async function run(target: Target, wanted: (vector: (typeof vectors)[number]) => boolean): Promise<void> {
  const wrong: string[] = [];
  for (const vector of vectors.filter(wanted)) {
    const { expected, actual } = canonicalPair(vector.expect, await observe(structuredClone(vector), target));
    if (expected !== actual) wrong.push(`${vector.id}: ${vector.title}\n  expected ${expected}\n  actual   ${actual}`);
  }
  assert.deepEqual(wrong, [], wrong.join("\n"));
}

test("all vectors hold in process", async () => {
  await run(directTarget(fixtures), (vector) => !("only" in vector));
});

for (const [name, pair] of [["memory", memory], ["lines of text", lines]] as const) {
  test(`all vectors that a connection can show give the same canonical text over ${name}`, async () => {
    const { target, close } = await targetOver(pair, fixtures);
    await run(target, ({ kind }) => kind === "list" || kind === "invoke" || kind === "chain");
    await close();
  });
}
