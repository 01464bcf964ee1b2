// Each rule of test/structure on samples that break it: a rule that finds nothing anywhere would pass unnoticed in structure.test.ts.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { importProblems, tableProblems } from "./import-table.ts";
import {
  effectProblems,
  entryPointProblems,
  globalProblems,
  lengthProblems,
  MAX_LINES,
  nameProblems,
  safetyProblems,
  testPlaceProblems,
  unexplainedFolders,
} from "./source-rules.ts";

const sources = (files: Record<string, string>) => new Map(Object.entries(files));

describe("the import table", () => {
  const tree = {
    "core/base/json.ts": "",
    "core/wire/message.ts": 'import { a } from "../base/json.ts";',
    "core/transport/transport.ts": "",
    "core/transport/memory.ts": "",
    "core/chain/chain.ts": "",
    "node/child.ts": "",
    "index.ts": 'export { a } from "./core/base/json.ts";',
  };
  const cases: [string, Record<string, string>, string[]][] = [
    ["passes what it allows", { "node/a.ts": 'import "node:fs";\nimport "./child.ts";\nimport "../core/chain/chain.ts";' }, []],
    ["refuses an import upwards", { "core/base/a.ts": '\nimport { a } from "../wire/message.ts";' }, ["src/core/base/a.ts:2 imports core/wire/message.ts"]],
    ["refuses types of a folder above", { "core/base/a.ts": 'import type { A } from "../wire/message.ts";' }, ["src/core/base/a.ts:1 imports core/wire/message.ts"]],
    ["refuses a re-export from above", { "core/base/a.ts": 'export * from "../wire/message.ts";' }, ["src/core/base/a.ts:1 imports core/wire/message.ts"]],
    ["refuses a dynamic import from above", { "core/base/a.ts": 'await import("../wire/message.ts")' }, ["src/core/base/a.ts:1 imports core/wire/message.ts"]],
    ["lets jsonrpc have the types of transport.ts", { "core/jsonrpc/a.ts": 'import type { A } from "../transport/transport.ts";' }, []],
    [
      "lets jsonrpc have the types of transport.ts alone, whatever it imports besides",
      { "core/jsonrpc/a.ts": 'import type { A } from "../transport/transport.ts";\nimport { b } from "../transport/transport.ts";\nimport type { C } from "../transport/memory.ts";' },
      ["src/core/jsonrpc/a.ts:2 imports more than types of core/transport/transport.ts", "src/core/jsonrpc/a.ts:3 imports core/transport/memory.ts"],
    ],
    ["takes a value import of types for more", { "core/jsonrpc/a.ts": 'import { type A } from "../transport/transport.ts";' }, ["src/core/jsonrpc/a.ts:1 imports more than types of core/transport/transport.ts"]],
    ["refuses Node outside its folders", { "core/base/a.ts": 'import "node:fs";', "library/a.ts": 'import "fs";' }, ["src/core/base/a.ts:1 imports node:fs", "src/library/a.ts:1 imports fs"]],
    ["refuses packages everywhere", { "cli/a.ts": 'import "tsx";', "node/a.ts": 'import type { A } from "a";' }, ["src/cli/a.ts:1 imports tsx", "src/node/a.ts:1 imports a"]],
    ["refuses the entry points outside the command line", { "node/a.ts": 'import "../index.ts";', "cli/a.ts": 'import "../index.ts";' }, ["src/node/a.ts:1 imports index.ts"]],
    ["refuses what does not exist, endings included", { "node/a.ts": 'import "./child";\nimport "./no.ts";' }, ["src/node/a.ts:1 imports node/child, which does not exist", "src/node/a.ts:2 imports node/no.ts, which does not exist"]],
    ["lets one file alone load what only running tells", { "cli/a.ts": "import(name)", "node/load-module.ts": "import(name)" }, ["src/cli/a.ts:1 imports what only running tells"]],
    ["refuses folders that it does not know", { "core/new/a.ts": "", "extra/a.ts": "" }, ["src/core/new/a.ts is in no known folder", "src/extra/a.ts is in no known folder"]],
  ];
  for (const [name, files, expected] of cases) test(name, () => assert.deepEqual(importProblems(sources({ ...tree, ...files })), expected));

  test("may not name files that are gone, unknown folders, or a way back up", () => {
    assert.deepEqual(tableProblems(new Set(["a/x.ts"]), { a: [], b: ["a", "types:a/x.ts"] }), []);
    assert.deepEqual(tableProblems(new Set(["a/x.ts"]), { a: ["b"], b: ["a", "c", "types:a/y.ts"] }), [
      "a may import b, which is not further up in the table",
      "b may import c, which is not further up in the table",
      "b may import the types of a/y.ts, which does not exist",
    ]);
  });
});

test("the line limit counts lines, with or without a last line end, and leaves generated files alone", () => {
  const lines = (count: number) => Array<string>(count).fill("x").join("\n");
  const files = { "a.ts": lines(MAX_LINES), "b.ts": `${lines(MAX_LINES)}\n`, "c.ts": lines(MAX_LINES + 1), "core/wire/gen/d.ts": lines(999) };
  assert.deepEqual(lengthProblems(sources(files)), ["c.ts has 401 lines, 400 are the limit"]);
});

test("names are lower case with hyphens", () => {
  assert.deepEqual(nameProblems(["core/a-b2.ts", "a/line-splitter.test.ts", "a.interop.ts", "a/x.schema.json", "tsconfig.json"]), ["a/x.schema.json"]);
  assert.deepEqual(nameProblems(["coreA/a.ts", "a_b.ts", "aB.ts", "a-.ts", "a--b.ts", "a/b c.ts", "A.ts"]), ["coreA/a.ts", "a_b.ts", "aB.ts", "a-.ts", "a--b.ts", "a/b c.ts", "A.ts"]);
});

test("bare errors, any, and switched-off checks are found; in comments and texts they are only words", () => {
  const bad = ["throw new Error(1)", "new  TypeError", "let a: any", "x as any", "f<any>()", "const a: any[] = []", "// @ts-ignore", "/* @ts-nocheck */", "/// <reference types='node' />"];
  for (const line of bad) assert.equal(safetyProblems(sources({ "a.ts": `\n${line}` })).length, 1, line);
  assert.deepEqual(safetyProblems(sources({ "a.ts": "\nlet a: any" })), ["a.ts:2: any"]);
  const forNode = '/// <reference types="node" preserve="true" />\n';
  assert.deepEqual(["node.ts", "gateway.ts", "index.ts", "node/host.ts"].map((file) => safetyProblems(sources({ [file]: forNode })).length), [0, 0, 1, 1]);
  assert.equal(safetyProblems(sources({ "node.ts": `\n${forNode}` })).length, 1);
  const good = ["// throw new Error(1) in any case", '"new Error(1), any"', "new LocalError(1)", "x instanceof Error", "class MyError extends Error {}", "a.any", "({ any: 1 })", "company"];
  for (const line of good) assert.deepEqual(safetyProblems(sources({ "a.ts": line })), [], line);
});

test("imports for the sake of loading are found; those of names, and dynamic ones, are not", () => {
  assert.deepEqual(effectProblems(sources({ "a.ts": "\nimport './b.ts';" })), ["a.ts:2: import '______'"]);
  for (const line of ['import { b } from "./b.ts";', 'await import("./b.ts");', '// import "./b.ts"', 'x.import("y")']) assert.deepEqual(effectProblems(sources({ "a.ts": line })), [], line);
});

test("platform globals are found; members, comments and texts of that name are not", () => {
  const bad = ["setTimeout(f, 1)", "const t = setTimeout;", "new URL(x)", "typeof fetch", "`${process.pid}`", "globalThis.x", "f(Buffer)", "new AbortController", "[...crypto]"];
  for (const line of bad) assert.equal(globalProblems(sources({ "a.ts": line })).length, 1, line);
  assert.deepEqual(globalProblems(sources({ "a.ts": "\n\n x = URL" })), ["a.ts:3: URL"]);
  const good = ["host.fetch()", "this.#process()", "// fetch(url)", "'a URL (of)'", "/process(/", "interface A { fetch?: B; crypto: C }", "postprocess()", "URLs"];
  for (const line of good) assert.deepEqual(globalProblems(sources({ "a.ts": line })), [], line);
});

test("an entry point may hold nothing but lists of names", () => {
  const problems = (text: string) => entryPointProblems(sources({ "index.ts": text }));
  assert.deepEqual(problems('// a\nexport { a, type B } from "./a.ts";\nexport type {\n  C,\n} from "./c.ts";\n'), []);
  for (const line of ['export * from "a";', 'export * as b from "b";', "export const c = 1;", "export default 1;", 'import "./a.ts";', "f();", "export { a };"]) {
    assert.deepEqual(problems(`export { z } from "./z.ts";\n${line}\n`), [`index.ts holds more than lists of exported names: ${line.replace(/"[a-z./]+"/, (text) => `"${"_".repeat(text.length - 2)}"`)}`]);
  }
  assert.deepEqual(problems('export { a } from "./a.ts";\nexport type { b as a } from "./a.ts";'), ["index.ts exports a twice"]);
  assert.deepEqual(problems('export { default } from "./a.ts";'), ["index.ts has a default export"]);
});

test("a test lies beside the source whose name it bears, or which it names", () => {
  const src = new Set(["core/base/json.ts", "index.ts"]);
  const problems = (file: string, source = "") => testPlaceProblems(sources({ [file]: source }), src, new Set(["spec"]));
  assert.deepEqual(problems("core/base/json.test.ts"), []);
  assert.deepEqual(problems("core/base/order.test.ts", 'import { a } from "../../../src/core/base/json.ts";'), []);
  assert.deepEqual(problems("spec/deep/any.test.ts"), []);
  assert.deepEqual(problems("core/base/order.test.ts", 'new URL("../../../src/core/base/json.ts", import.meta.url)'), []);
  const byHelper = { "core/base/order.test.ts": 'import "./kit.ts";', "core/base/kit.ts": 'import "../../../src/core/base/json.ts";' };
  assert.deepEqual(testPlaceProblems(sources(byHelper), src, new Set()), []);
  assert.deepEqual(problems("core/base/order.test.ts", 'import { a } from "../../../src/core/wire/json.ts";'), ["test/core/base/order.test.ts bears the name of no file of src/core/base, and names none"]);
  for (const file of ["core/new/json.test.ts", "other/a.test.ts", "index.test.ts", "spec.test.ts"]) {
    assert.deepEqual(problems(file), [`test/${file} is in a folder that neither src has nor test/README.md explains`]);
  }
});

test("a folder is explained by its own README or by a mention in the overview", () => {
  assert.deepEqual(unexplainedFolders(["core", "core/base", "library", "web"], new Set(["library"]), "`core/` holds `core/base`; web is a word"), ["web"]);
});
