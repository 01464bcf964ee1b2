import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLinkedList } from "../../../src/core/base/linked-list.ts";

describe("a linked list", () => {
  it("gives its items in the order of their coming, whichever of them leave", () => {
    const list = createLinkedList<string>();
    const [a, b, c] = ["a", "b", "c"].map((item) => list.add(item));
    list.remove(b!);
    assert.deepEqual([...list], ["a", "c"]);
    list.remove(b!);
    list.remove(c!);
    list.add("d");
    list.remove(a!);
    assert.deepEqual([...list], ["d"]);
    assert.equal(list.size, 1);
  });

  it("leads from nothing that was removed to anything that is there", () => {
    const list = createLinkedList<string>();
    const [a, b, c] = ["a", "b", "c"].map((item) => list.add(item));
    list.remove(b!);
    assert.deepEqual(b, { item: undefined, before: undefined, after: undefined });
    assert.equal(a!.after, c);
  });

  it("may change while it is gone over", () => {
    const list = createLinkedList<number>();
    const nodes = [1, 2, 3].map((item) => list.add(item));
    const seen: number[] = [];
    for (const item of list) {
      seen.push(item);
      for (const node of nodes) list.remove(node);
      list.add(4);
    }
    assert.deepEqual(seen, [1, 2, 3]);
    assert.deepEqual([...list], [4, 4, 4]);
  });
});
