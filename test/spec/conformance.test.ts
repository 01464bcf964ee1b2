import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { conformanceText, readMaterial, REPORT, type Material } from "../../spec/write-conformance.ts";

const material = readMaterial();

test("the committed page is what requirements, vectors and points give", () => {
  assert.equal(readFileSync(REPORT, "utf8"), conformanceText(material), "CONFORMANCE.md is stale: run npm run generate");
});

test("each point has an id of its own, a place, every part in sentences, and requirements that exist", () => {
  const ids = new Set(material.requirements.map(({ id }) => id));
  assert.equal(new Set(material.points.map(({ id }) => id)).size, material.points.length);
  for (const { id, kind, where, problem, reading, because, proposal, requirements } of material.points) {
    assert.match(kind, /^(?:contradiction|silence)$/, id);
    for (const text of [problem, reading, because, proposal]) assert.match(text, /^[A-Z`\d-].*[.?]$/s, id);
    assert.ok(where.length > 0 && requirements.length > 0, id);
    for (const requirement of requirements) assert.ok(ids.has(requirement), `${id}: there is no requirement ${requirement}`);
  }
});

test("a requirement without a proof is open, one with tests alone is counted apart, and vectors are counted by file", () => {
  const requirement = (id: string, proofs: string[]): Material["requirements"][number] => ({ id, level: "MUST", source: "reading", section: "1", text: "It holds.", proofs });
  const text = conformanceText({
    document: "X",
    points: [],
    vectors: new Map([["chain/a/1", "chain/a.json"], ["chain/a/2", "chain/a.json"]]),
    requirements: [requirement("none", []), requirement("tested", ["test core/x.test.ts: does | so"]), requirement("shown", ["chain/a/1", "chain/a/2"])],
  });
  assert.match(text, /\| MUST \| 3 \| 1 \| 1 \| 1 \|/);
  assert.match(text, /## Open\n\n- `none` \(MUST\): It holds\.\n/);
  assert.match(text, /\| `tested` \| MUST \| 1 \| It holds\. \| \[x\.test\.ts\]\(\.\.\/test\/core\/x\.test\.ts\): does \\\| so \|/);
  assert.match(text, /\| \[chain\/a\]\(vectors\/chain\/a\.json\) 2 \|/);
});
