import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { open, requirements, vectors } from "./vectors.ts";

const ids = new Set(requirements.map(({ id }) => id));

test("requirements have an id of their own, a level, a source and a sentence", () => {
  assert.equal(ids.size, requirements.length);
  for (const { id, level, source, section, text } of requirements) {
    assert.match(level, /^(?:MUST|SHOULD|MAY)$/, id);
    assert.match(source, /^(?:SEP-2624|reading)$/, id);
    assert.ok(section.length > 0 && text.endsWith("."), id);
  }
});

test("each requirement has a proof, or is on the list of those that are open", (context) => {
  assert.deepEqual(requirements.filter(({ proofs }) => proofs.length === 0).map(({ id }) => id), open);
  if (open.length > 0) context.diagnostic(`open: ${open.join(", ")}`);
});

test("each vector proves requirements that exist, and they name it", () => {
  for (const { id, requirements: proven } of vectors) {
    for (const requirement of proven) assert.ok(ids.has(requirement), `${id}: there is no requirement ${requirement}`);
  }
  for (const { id, proofs } of requirements) {
    const named = proofs.filter((proof) => !proof.startsWith("test ")).sort();
    assert.deepEqual(named, vectors.filter((vector) => vector.requirements.includes(id)).map((vector) => vector.id).sort(), id);
  }
});

test("each test that a requirement names is there", () => {
  for (const { id, proofs } of requirements) {
    for (const proof of proofs.filter((text) => text.startsWith("test "))) {
      const [, file = "", name = ""] = /^test (\S+): (.+)$/.exec(proof) ?? [];
      const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
      assert.ok(file !== "" && existsSync(path), `${id}: ${proof}`);
      assert.ok(readFileSync(path, "utf8").includes(name), `${id}: ${proof}`);
    }
  }
});
