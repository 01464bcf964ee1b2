import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { diffJson } from "../../../src/core/base/json-diff.ts";
import { sourceAt } from "../../../src/core/base/json-spans.ts";
import { scanJson } from "../../../src/core/base/json-text.ts";
import { cloneJson, equalJson, formatPointer, isObject, setMember } from "../../../src/core/base/json.ts";
import { splice, spliceText } from "../../../src/core/base/splice.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { seededRandom, type Random } from "../../support/random.ts";
import { randomJson, randomObject, randomText } from "../../support/random-json.ts";

function spliced(text: string, change: (value: never) => unknown): string {
  const before: unknown = JSON.parse(text);
  const after = change(cloneJson(before) as never);
  const { text: written } = splice(text, before, after);
  assert.equal(spliceText(text, before, after), written, "the text alone is the same");
  return written;
}

/** Edits a private copy at random places: members and items go, come, change and move. */
function mutate(random: Random, value: unknown): unknown {
  if (Array.isArray(value)) {
    const list: unknown[] = value.map((item) => (random.below(4) === 0 ? mutate(random, item) : item));
    if (random.below(3) === 0) list.splice(random.below(list.length + 1), random.below(3));
    if (random.below(3) === 0) list.splice(random.below(list.length + 1), 0, randomJson(random, 2));
    return list;
  }
  if (isObject(value) && random.below(6) > 0) {
    const object = {};
    const members = Object.entries(value);
    if (random.below(4) === 0) members.reverse();
    for (const [name, item] of members) {
      if (random.below(6) > 0) setMember(object, name, random.below(3) === 0 ? mutate(random, item) : item);
    }
    if (random.below(3) === 0) for (const [name, item] of Object.entries(randomObject(random, 2))) setMember(object, name, item);
    return object;
  }
  return randomJson(random, 2);
}

// The lexemes of equal scalars at equal places, as far as no list above them changed its length.
function checkLexemes(before: unknown, after: unknown, oldText: string, newText: string, path: string[] = []): void {
  if (typeof before !== "object" || before === null) {
    if (before !== after) return;
    const pointer = formatPointer(path);
    const [old, now] = [sourceAt(oldText, pointer)!, sourceAt(newText, pointer)!];
    assert.equal(newText.slice(now.start, now.end), oldText.slice(old.start, old.end), pointer);
  } else if (typeof after === "object" && after !== null && Array.isArray(before) === Array.isArray(after)) {
    if (Array.isArray(before) && Array.isArray(after) && before.length !== after.length) return;
    for (const [name, item] of Object.entries(before)) {
      if (!Object.hasOwn(after, name)) continue;
      checkLexemes(item, Object.getOwnPropertyDescriptor(after, name)!.value, oldText, newText, [...path, name]);
    }
  }
}

describe("splice", () => {
  it("gives text of the value after, with the lexemes of all that is untouched, for random edits", () => {
    let changed = 0;
    for (let seed = 1; seed <= 3000; seed++) {
      const random = seededRandom(seed);
      const text = `${random.pick(["", "\n "])}${randomText(random, randomJson(random, 5))}${random.pick(["", " "])}`;
      const before: unknown = JSON.parse(text);
      const after = cloneJson(mutate(random, cloneJson(before)));
      const hint = `seed ${seed}: ${text} to ${JSON.stringify(after)}`;
      const result = splice(text, before, after);
      const { value, refusal } = scanJson(result.text);
      assert.equal(refusal, undefined, `${hint} gave ${result.text}`);
      assert.ok(equalJson(value, after), `${hint} gave ${result.text}`);
      assert.deepEqual(result.changes, diffJson(before, after), hint);
      assert.equal(result.text === text, equalJson(before, after), hint);
      assert.equal(result.changes.length === 0, equalJson(before, after), hint);
      checkLexemes(before, after, text, result.text);
      if (result.changes.length > 0) changed++;
    }
    assert.ok(changed > 1000);
  });

  it("keeps every other item's source when one item of a list goes or comes", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const random = seededRandom(seed);
      const items = Array.from({ length: 1 + random.below(6) }, () => randomText(random, randomJson(random, 2)));
      const text = `[${items.join(", ")}]`;
      const before = JSON.parse(text) as unknown[];
      const at = random.below(items.length);
      const less = before.toSpliced(at, 1);
      assert.deepEqual(sources(splice(text, before, less).text, less.length).sort(), without(items, before, less).sort(), `seed ${seed}`);
      const more = before.toSpliced(at, 0, "new");
      assert.deepEqual(sources(splice(text, before, more).text, more.length), items.toSpliced(at, 0, '"new"'), `seed ${seed}`);
    }
  });

  it("copies big integers, number forms, escapes and white space byte for byte", () => {
    const text = '{ "id":1915883588174806058,\n "a" : 1.10 , "b":1e2,"c":"\\/\\u00e9", "change":1 ,"list":[ 1.0,2.0 ] }';
    assert.equal(
      spliced(text, (value: object) => ({ ...value, change: "two" })),
      '{ "id":1915883588174806058,\n "a" : 1.10 , "b":1e2,"c":"\\/\\u00e9", "change":"two" ,"list":[ 1.0,2.0 ] }',
    );
  });

  it("takes a number for untouched if its lexeme parses to the same value", () => {
    const after = { n: 0, big: Number("1915883588174806058"), x: 2 };
    assert.equal(spliced('{"n":-0,"big":1915883588174806058,"x":1}', () => after), '{"n":-0,"big":1915883588174806058,"x":2}');
  });

  it("gives the same string back where nothing changed, whatever the order of members", () => {
    const text = '{"a" : 1.0, "b": [1e0]}';
    assert.deepEqual(splice(text, { a: 1, b: [1] }, { b: [1], a: 1 }), { text, changes: [] });
  });

  it("removes members with their comma, and keeps the white space of the others", () => {
    const text = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}';
    assert.equal(spliced(text, () => ({ b: 2, c: 3 })), '{\n  "b": 2,\n  "c": 3\n}');
    assert.equal(spliced(text, () => ({ a: 1, c: 3 })), '{\n  "a": 1,\n  "c": 3\n}');
    assert.equal(spliced(text, () => ({ a: 1, b: 2 })), '{\n  "a": 1,\n  "b": 2\n}');
    assert.equal(spliced(text, () => ({ b: 2 })), '{\n  "b": 2\n}');
    assert.equal(spliced(text, () => ({})), "{\n}");
  });

  it("appends added members in the order of the value after", () => {
    assert.equal(spliced('{"a":1 }', () => ({ z: [1, 2], a: 1, b: "x" })), '{"a":1,"z":[1,2],"b":"x" }');
    assert.equal(spliced("{ }", () => ({ a: 1 })), '{"a":1 }');
    assert.equal(spliced('{"a":1}', () => ({ b: 2 })), '{"b":2}');
    assert.equal(spliced("{}", () => JSON.parse('{"__proto__":{"a":1}}')), '{"__proto__":{"a":1}}');
  });

  it("edits lists at head, middle and tail", () => {
    const text = "[1.0, 2.0 ,3.0]";
    assert.equal(spliced(text, () => [2, 3]), "[ 2.0 ,3.0]");
    assert.equal(spliced(text, () => [1, 3]), "[1.0,3.0]");
    assert.equal(spliced(text, () => [1, 2]), "[1.0, 2.0 ]");
    assert.equal(spliced(text, () => [0, 1, 2, 3]), "[0,1.0, 2.0 ,3.0]");
    assert.equal(spliced(text, () => [1, 2, 3, 4]), "[1.0, 2.0 ,3.0,4]");
    assert.equal(spliced(text, () => [1, 9, 3]), "[1.0, 9 ,3.0]");
    assert.equal(spliced(text, () => []), "[]");
    assert.equal(spliced("[ ]", () => [1, 2]), "[1,2 ]");
  });

  it("reaches members whose names are escaped in the source", () => {
    assert.equal(spliced('{"n\\u0061me":1,"b":1.0}', () => ({ name: 2, b: 1 })), '{"n\\u0061me":2,"b":1.0}');
  });

  it("replaces the root, and keeps the white space around it", () => {
    assert.equal(spliced(" 1.0\n", () => ({ a: 1 })), ' {"a":1}\n');
    assert.equal(spliced(' [1, "]"] ', () => null), " null ");
  });

  it("reports the changes with pointers into the value after, those of removals into the value before", () => {
    const text = '{"a":[1,2,3],"b":{"c":1}}';
    assert.deepEqual(splice(text, JSON.parse(text), { a: [1, 3], b: { c: 2 }, d: { e: 1 } }).changes, [
      { pointer: "/a/1", kind: "removed" },
      { pointer: "/b/c", kind: "replaced" },
      { pointer: "/d", kind: "added" },
    ]);
  });

  it("refuses a text that is not the source of the value before", () => {
    for (const [text, before, after] of [
      ["{}", { a: 1 }, { a: 2 }],
      ["[]", [1], [2]],
      ["[1,2]", [1], [2]],
      ["[1]", { a: 1 }, { a: 2 }],
      ['{"a":1}', [1], [2]],
      ['{"a"', { a: 1 }, { a: 2 }],
      ["[1", [1], [2]],
      ['{"a', { a: 1 }, {}],
      ["", [1], []],
    ] as const) {
      assert.throws(() => splice(text, before, after), { name: "LocalError", code: "invalid_argument" }, text);
    }
  });

  it("refuses to write what is no JSON", () => {
    assert.throws(() => splice("[1]", [1], [() => 1]), { name: "LocalError", code: "not_json" });
  });

  it("takes no quadratic time on wide objects and long lists", () => {
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index]));
    const long = Array.from({ length: 50_000 }, (_, index) => [index]);
    const text = JSON.stringify(wide);
    const took = cpuMs(() => {
      assert.equal(splice(text, wide, { ...wide, k5: "x" }).text, text.replace('"k5":5', '"k5":"x"'));
      assert.equal(splice(JSON.stringify(long), long, long.toSpliced(25_000, 1)).text, JSON.stringify(long.toSpliced(25_000, 1)));
    });
    assert.ok(took < 3_000, `${took} ms`);
  });
});

function sources(list: string, length: number): string[] {
  return Array.from({ length }, (_, index) => {
    const { start, end } = sourceAt(list, `/${index}`)!;
    return list.slice(start, end);
  });
}

// The sources less one whose value is missing: which of several equal neighbours goes is the diff's choice, the first of the run's end.
function without(items: string[], before: unknown[], less: unknown[]): string[] {
  let at = 0;
  while (at < less.length && equalJson(before[at], less[at])) at++;
  return items.toSpliced(at, 1);
}
