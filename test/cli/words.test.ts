import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest, UsageError } from "../../src/cli/errors.ts";
import { describeOptions, millisecondsOption, parseOptions, type OptionSpec } from "../../src/cli/options.ts";
import { splitWords } from "../../src/cli/words.ts";

const usage = (pattern: RegExp) => (thrown: unknown) => thrown instanceof UsageError && pattern.test(`${thrown.message} ${thrown.hint ?? ""}`);

test("a command line is split as a shell would, with nothing expanded", () => {
  assert.deepEqual(splitWords(`node  'a b' "c \\"d\\"" e\\ f $HOME '' x"y"z`), ["node", "a b", 'c "d"', "e f", "$HOME", "", "xyz"]);
  assert.deepEqual(splitWords("  "), []);
  assert.throws(() => splitWords("a 'b"), usage(/unclosed '/));
  assert.throws(() => splitWords("a \\"), usage(/backslash/));
});

const SPECS: readonly OptionSpec[] = [
  { name: "use", value: "NAME", many: true, help: "one" },
  { name: "side", value: "a|b", choices: ["a", "b"], help: "two" },
  { name: "quiet", help: "three\nfour" },
];

test("options are read up to --, and what follows is left alone", () => {
  const { values, positionals, rest } = parseOptions(["--use", "x", "--use=y={}", "--quiet", "word", "--", "--use", "z"], SPECS);
  assert.deepEqual(values.get("use"), ["x", "y={}"]);
  assert.equal(values.has("quiet"), true);
  assert.deepEqual(positionals, ["word"]);
  assert.deepEqual(rest, ["--use", "z"]);
});

test("a wrong option is named, with the nearest right one", () => {
  assert.throws(() => parseOptions(["--uze", "x"], SPECS), usage(/unknown option --uze did you mean --use\?/));
  assert.throws(() => parseOptions(["--use"], SPECS), usage(/--use needs a value/));
  assert.throws(() => parseOptions(["--use", "--", "x"], SPECS), usage(/--use needs a value/));
  assert.throws(() => parseOptions(["--side=c"], SPECS), usage(/must be one of a, b, not "c"/));
  assert.throws(() => parseOptions(["--side=a", "--side=b"], SPECS), usage(/given twice/));
  assert.throws(() => parseOptions(["--quiet=1"], SPECS), usage(/takes no value/));
});

test("milliseconds are whole and in range", () => {
  assert.equal(millisecondsOption(new Map([["t", ["250"]]]), "t"), 250);
  assert.equal(millisecondsOption(new Map(), "t"), undefined);
  for (const wrong of ["0", "-1", "1.5", "1e3", "", "2147483648", "x"]) assert.throws(() => millisecondsOption(new Map([["t", [wrong]]]), "t"), usage(/whole number/));
});

test("the option table lines its columns up", () => {
  assert.equal(describeOptions(SPECS), "  --use NAME  one\n  --side a|b  two\n  --quiet     three\n              four");
});

test("only a word that is near enough is suggested", () => {
  assert.equal(nearest("rap", ["wrap", "help"]), "wrap");
  assert.equal(nearest("xyz", ["wrap", "help"]), undefined);
});
