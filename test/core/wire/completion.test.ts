import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, textOf } from "../../../src/core/wire/completion.ts";
import type { LlmContentBlock } from "../../../src/core/wire/gen/completion.ts";

const BLOCKS: LlmContentBlock[] = [
  { type: "reasoning", text: "hm" },
  { type: "text", text: "a" },
  { type: "tool_use", id: "1", name: "f", input: { text: "x" } },
  { type: "text", text: "b" },
];

test("the text of content is that of its text blocks, in order", () => {
  assert.equal(textOf(BLOCKS), "ab");
  assert.equal(textOf("plain"), "plain");
  assert.equal(textOf([]), "");
});

test("a plain text is one block, and a list is its own", () => {
  assert.deepEqual(blocksOf("plain"), [{ type: "text", text: "plain" }]);
  assert.equal(blocksOf(BLOCKS), BLOCKS);
});
