import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { codeOf, exportedNames, importsOf } from "./imports.ts";

const found = (source: string) => importsOf(source).map(({ specifier, typeOnly }) => `${typeOnly ? "type " : ""}${specifier ?? "?"}`);

describe("the import scanner finds", () => {
  const cases: [string, string, string[]][] = [
    ["a named import", 'import { a, b as c } from "./a.ts";', ["./a.ts"]],
    ["single quotes", "import { a } from './a.ts'", ["./a.ts"]],
    ["an import over several lines", 'import {\n  a,\n  type B,\n} from "./a.ts";', ["./a.ts"]],
    ["an import with a comment inside", 'import {\n  a, // from "./no.ts"\n  /* from "./no.ts" */ b,\n} from "./a.ts";', ["./a.ts"]],
    ["a default, a namespace, and both", 'import a from "a";import * as b from "b"; import c, * as d from "c"', ["a", "b", "c"]],
    ["an import for its effects", 'import "./a.ts";', ["./a.ts"]],
    ["imports on one line", 'import{a}from"a";import{b}from"b"', ["a", "b"]],
    ["a type import", 'import type { A } from "./a.ts";\nimport type B from "b"', ["type ./a.ts", "type b"]],
    ["a value import whose names are types", 'import { type A } from "./a.ts";', ["./a.ts"]],
    ["a default import named type", 'import type from "./a.ts";', ["./a.ts"]],
    ["re-exports", 'export { a } from "a";\nexport * from "b";\nexport * as c from "c";\nexport type { D } from "d"', ["a", "b", "c", "type d"]],
    ["dynamic imports", "await import('a'); import( \"b\" , {}); void import(`c`)", ["a", "b", "c"]],
    ["a dynamic import of an expression", 'import(name); import("./" + name); import(`./${name}`)', ["?", "?", "?"]],
    ["an import within a type", 'let a: typeof import("./a.ts"); type B = import("./b.ts").B;', ["./a.ts", "./b.ts"]],
    ["an import inside a template's code", "`${await import('a')} import('b')`", ["a"]],
    ["an import after a template with braces", '`${ { a: `${1}` }.a } }`; import "a"', ["a"]],
    ["an import after a regular expression with a quote", 'const a = /["\'`/*]/; import "b"; const c = 4 / 2; import "d"; // /', ["b", "d"]],
  ];
  for (const [name, source, expected] of cases) test(name, () => assert.deepEqual(found(source), expected));
});

describe("the import scanner passes over", () => {
  const cases: [string, string][] = [
    ["a line comment", '// import "a";'],
    ["a block comment", '/* import "a";\n import { b } from "b" */'],
    ["a comment after an address in a text", 'const a = "http://a"; // import "b"'],
    ["texts", "const a = 'import \"a\"', b = \"import('b')\", c = `\nimport \"c\";\n`;"],
    ["texts with escaped quotes", 'const a = "\\" import \\"a\\"; \\\\";'],
    ["regular expressions", 'const a = /import "a"/; f(/[/"]import("b")/)'],
    ["members of that name", 'a.import("b"); a.export; const c = { from: "d" }; import.meta.url'],
    ["exports of declarations", 'export const a = "b"; export default "c"; export function from() { return "d"; }'],
    ["names that merely end alike", 'reimport("a"); $import("b"); const export_ = "c"'],
  ];
  for (const [name, source] of cases) test(name, () => assert.deepEqual(found(source), []));
});

test("the scanner says on which line an import stands", () => {
  assert.deepEqual(importsOf('// one\nimport "a";\nimport {\n b } from "b";\nimport(c)').map(({ line }) => line), [2, 3, 5]);
});

test("the scanner keeps every character in its place", () => {
  const source = 'const a = "x\\"y"; // z\n/* 1\n2 */ `t${ "u" }v`;\n';
  assert.equal(codeOf(source), 'const a = "____";     \n    \n     `_${ "_" }_`;\n');
});

test("the scanner reads every source of the project to its end without losing its way", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  for (const folder of ["src", "spec", "examples"]) {
    for (const file of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))) {
      const source = readFileSync(join(root, folder, file), "utf8");
      const code = codeOf(source);
      assert.equal(code.length, source.length, file);
      // A text taken for code, or the other way round, would leave brackets that do not match.
      for (const pair of ["()", "[]", "{}"]) assert.equal(code.split(pair[0]!).length, code.split(pair[1]!).length, `${folder}/${file}: ${pair}`);
    }
  }
});

test("the scanner reads names off export lists, and what kind they are", () => {
  const source = 'export { a, b as c, type D, type E as F, } from "x"; // export { no }\nexport type { G, H as I } from "y";\nexport { type as j };';
  assert.deepEqual(exportedNames(source).map(({ name, kind }) => `${kind} ${name}`), [
    "value a", "value c", "type D", "type F", "type G", "type I", "value j",
  ]);
});
