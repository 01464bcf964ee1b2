import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BriefMap } from "../../../src/core/base/brief-map.ts";

describe("BriefMap", () => {
  it("has nothing before the first item", () => {
    const map = new BriefMap<number, string>();
    assert.deepEqual([map.size, map.has(1), map.get(1), map.delete(1), map.keys(), map.values()], [0, false, undefined, undefined, [], []]);
  });

  it("tells the keys 1 and \"1\" apart, and keeps the order of their coming", () => {
    const map = new BriefMap<number | string, string>();
    map.set(1, "number");
    map.set("1", "text");
    assert.deepEqual([map.get(1), map.get("1"), map.size], ["number", "text", 2]);
    assert.deepEqual([map.keys(), map.values()], [[1, "1"], ["number", "text"]]);
  });

  it("gives what it forgets, once, and a new item for a key that is set again", () => {
    const map = new BriefMap<string, string>();
    map.set("a", "old");
    map.set("a", "new");
    assert.deepEqual([map.size, map.delete("a"), map.delete("a"), map.has("a")], [1, "new", undefined, false]);
  });

  it("lists what was there, whatever goes while the list is gone over", () => {
    const map = new BriefMap<number, string>();
    for (const key of [1, 2, 3]) map.set(key, `item ${key}`);
    const seen: string[] = [];
    for (const item of map.values()) {
      seen.push(item);
      map.clear();
    }
    assert.deepEqual([seen, map.size], [["item 1", "item 2", "item 3"], 0]);
  });
});
