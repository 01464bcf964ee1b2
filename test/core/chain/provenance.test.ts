import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneJson, equalJson, formatPointer, isObject, parsePointer, setMember } from "../../../src/core/base/json.ts";
import { traceChanges } from "../../../src/core/chain/provenance.ts";
import type { ChainResult } from "../../../src/core/chain/result.ts";
import { writersOf } from "../../../src/core/chain/writers.ts";
import { randomObject, randomJson } from "../../support/random-json.ts";
import { seededRandom, type Random } from "../../support/random.ts";
import { CALL, mutates, rig } from "./kit.ts";

const POINTERS = { mode: "pointers", max: 1_000, maxDepth: 64 } as const;
const VALUES = { ...POINTERS, mode: "values" } as const;

/** A chain of mutators that do one thing each, run on a payload with its mutations recorded. */
async function run(payload: unknown, handlers: readonly ((payload: never) => unknown)[], options = {}): Promise<ChainResult> {
  const { chain } = rig({ provenance: "pointers", ...options });
  chain.add(handlers.map((handle, index) => mutates({ name: `m${index}`, priorityHint: index }, ({ payload: given }) => handle(given as never))));
  return chain.execute({ ...CALL, payload });
}

const told = (result: ChainResult, pointer: string) => writersOf(result, pointer).writers.map(({ interceptor, changes }) => [interceptor, ...changes.map(({ kind, relation }) => `${kind} ${relation}`)]);

test("a mutation records which places it added, removed and replaced, without their values", async () => {
  const result = await run({ name: "a", arguments: { secret: "s", keep: 1 } }, [() => ({ name: "b", arguments: { keep: 1, extra: "e" } })]);
  assert.deepEqual(result.results[0]?.provenance, {
    changes: [
      { pointer: "/name", kind: "replaced" },
      { pointer: "/arguments/secret", kind: "removed" },
      { pointer: "/arguments/extra", kind: "added" },
    ],
  });
});

test("with values asked for, each change has what was there and what is there, as copies", () => {
  const before = { a: { deep: [1] }, b: 1 };
  const after = { a: { deep: [1, 2] }, c: { x: 1 } };
  const { changes } = traceChanges(before, after, VALUES);
  assert.deepEqual(changes, [
    { pointer: "/a/deep/1", kind: "added", after: 2 },
    { pointer: "/b", kind: "removed", before: 1 },
    { pointer: "/c", kind: "added", after: { x: 1 } },
  ]);
  after.c.x = 2;
  assert.deepEqual(changes[2]?.after, { x: 1 });
});

test("nothing is recorded where nobody asks, and the caller of an execution has the last word", async () => {
  const plain = await run({ name: "a" }, [() => ({ name: "b" })], { provenance: false });
  assert.equal("provenance" in plain.results[0]!, false);
  const { chain } = rig({ provenance: "values" });
  chain.add(mutates({ name: "m" }, () => ({ name: "b" })));
  const recorded = async (provenance?: "pointers" | "values" | false) => (await chain.execute({ ...CALL, provenance })).results[0]?.provenance?.changes[0];
  assert.deepEqual(await recorded(), { pointer: "/name", kind: "replaced", before: "echo", after: "b" });
  assert.deepEqual(await recorded("pointers"), { pointer: "/name", kind: "replaced" });
  assert.equal(await recorded(false), undefined);
  await assert.rejects(chain.execute({ ...CALL, provenance: "all" as never }), { code: "invalid_argument" });
  assert.throws(() => rig({ provenance: true as never }), { code: "invalid_argument" });
});

test("a validator, a mutator that changes nothing and one that fails have no record; a shadow mutator records what it would have done", async () => {
  const { chain } = rig({ provenance: "pointers" });
  chain.add([
    mutates({ name: "same" }, ({ payload }) => payload),
    mutates({ name: "fails", failOpen: true }, () => assert.fail("x")),
    mutates({ name: "shadow", mode: "audit" }, () => ({ name: "s" })),
  ]);
  const result = await chain.execute(CALL);
  const records = result.results.map(({ interceptor, provenance }) => [interceptor, provenance?.changes.length]);
  assert.deepEqual(records, [["fails", undefined], ["same", undefined], ["shadow", 2]]);
  assert.deepEqual(writersOf(result, "/name"), { writers: [], original: "/name", complete: true });
});

test("a record names so many places and no more, and says how many it leaves out", async () => {
  const wide = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`k${at}`, at]));
  const { changes, more } = traceChanges({}, wide, { ...POINTERS, max: 4 });
  assert.deepEqual([changes.length, more], [4, 5]);
  assert.equal("more" in traceChanges({}, wide, { ...POINTERS, max: 9 }), false);
  const result = await run({}, [() => wide], { limits: { maxProvenance: 4 } });
  assert.deepEqual(writersOf(result, "/k8"), { writers: [], original: "/k8", complete: false });
  assert.equal(told(result, "/k1").length, 1);
});

test("the writers of a field are those of the field itself, of what is around it, and of what is within it, in order", async () => {
  const result = await run({ a: { b: { c: 1 } }, x: 1 }, [
    () => ({ a: { b: { c: 2 } }, x: 1 }),
    () => ({ a: "gone", x: 1 }),
    () => ({ a: { b: { c: 3 } }, x: 1 }),
    () => ({ a: { b: { c: 3, d: 4 } }, x: 1 }),
  ]);
  assert.deepEqual(told(result, "/a/b/c"), [["m0", "replaced itself"], ["m1", "replaced around"], ["m2", "replaced around"]]);
  assert.deepEqual(told(result, "/a"), [["m0", "replaced within"], ["m1", "replaced itself"], ["m2", "replaced itself"], ["m3", "added within"]]);
  assert.deepEqual(told(result, "/a/b/d"), [["m1", "replaced around"], ["m2", "replaced around"], ["m3", "added itself"]]);
  assert.deepEqual(told(result, "/x"), []);
  assert.equal(told(result, "").length, 4);
});

test("the remover of a field is among its writers", async () => {
  const result = await run({ a: 1 }, [() => ({}), () => ({ a: 2 })]);
  assert.deepEqual(told(result, "/a"), [["m0", "removed itself"], ["m1", "added itself"]]);
});

test("an item whose index has shifted is followed back, and one that was put in has no origin", async () => {
  const list = [{ t: "a" }, { t: "b" }, { t: "c" }];
  const result = await run({ list }, [
    // b is edited where it stands, then something is put before it, then the first item goes.
    () => ({ list: [{ t: "a" }, { t: "B" }, { t: "c" }] }),
    () => ({ list: [{ t: "a" }, { t: "new" }, { t: "B" }, { t: "c" }] }),
    () => ({ list: [{ t: "new" }, { t: "B" }, { t: "c" }] }),
  ]);
  assert.deepEqual(writersOf(result, "/list/1/t"), {
    writers: [{ interceptor: "m0", address: "local/m0", changes: [{ pointer: "/list/1/t", kind: "replaced", relation: "itself" }] }],
    original: "/list/1/t",
    complete: true,
  });
  const born = writersOf(result, "/list/0/t");
  assert.deepEqual([told(result, "/list/0/t"), born.original], [[["m1", "added around"]], undefined]);
  assert.deepEqual(writersOf(result, "/list/2/t"), { writers: [], original: "/list/2/t", complete: true });
  assert.deepEqual(told(result, "/list"), [["m0", "replaced within"], ["m1", "added within"], ["m2", "removed within"]]);
});

test("what is no pointer is refused", async () => {
  const result = await run({}, []);
  for (const wrong of ["a", "/~", "/~2"]) assert.throws(() => writersOf(result, wrong), { code: "invalid_argument" });
});

const SEED = 6;
test(`a field without writers is what it was at its origin, over random mutations (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  let unwritten = 0;
  for (let round = 0; round < 120; round++) {
    const payload = cloneJson(randomObject(random, 4));
    const versions: unknown[] = [payload];
    for (let step = 0; step < 3; step++) versions.push(cloneJson(edited(random, versions[step])));
    const result = await run(payload, versions.slice(1).map((version) => () => version));
    const final = result.finalPayload;
    assert.deepEqual(final, versions[3]);
    for (const path of pathsOf(final)) {
      const pointer = formatPointer(path);
      const { writers, original, complete } = writersOf(result, pointer);
      assert.equal(complete, true);
      if (writers.length > 0) continue;
      unwritten++;
      assert.ok(original !== undefined);
      const [now, then] = [at(final, path), at(payload, parsePointer(original)!)];
      assert.ok(equalJson(now, then), `seed ${SEED}, round ${round}: ${pointer} from ${original} in ${JSON.stringify([...versions])}`);
    }
  }
  assert.ok(unwritten > 200, String(unwritten));
});

function edited(random: Random, value: unknown): unknown {
  if (random.below(8) === 0) return isObject(value) && random.below(2) === 0 ? randomObject(random, 2) : value;
  if (Array.isArray(value)) {
    const items = value.map((item) => (random.below(3) === 0 ? edited(random, item) : item));
    if (random.below(2) === 0) items.splice(random.below(items.length + 1), random.below(2), ...(random.below(2) === 0 ? [randomJson(random, 1)] : []));
    return items;
  }
  if (!isObject(value)) return random.below(2) === 0 ? value : randomJson(random, 1);
  const copy = {};
  for (const name of Object.keys(value)) if (random.below(10) > 0) setMember(copy, name, random.below(2) === 0 ? edited(random, value[name]) : value[name]);
  if (random.below(4) === 0) setMember(copy, "extra", random.below(9));
  return copy;
}

function* pathsOf(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  yield path;
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* pathsOf(item, [...path, String(index)]);
  else if (isObject(value)) for (const name of Object.keys(value)) yield* pathsOf(value[name], [...path, name]);
}

function at(value: unknown, path: readonly string[]): unknown {
  for (const step of path) value = Array.isArray(value) ? value[Number(step)] : isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return value;
}
