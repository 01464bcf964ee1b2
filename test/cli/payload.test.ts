import assert from "node:assert/strict";
import { existsSync, truncateSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { UsageError } from "../../src/cli/errors.ts";
import { readJson } from "../../src/cli/payload.ts";
import { temporaryFolder } from "../gateway/config/kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const refuses = (word: string, message: RegExp) =>
  assert.throws(() => readJson(word, "payload"), (thrown) => {
    assert.ok(thrown instanceof UsageError, String(thrown));
    assert.match(thrown.message, message);
    return true;
  });

test("JSON is read from the word itself, or from a file, with or without a byte order mark", () => {
  assert.deepEqual(readJson('{"a":1}', "payload"), { a: 1 });
  for (const value of [null, true, false, 5, -1.5e3, "x", "a \"b\""]) assert.equal(readJson(JSON.stringify(value), "payload"), value);
  assert.deepEqual(readJson(folder.write("a.json", '\ufeff{"ä":[1]}'), "payload"), { ä: [1] });
  // Larger than one read.
  assert.equal((readJson(folder.write("b.json", JSON.stringify(["x".repeat(200_000)])), "payload") as string[])[0]?.length, 200_000);
});

test("a file that is no UTF-8, too large, no file or no JSON is refused by its name, and what is wrong", () => {
  const broken = `${folder.path}/broken.json`;
  writeFileSync(broken, Buffer.from([0x22, 0xff, 0x22]));
  refuses(broken, /^--payload \S+broken\.json: it is no text in UTF-8$/);
  const huge = folder.write("huge.json", "[");
  truncateSync(huge, 64 * 1024 ** 2 + 1);
  refuses(huge, /^--payload \S+huge\.json: it has more than 67108864 bytes$/);
  if (existsSync("/dev/zero")) refuses("/dev/zero", /more than 67108864 bytes/);
  refuses(folder.path, /: is a folder; name the file in it$/);
  refuses(`${folder.path}/none.json`, /none\.json: cannot be read: there is no such file$/);
  refuses(folder.write("c.json", '{"a":1,"a":2}'), /c\.json is no JSON that can be taken: .*offset/);
});

test("what is no JSON is told once, with its place, and how a shell leaves it whole", () => {
  const said = (word: string) => {
    try {
      readJson(word, "payload");
    } catch (thrown) {
      assert.ok(thrown instanceof UsageError);
      return [thrown.message.replace(/^.*can be taken: /, ""), thrown.hint !== undefined];
    }
    return assert.fail(word);
  };
  const faults: [string, string, boolean][] = [
    ["{name:x}", "names need double quotes (offset 1)", true],
    ["{'a':1}", "names need double quotes (offset 1)", true],
    ['{"a":{"]}":[1,[2]], b:1}}', "names need double quotes at /a (offset 20)", true],
    ['{"a":x}', "the character cannot stand there at /a (offset 5)", true],
    ["[1,x]", "the character cannot stand there at /1 (offset 3)", true],
    ['[{"a":1},x]', "the character cannot stand there at /1 (offset 9)", true],
    ["{", "the text ends too early (offset 1)", true],
    [folder.write("d.json", "{a:1}"), "names need double quotes (offset 1)", false],
  ];
  for (const [word, ...expected] of faults) assert.deepEqual(said(word), expected, word);
});
