import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import { API, apiPage, createSlugger, undocumented } from "./api.ts";
import { declarationsOf, docText, emitDeclarations, readModule, type Declarations } from "./declarations.ts";

describe("the API page", () => {
  let declarations: Declarations;
  before(() => (declarations = emitDeclarations()));

  it("is what the sources give; if it is stale, run: npm run docs -- api", () => {
    const [written, made] = [readFileSync(API, "utf8"), apiPage(declarations)];
    if (written === made) return;
    const lines = written.split("\n");
    const at = made.split("\n").findIndex((line, index) => line !== lines[index]);
    assert.fail(`src/API.md is stale from line ${at + 1} on; run: npm run docs -- api\n- ${lines[at]}\n+ ${made.split("\n")[at]}`);
  });

  it("tells of every public name what it is", () => assert.deepEqual(undocumented(declarations), []));

  it("links to headings that are there", () => {
    const page = readFileSync(API, "utf8");
    const slug = createSlugger();
    const anchors = new Set([...page.replace(/^```[^]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => slug(heading)));
    const broken = [...page.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor = ""]) => anchor).filter((anchor) => !anchors.has(anchor));
    assert.deepEqual(broken, []);
  });
});

describe("the reader of declarations", () => {
  const one = 'import { type B as C } from "./b.ts";\nexport * from "./d.ts";\n/** Adds.\n * Throws nothing.\n */\nexport declare function add(a: {\n    n: number;\n}): C;\nexport declare function add(a: "{"): void;\ntype Hidden = 1;\nexport {};\n';
  const modules = new Map([
    ["a.d.ts", readModule("a.d.ts", one)],
    ["b.d.ts", readModule("b.d.ts", "export interface B {\n}\n")],
    ["d.d.ts", readModule("d.d.ts", 'export { B as D } from "./b.ts";\n')],
  ]);
  const declarations = declarationsOf(modules);

  it("takes a statement whole, with the comment before it, and overloads together", () => {
    const { doc, code } = declarations.exported("a.d.ts", "add")!;
    assert.equal(doc, "Adds. Throws nothing.");
    assert.equal(code, 'function add(a: {\n    n: number;\n}): C;\nfunction add(a: "{"): void;');
    assert.equal(declarations.named("a.d.ts", "Hidden")?.code, "type Hidden = 1;");
  });

  it("follows names through imports, lists and whole modules", () => {
    assert.equal(declarations.named("a.d.ts", "C")?.name, "B");
    assert.equal(declarations.exported("a.d.ts", "C"), undefined);
    assert.equal(declarations.exported("a.d.ts", "D")?.name, "B");
    assert.equal(declarations.exported("a.d.ts", "missing"), undefined);
  });

  it("joins the lines of a paragraph, and keeps paragraphs and lists", () => {
    assert.equal(docText("/**\n * One\n * line.\n *\n * - a\n * - b\n */"), "One line.\n\n- a\n- b");
  });
});
