import assert from "node:assert/strict";
import { test } from "node:test";
import { pointersProblem, pointerTree, valueAt } from "../../../src/core/base/json-pointer.ts";

test("a path leads to own members and items alone", () => {
  const value = JSON.parse('{"a":[{"b":1},2],"0":"zero","__proto__":{"own":1}}') as unknown;
  const rows: [string[], unknown][] = [
    [[], value],
    [["a", "0", "b"], 1],
    [["a", "1"], 2],
    [["0"], "zero"],
    [["__proto__", "own"], 1],
    [["a", "2"], undefined],
    [["a", "01"], undefined],
    [["a", "-"], undefined],
    [["a", "length"], undefined],
    [["constructor"], undefined],
    [["a", "1", "x"], undefined],
  ];
  for (const [path, expected] of rows) assert.deepEqual(valueAt(value, path), expected, path.join("/"));
});

test("a tree of pointers has each step once, and marks where a pointer ends", () => {
  const tree = pointerTree(["/a/b", "/a", "/c~1d/0"]);
  assert.deepEqual([tree.whole, [...tree.members.keys()]], [false, ["a", "c/d"]]);
  const a = tree.members.get("a");
  assert.deepEqual([a?.whole, a?.members.get("b")?.whole, a?.members.get("b")?.members.size], [true, true, 0]);
  assert.equal(pointerTree([""]).whole, true);
});

test("what is no list of pointers is told", () => {
  assert.equal(pointersProblem([]), undefined);
  assert.equal(pointersProblem(["", "/a~0~1"]), undefined);
  for (const wrong of [undefined, "/a", {}, ["a"], ["/~"], [1]]) assert.equal(typeof pointersProblem(wrong), "string", JSON.stringify(wrong));
});
