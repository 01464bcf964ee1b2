import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "../../src/cli/errors.ts";
import { quoteWord, splitWords } from "../../src/cli/words.ts";

const usage = (pattern: RegExp) => (thrown: unknown) => thrown instanceof UsageError && pattern.test(`${thrown.message} ${thrown.hint ?? ""}`);

test("a command line is split as a shell would, with nothing expanded", () => {
  assert.deepEqual(splitWords(`node  'a b' "c \\"d\\"" e\\ f $HOME '' x"y"z`), ["node", "a b", 'c "d"', "e f", "$HOME", "", "xyz"]);
  assert.deepEqual(splitWords("  "), []);
  assert.throws(() => splitWords("a 'b"), usage(/unclosed '/));
  assert.throws(() => splitWords("a \\"), usage(/backslash/));
});

test("a quoted word is one word again, and a plain one stays as it is", () => {
  assert.equal(quoteWord("./a/b-c.json"), "./a/b-c.json");
  for (const word of ["", "a b", "it's", '"$HOME"', "a\\b", "*"]) assert.deepEqual(splitWords(quoteWord(word)), [word]);
});
