import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { ErrorCode } from "../../src/core/base/errors.ts";
import { explainedIn, literalReasons, rpcCodes, sectionOf, unlistedTypes, WORD_LISTS, wordsOf } from "./error-words.ts";

const src = fileURLToPath(new URL("../../src", import.meta.url));
const page = readFileSync(join(src, "ERRORS.md"), "utf8");
const sources = new Map(
  readdirSync(src, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !path.includes("/gen/"))
    .map((path) => [path, readFileSync(join(src, path), "utf8")] as const),
);

describe("the page about errors", () => {
  it("has each error code that the sources know, and no other", () => {
    const known = [...new Set([...rpcCodes(sources).keys(), ...Object.values(ErrorCode)])].sort((a, b) => a - b);
    assert.deepEqual(explainedIn(sectionOf(page, "JSON-RPC codes")).map(Number).sort((a, b) => a - b), known);
    const rows = new Map([...page.matchAll(/^\| `(-32\d+)` \| `(\w+)` \|/gm)].map(([, code, name]) => [name, Number(code)]));
    assert.deepEqual(Object.fromEntries([...rows].sort()), Object.fromEntries(Object.entries(ErrorCode).sort()));
  });

  for (const { type, file, heading } of WORD_LISTS) {
    it(`explains the words of ${type} under “${heading}”, and no other`, () => {
      const words = wordsOf(sources.get(file) ?? "", type);
      assert.ok(words.length > 1, `${file} has no list ${type}`);
      assert.deepEqual(explainedIn(sectionOf(page, heading)).sort(), words.sort());
    });
  }

  it("has a row for each word that a source gives by itself", () => {
    assert.deepEqual([...literalReasons(sources)].filter(([word]) => !page.includes(`\`${word}\``)), []);
  });

  it("misses no list of words", () => assert.deepEqual(unlistedTypes(sources), []));

  it("has no word that nothing is made with", () => {
    const gone = WORD_LISTS.flatMap(({ type, file }) =>
      wordsOf(sources.get(file) ?? "", type).filter((word) => ![...sources].some(([path, source]) => (path === file ? source.split(`"${word}"`).length > 2 : source.includes(`"${word}"`)))),
    );
    assert.deepEqual(gone, []);
  });
});

describe("the rules over error words", () => {
  const source = 'type WrongReason =\n  | "a" // why\n  | "b;c";\n// reason: "not_this"\nconst x = { reason: "word", also: -32_099, text: "-32098", y: { reason: "a sentence" } };';
  const files = new Map([["a.ts", source]]);

  it("read the texts of a union, and find unions that nobody lists", () => {
    assert.deepEqual(wordsOf(source, "WrongReason"), ["a", "b;c"]);
    assert.deepEqual(unlistedTypes(files, []), ["a.ts WrongReason"]);
    assert.deepEqual(unlistedTypes(files, [{ type: "WrongReason", file: "a.ts", heading: "" }]), []);
  });

  it("read reasons and codes off the code alone", () => {
    assert.deepEqual([...literalReasons(files)], [["word", "a.ts"]]);
    assert.deepEqual([...rpcCodes(files)], [[-32099, "a.ts"]]);
  });

  it("read sections with the headings of words in them", () => {
    const text = "## One\n| `a` | x |\n### b\ntext\n### Two\n| `c` | x |\n## Three\n| `d` | x |\n";
    assert.deepEqual(explainedIn(sectionOf(text, "One")), ["a", "b"]);
    assert.deepEqual(explainedIn(sectionOf(text, "Two")), ["c"]);
    assert.deepEqual(explainedIn(sectionOf(text, "none")), []);
  });
});
