import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "../../src/core/schema/schema.ts";
import { lineTransport } from "../../src/core/transport/line-transport.ts";
import { canonicalPair } from "../../src/conformance/compare.ts";
import { observe } from "../../src/conformance/observe.ts";
import { directTarget } from "../../src/conformance/own-target.ts";
import type { Target } from "../../src/conformance/target.ts";
import type { Vector } from "../../src/conformance/vector.ts";
import { bytePipes } from "../support/byte-pipe.ts";
import { memory, over, targetOver, type Seam } from "./connected-target.ts";
import { http } from "./http-seam.ts";
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

const lines = over(() => {
  const [near, far] = bytePipes({ chunkBytes: 1000 });
  return [lineTransport(near, { invalid: "drop" }), lineTransport(far, { invalid: "answer" })];
});

/** By how a target is reached: the canonical texts of what it made of each vector. */
const texts = new Map<string, ReadonlyMap<string, string>>();

async function run(name: string, target: Target, wanted: (vector: Vector) => boolean): Promise<void> {
  const wrong: string[] = [];
  const seen = new Map<string, string>();
  for (const vector of vectors.filter(wanted)) {
    const { expected, actual } = canonicalPair(vector.expect, await observe(structuredClone(vector), target));
    if (expected !== actual) wrong.push(`${vector.id}: ${vector.title}\n  expected ${expected}\n  actual   ${actual}`);
    seen.set(vector.id, actual);
  }
  texts.set(name, seen);
  assert.deepEqual(wrong, [], wrong.join("\n"));
}

const needsConnection = (vector: Vector) => "only" in vector;
const overConnections = ({ kind }: Vector) => kind === "list" || kind === "invoke" || kind === "chain";

test("all vectors hold in process", async () => {
  await run("in process", directTarget(fixtures), (vector) => !needsConnection(vector));
});

const SEAMS: readonly (readonly [name: string, seam: Seam])[] = [
  ["memory", memory],
  ["lines of text", lines],
  ["HTTP, with a handshake", http("handshake")],
  ["HTTP, stateless", http("stateless")],
];

for (const [name, seam] of SEAMS) {
  test(`all vectors that a connection can show hold over ${name}`, async () => {
    const { target, close } = await targetOver(seam, fixtures);
    await run(name, target, overConnections);
    await close();
  });
}

test("each of these vectors gives the same canonical text in process and over every connection", () => {
  assert.deepEqual([...texts.keys()], ["in process", ...SEAMS.map(([name]) => name)]);
  for (const vector of vectors.filter(overConnections)) {
    const reached = [...texts].filter(([name]) => name !== "in process" || !needsConnection(vector));
    const [first, ...others] = reached.map(([, seen]) => seen.get(vector.id));
    assert.ok(first !== undefined, vector.id);
    for (const other of others) assert.equal(other, first, vector.id);
  }
});
