import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { diffJson } from "../../../src/core/base/json-diff.ts";

function diff(before: unknown, after: unknown): string[] {
  return diffJson(before, after).map(({ pointer, kind }) => `${kind} ${pointer}`);
}

describe("diffJson", () => {
  it("finds nothing between equal values, whatever the order of their members", () => {
    assert.deepEqual(diff({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }), []);
    assert.deepEqual(diff({ a: undefined }, {}), []);
    assert.deepEqual(diff({}, { a: undefined }), []);
    assert.deepEqual(diff([0], [-0]), []);
  });

  it("names the root where the kinds differ", () => {
    for (const [before, after] of [[1, 2], [{}, []], [[], {}], [null, {}], [{}, null], ["a", ["a"]]]) {
      assert.deepEqual(diff(before, after), ["replaced "]);
    }
  });

  it("names members that are added, removed and replaced, old ones first", () => {
    assert.deepEqual(diff({ a: 1, b: { c: 1, "x/y": 2 }, d: 4 }, { z: 1, b: { c: 2 }, d: 4, y: 2 }), [
      "removed /a", "replaced /b/c", "removed /b/x~1y", "added /z", "added /y",
    ]);
  });

  it("names nothing below a value that is new or gone", () => {
    assert.deepEqual(diff({ a: { b: { c: 1 } } }, { d: { e: 1 } }), ["removed /a", "added /d"]);
  });

  it("takes a member that becomes undefined for removed, and one that was for added", () => {
    assert.deepEqual(diff({ a: 1, b: undefined }, { a: undefined, b: 1 }), ["removed /a", "added /b"]);
  });

  it("is not fooled by members that the prototype lends", () => {
    assert.deepEqual(diff({}, JSON.parse('{"__proto__":1,"constructor":2}')), ["added /__proto__", "added /constructor"]);
    assert.deepEqual(diff(JSON.parse('{"__proto__":{}}'), JSON.parse('{"__proto__":{"a":1}}')), ["added /__proto__/a"]);
    assert.deepEqual(diff(JSON.parse('{"__proto__":{},"toString":1}'), {}), ["removed /__proto__", "removed /toString"]);
  });

  it("finds one item that goes or comes, wherever it is", () => {
    const list = [{ id: 1 }, { id: 2 }, { id: 3 }];
    assert.deepEqual(diff(list, list.slice(1)), ["removed /0"]);
    assert.deepEqual(diff(list, [list[0], list[2]]), ["removed /1"]);
    assert.deepEqual(diff(list, list.slice(0, 2)), ["removed /2"]);
    assert.deepEqual(diff(list, [0, ...list]), ["added /0"]);
    assert.deepEqual(diff(list, [...list, 0]), ["added /3"]);
    assert.deepEqual(diff([1, 1], [1, 1, 1]), ["added /2"]);
  });

  it("compares lists of one length item by item", () => {
    assert.deepEqual(diff([1, { a: 1 }, 3], [1, { a: 2 }, 4]), ["replaced /1/a", "replaced /2"]);
  });

  it("compares what is between the common head and tail item by item", () => {
    assert.deepEqual(diff([0, { a: 1 }, 2, 9], [0, { a: 2 }, 9]), ["replaced /1/a", "removed /2"]);
    assert.deepEqual(diff([0, { a: 1 }, 9], [0, { a: 2 }, 5, 9]), ["replaced /1/a", "added /2"]);
  });

  it("takes no time exponential in the depth on nested lists of different lengths", () => {
    let reads = 0;
    let before: unknown = { get innermost() { return reads++; } };
    let after: unknown = { innermost: -1 };
    for (let depth = 0; depth < 16; depth++) {
      before = [before, 0];
      after = [after, 0, 0];
    }
    assert.equal(diffJson(before, after).length, 17);
    assert.ok(reads <= 4, String(reads));
  });
});
