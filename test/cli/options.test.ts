import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { UsageError } from "../../src/cli/errors.ts";
import { nearest } from "../../src/core/base/nearest.ts";
import { describeOptions, millisecondsOption, parseOptions, type OptionSpec } from "../../src/cli/options.ts";
import { formatTable } from "../../src/cli/table.ts";
import { wrap } from "../../src/cli/wrap.ts";

const SPECS: readonly OptionSpec[] = [
  { name: "use", value: "NAME", many: true, help: "uses" },
  { name: "log", value: "FILE", help: "logs" },
  { name: "side", value: "left|right", choices: ["left", "right"], help: "side" },
  { name: "quiet", help: "hush" },
];
const usage = (message: RegExp, hint?: RegExp) => (thrown: unknown) => {
  assert.ok(thrown instanceof UsageError);
  assert.match(thrown.message, message);
  if (hint !== undefined) assert.match(thrown.hint ?? "", hint);
  return true;
};

describe("options", () => {
  test("are read up to --, with their value attached or as the next word, whatever the value looks like", () => {
    const { values, positionals, rest } = parseOptions(["--use", "a", "--use=b=c", "word", "--log", "-x", "--quiet", "--", "--use", "--"], SPECS);
    assert.deepEqual([...values], [["use", ["a", "b=c"]], ["log", ["-x"]], ["quiet", [""]]]);
    assert.deepEqual([positionals, rest], [["word"], ["--use", "--"]]);
    assert.equal(parseOptions(["--use", "a"], SPECS).rest, undefined);
    assert.deepEqual(parseOptions(["-", "a-b"], SPECS).positionals, ["-", "a-b"]);
  });

  test("that are wrong are refused by name, with what would be right", () => {
    const cases: readonly (readonly [string[], RegExp, RegExp?])[] = [
      [["--usee", "x"], /unknown option --usee/, /did you mean --use\?/],
      [["--constructor"], /unknown option --constructor/],
      [["-q"], /unknown option -q/],
      [["-quiet"], /unknown option -quiet/, /did you mean --quiet\?/],
      [["--side", "lef"], /--side must be one of left, right, not "lef"/, /did you mean left\?/],
      [["--log"], /--log needs a value/, /--log FILE/],
      [["--log="], /--log is empty/, /a variable in it may not be set/],
      [["--log", ""], /--log is empty/],
      [["a", ""], /word 2 is empty/, /a variable/],
      [["--log", "--", "x"], /--log needs a value/],
      [["--log", "a", "--log", "b"], /--log is given twice/],
      [["--quiet=yes"], /--quiet takes no value/],
      [["--side", "up"], /--side must be one of left, right, not "up"/],
    ];
    for (const [words, message, hint] of cases) assert.throws(() => parseOptions(words, SPECS), usage(message, hint), words.join(" "));
  });

  test("of milliseconds are whole numbers within a timer's range", () => {
    const read = (text: string) => millisecondsOption(new Map([["timeout", [text]]]), "timeout");
    assert.equal(read("1"), 1);
    assert.equal(read("2147483647"), 2_147_483_647);
    assert.equal(millisecondsOption(new Map(), "timeout"), undefined);
    for (const text of ["0", "-1", "1.5", "1e3", "0x10", "", " 5", "2147483648", "soon"]) assert.throws(() => read(text), usage(/--timeout must be a whole number of milliseconds from 1/), text);
  });

  test("are listed with their meanings in a second column, within 80 columns", () => {
    assert.equal(describeOptions(SPECS.slice(0, 2)), "  --use NAME  uses\n  --log FILE  logs");
    const table = formatTable([["short", "word ".repeat(40).trim()], ["a longer head", "x"]]);
    assert.ok(table.split("\n").every((line) => line.length <= 80 && line.trimEnd() === line));
    assert.equal(table.split("\n").at(-1), "  a longer head  x");
    assert.equal(table.match(/word/g)?.length, 40);
  });
});

test("the known word that was meant is the nearest one, if it is near", () => {
  assert.equal(nearest("redcat", ["redact", "tool-filter"]), "redact");
  assert.equal(nearest("toolfilter", ["redact", "tool-filter"]), "tool-filter");
  assert.equal(nearest("xyz", ["redact", "tool-filter"]), undefined);
  assert.equal(nearest("us", ["use"]), "use");
  assert.equal(nearest("anything", []), undefined);
  assert.equal(nearest("lgo", ["use", "log", "quiet"]), "log", "two letters that have changed places are one mistake");
  assert.equal(nearest("bogus", ["use", "log", "quiet"]), undefined);
});

test("wrap refuses a command line without a command, or with words before --, and says where the command goes", async () => {
  await assert.rejects(wrap.run([]), usage(/command is missing/, /wrap \[OPTIONS\] -- COMMAND/));
  await assert.rejects(wrap.run(["--use", "redact", "--"]), usage(/command is missing/));
  await assert.rejects(wrap.run(["--", ""]), usage(/command is missing/));
  await assert.rejects(wrap.run(["node", "server.js"]), usage(/unexpected "node"/, /put -- before/));
  await assert.rejects(wrap.run(["--use", "redact", "node", "--", "server.js"]), usage(/unexpected "node"/));
  await assert.rejects(wrap.run(["--timeout", "soon", "--", "x"]), usage(/--timeout/));
  await assert.rejects(wrap.run(["--use", "redact", "--header", "A:b", "--", "x"]), usage(/--header needs a URL to go to/));
  await assert.rejects(wrap.run(["--posture", "both", "--", "x"]), usage(/client, server/));
});
