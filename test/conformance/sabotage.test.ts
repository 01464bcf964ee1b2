// Wrong engines, readers, guards and servers: each patch of sabotage/patches makes one rule of the sources wrong, and the kit of
// src/conformance/kit.ts must catch it and name the requirement.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LEAST_PASSED } from "./sabotage/mutant.ts";
import { measureAll } from "./sabotage/measure.ts";
import { applyPatch, readPatches, type Patch } from "./sabotage/patches.ts";
import { open, requirements, vectors } from "./vectors.ts";

const patches = readPatches();

/** MUSTs that no vector can show, and why: what proves them are tests. A mutant of them would pass the kit. */
const SHOWN_BY_TESTS: Readonly<Record<string, string>> = {
  "context.child-span": "the spans of calls are random, and `_meta` of a call is not what vectors look at",
  "invoke.type-first": "the order of members is none of canonical text",
  "invoke.modern": "what a revision adds to each result is left out of comparisons",
  "list.not-installed": "a target is asked about interceptors, so a server without the feature is none",
  "capability.events": "what a server announces is not part of a target",
  "time.grace": "vectors fix no source that answers between its timeout and the end of its grace",
  "order.relay-posture": "a relay is put together from guards by its owner; vectors look at one guard",
  "fail.when": "a condition is a function of the chain's owner",
  "isolation.json": "the values are those that JSON cannot carry, and so no vector",
  "refresh.snapshot": "a refresh during an execution is a matter of the owner's timing",
  "config.schema": "that nothing is fetched, and that a schema cannot be used, is seen by the owner",
  "modern.seal": "a sealed state is opaque, and is the server's, not the guard's",
  "headers.routing": "vectors look at messages, not at what carries them",
  "compat.optional": "a server without the feature is no target",
};

test("the kit catches every wrong engine, and names the requirement that it breaks", async (context) => {
  const { unpatched, mutants } = await measureAll(patches);
  await context.test("the engine as it is breaks none", () => {
    assert.deepEqual([unpatched.crashed, unpatched.failed, unpatched.ran], [undefined, [], vectors.length]);
  });
  for (const [{ id, breaks, says }, measured] of mutants) {
    await context.test(`${id}: ${says}`, () => {
      if (measured instanceof Error) throw measured;
      const { crashed, ran, failed, broken, ok } = measured;
      assert.equal(crashed, undefined);
      assert.ok(failed.length <= (1 - LEAST_PASSED) * ran, `${failed.length} of ${ran} vectors fail: that is more than one wrong rule`);
      assert.ok(broken.includes(breaks), `the kit calls broken: ${broken.join(", ") || "nothing"}`);
      assert.equal(ok, false);
    });
  }
});

test("each MUST that a vector proves has a wrong engine", () => {
  const broken = new Set(patches.map(({ breaks }) => breaks));
  const missing = requirements.filter(({ id, level }) => level === "MUST" && !broken.has(id) && !open.includes(id) && SHOWN_BY_TESTS[id] === undefined);
  assert.deepEqual(missing.map(({ id }) => id), []);
});

test("the MUSTs that only tests prove are those of the list", () => {
  const byTests = requirements.filter(({ level, proofs }) => level === "MUST" && proofs.length > 0 && proofs.every((proof) => proof.startsWith("test ")));
  assert.deepEqual(byTests.map(({ id }) => id).sort(), Object.keys(SHOWN_BY_TESTS).sort());
});

test("each patch has an id of its own, and breaks a MUST", () => {
  assert.equal(new Set(patches.map(({ id }) => id)).size, patches.length);
  const musts = new Set(requirements.filter(({ level }) => level === "MUST").map(({ id }) => id));
  for (const { id, breaks } of patches) assert.ok(musts.has(breaks), `${id} breaks ${breaks}, which is no MUST`);
});

test("a patch that is not found exactly once is refused", () => {
  const source = "const a = 1;\nconst b = 1;\n";
  const patch = (...edits: readonly (readonly [string, string])[]): Patch => ({
    id: "x",
    breaks: "y",
    says: "is wrong",
    edits: edits.map(([find, replace]) => ({ file: "src/core/a.ts", find, replace })),
  });
  const apply = (...edits: readonly (readonly [string, string])[]) => applyPatch(patch(...edits), () => source).get("src/core/a.ts");
  assert.throws(() => apply(["const c", "let c"]), /x: found 0 times in src\/core\/a\.ts/);
  assert.throws(() => apply([" = 1;", " = 2;"]), /found 2 times/);
  assert.throws(() => apply(["a = 1", "c = 1"], ["a = 1", "d = 1"]), /found 0 times/);
  assert.equal(apply(["a = 1", "a = $&"], ["b = 1", "b = 3"]), "const a = $&;\nconst b = 3;\n");
});

const wrong = (id: string, ...edits: readonly (readonly [file: string, find: string, replace: string])[]): Patch => ({
  id,
  breaks: "hooks.exact",
  says: "is no mutant to learn from",
  edits: edits.map(([file, find, replace]) => ({ file, find, replace })),
});
const PATTERNS = "src/core/wire/patterns.ts";

test("a mutant that does not compile, load or come back, or that is not to be seen, is told as such, and the next one is measured", async () => {
  const patches = [
    wrong("no-source", [PATTERNS, "export function isEvent(", "export function isEvent(("]),
    wrong("no-module", [PATTERNS, "// `ns` of `ns/*`, else undefined.", "missing();"]),
    wrong("type-only", [PATTERNS, "function namespaceOf(pattern: unknown)", "function namespaceOf(pattern: string)"]),
    wrong("far-away", ["src/core/guard/relay.ts", "const ended = end();", "const ended =  end();"]),
    wrong("harmless", [PATTERNS, "  if (pattern === event || pattern === \"*\") return true;", "  if (pattern === \"*\" || pattern === event) return true;"]),
    wrong("nothing-works", [PATTERNS, "    if (hook.phase !== phase) continue;", "    continue;"]),
  ];
  const { mutants } = await measureAll(patches, { every: [27] });
  const told = [...mutants].map(([{ id }, measured]) => {
    if (measured instanceof Error) return [id, measured.message.split(":")[0]];
    return [id, measured.crashed ?? (measured.failed.length > (1 - LEAST_PASSED) * measured.ran ? "too much" : measured.broken)];
  });
  assert.deepEqual(told, [
    ["no-source", "Transform failed with 1 error"],
    ["no-module", "ReferenceError: missing is not defined"],
    ["type-only", "it changes nothing that runs"],
    ["far-away", "no vector gets to src/core/guard/relay.ts"],
    ["harmless", []],
    ["nothing-works", "too much"],
  ]);
});
