import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatPointer } from "../../../src/core/base/json.ts";
import { itemSpans, sourceAt } from "../../../src/core/base/json-spans.ts";
import { seededRandom } from "../../support/random.ts";
import { randomJson, randomText } from "../../support/random-json.ts";

function slice(text: string, pointer: string): string | undefined {
  const span = sourceAt(text, pointer);
  return span && text.slice(span.start, span.end);
}

function places(value: unknown, path: (string | number)[] = []): [string, unknown][] {
  const inside = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return [[formatPointer(path), value], ...inside.flatMap(([step, item]) => places(item, [...path, step]))];
}

describe("sourceAt", () => {
  it("finds the source of every place of random values", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const random = seededRandom(seed);
      const text = ` ${randomText(random, randomJson(random, 4))}\n`;
      for (const [pointer, value] of places(JSON.parse(text))) {
        const source = slice(text, pointer);
        assert.ok(source !== undefined && source.trim() === source, `seed ${seed}: ${pointer} in ${text}`);
        assert.deepStrictEqual(JSON.parse(source), value, `seed ${seed}: ${pointer} in ${text}`);
      }
    }
  });

  it("gives the exact source, without the white space around it", () => {
    const text = '{ "params" : { "n":1.10 , "list":[ 1915883588174806058 ,"\\u00e9" ] } }';
    assert.equal(slice(text, ""), text);
    assert.equal(slice(text, "/params"), '{ "n":1.10 , "list":[ 1915883588174806058 ,"\\u00e9" ] }');
    assert.equal(slice(text, "/params/n"), "1.10");
    assert.equal(slice(text, "/params/list/0"), "1915883588174806058");
    assert.equal(slice(text, "/params/list/1"), '"\\u00e9"');
  });

  it("compares names after unescaping, and never a part of a name", () => {
    const text = '{"na":0,"names":1,"n\\u0061me":2,"a\\"b":3,"\\\\":4}';
    assert.equal(slice(text, "/name"), "2");
    assert.equal(slice(text, '/a"b'), "3");
    assert.equal(slice(text, "/\\"), "4");
    assert.equal(sourceAt(text, "/nam"), undefined);
    assert.equal(sourceAt(text, "/n\\u0061me"), undefined);
  });

  it("gives nothing where the pointer leads nowhere or is none", () => {
    const text = '{"a":[1,2],"b":{},"c":[],"s":"x"}';
    const lost = ["/x", "/a/2", "/a/-", "/a/01", "/a/-1", "/a/length", "/b/x", "/c/0", "/s/0", "/s/length", "/__proto__", "/constructor"];
    for (const pointer of [...lost, "a", "/a~2"]) {
      assert.equal(sourceAt(text, pointer), undefined, pointer);
    }
  });

  it("ends on texts that are no JSON", () => {
    for (const text of ["", "{", '{"', '{"a', '{"a"', '{"a":', '{"a":"', "[", "[1", "[1,", '["', "{a", "]", '{"a":[[}', "[[[[", '{"a":1 "b"']) {
      for (const pointer of ["", "/a", "/b", "/0", "/5", "/a/0"]) sourceAt(text, pointer);
    }
  });
});

describe("itemSpans", () => {
  it("finds the source of each item of a random list", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = seededRandom(seed);
      const list = Array.from({ length: random.below(4) }, () => randomJson(random, 3));
      const text = ` ${randomText(random, list)} `;
      assert.deepStrictEqual(itemSpans(text).map(({ start, end }) => JSON.parse(text.slice(start, end))), JSON.parse(text), `seed ${seed}: ${text}`);
    }
  });

  it("finds none in what is no list, and ends on a text that is no JSON", () => {
    for (const text of ["", " ", "{}", '"[1]"', "[]", "[ ]"]) assert.deepStrictEqual(itemSpans(text), [], text);
    for (const text of ["[", "[,", "[1", '["', "[{", "[1 2"]) itemSpans(text);
  });
});
