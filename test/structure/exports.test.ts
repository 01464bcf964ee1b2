import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { difference, entryPoints, exportList, PINNED, type EntryPointNames } from "./exports.ts";
import { entryPointProblems } from "./source-rules.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pinned = JSON.parse(readFileSync(PINNED, "utf8")) as Record<string, EntryPointNames>;
const entryFiles = readdirSync(join(root, "src")).filter((file) => file.endsWith(".ts")).sort();

test("the public names are those of exports.json", () => {
  const changed = difference(pinned, exportList(root));
  assert.deepEqual(changed, [], `if this is meant, run: node --import tsx test/structure/write-exports.ts\n${changed.join("\n")}`);
});

test("each entry point exports at run time the values of exports.json, and nothing else", async () => {
  for (const [name, file] of entryPoints(root)) {
    const module = (await import(join(root, file))) as object;
    assert.deepEqual(Object.keys(module).sort(), pinned[name]?.values, name);
    for (const value of pinned[name]?.values ?? []) assert.notEqual(Reflect.get(module, value), undefined, `${name} ${value}`);
  }
});

test("each file at the top of src is an entry point, and each entry point leads to its own source, types and build", () => {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { exports: Record<string, unknown> };
  const expected = entryFiles.map((file) => {
    const name = file.replace(/\.ts$/, "");
    const conditions = { "mcp-interceptors-source": `./src/${file}`, types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` };
    return [name === "index" ? "." : `./${name}`, conditions] as const;
  });
  assert.deepEqual(exports, Object.fromEntries(expected));
  // The first condition that holds is taken.
  for (const conditions of Object.values(exports)) assert.deepEqual(Object.keys(conditions as object), ["mcp-interceptors-source", "types", "default"]);
});

test("entry points hold lists of exported names, and nothing else", () => {
  assert.deepEqual(entryPointProblems(new Map(entryFiles.map((file) => [file, readFileSync(join(root, "src", file), "utf8")]))), []);
});

test("a change of the public names is told name by name", () => {
  const before = { ".": { values: ["a", "b"], types: ["T"] }, "./x": { values: [], types: [] } };
  const after = { ".": { values: ["a", "c"], types: ["b", "T"] }, "./y": { values: [], types: [] } };
  assert.deepEqual(difference(before, before), []);
  assert.deepEqual(difference(before, after), ["- . b", "- entry point ./x", "+ . c", "+ . type b", "+ entry point ./y"]);
});
