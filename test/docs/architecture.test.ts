import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readMarked } from "../support/marked-text.ts";
import { ARCHITECTURE, docOf, folderImports, importRows, layers, readSources, wayOf, wayProblems } from "./architecture.ts";

const sources = readSources();

describe("the page about the architecture", () => {
  const parts = { layers, imports: importRows, way: wayOf };
  for (const [name, draw] of Object.entries(parts)) {
    it(`has ${name} as the sources have them; if it is stale, run: npm run docs -- architecture`, () => assert.equal(readMarked(ARCHITECTURE, name), draw(sources)));
  }

  it("follows a message over functions that are there, along imports", () => assert.deepEqual(wayProblems(sources), []));

  it("says of each step what it does", () => assert.doesNotMatch(wayOf(sources), /\| *\|$/m));
});

describe("the diagrams", () => {
  const files = new Map([
    ["core/base/a.ts", "/** Begins. And more. */\nexport function begin() {}\n"],
    ["core/wire/b.ts", 'import { begin } from "../base/a.ts";\nexport function middle() {}\n'],
    ["core/jsonrpc/c.ts", 'import { middle } from "../wire/b.ts";\nimport type { x } from "../base/a.ts";\nimport "node:fs";\n'],
  ]);

  it("leave out imports that follow from others", () => {
    assert.deepEqual([...(folderImports(files).get("core/jsonrpc") ?? [])], ["core/wire", "core/base"]);
    const drawn = layers(files);
    assert.match(drawn, /^  core_jsonrpc --> core_wire$/m);
    assert.doesNotMatch(drawn, /core_jsonrpc --> core_base/);
  });

  it("tell what imports no longer hold", () => {
    const step = (file: string, name: string) => ({ file, name });
    const way = (from: string, to: string, over?: string) => [{ from: step(from, "begin"), to: step(to, "middle"), says: "", ...(over === undefined ? {} : { over }) }];
    assert.deepEqual(wayProblems(files, way("core/base/a.ts", "core/wire/b.ts")), ["core/base/a.ts does not reach core/wire/b.ts"]);
    assert.deepEqual(wayProblems(files, [{ from: step("core/wire/b.ts", "middle"), to: step("core/base/a.ts", "begun"), says: "" }]), ["core/base/a.ts has no function begun"]);
  });

  it("read the comment of a function, and nothing before it", () => {
    assert.equal(docOf("/** Other. */\nconst a = 1;\n/**\n * Mine.\n */\nexport async function f() {}\n", "f"), "Mine.");
    assert.equal(docOf("/** Other. */\nconst a = 1;\nexport function f() {}\n", "f"), "");
    assert.equal(docOf("function f() {}\n", "f"), undefined);
  });
});
