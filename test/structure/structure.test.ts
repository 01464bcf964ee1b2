import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { importProblems, tableProblems } from "./import-table.ts";
import {
  effectProblems,
  globalProblems,
  lengthProblems,
  nameProblems,
  safetyProblems,
  testPlaceProblems,
  unexplainedFolders,
  type Sources,
} from "./source-rules.ts";

// What each rule finds, rules.test.ts shows on samples: here they look at the project, and find nothing.
const root = fileURLToPath(new URL("../..", import.meta.url));

function pathsBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, folder).length + 1).replaceAll("\\", "/"))
    .filter((path) => !path.includes("node_modules/"))
    .sort();
}
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");
const sourcesBelow = (folder: string, ending = ".ts"): Map<string, string> =>
  new Map(pathsBelow(folder).filter((path) => path.endsWith(ending)).map((path) => [path, textOf(`${folder}/${path}`)]));
const only = (sources: Sources, wanted: (path: string) => boolean): Sources => new Map([...sources].filter(([path]) => wanted(path)));

const src = sourcesBelow("src");
const testFiles = pathsBelow("test");
const testReadme = textOf("test/README.md");
/** Folders of `test` that are no mirror of `src`, each a row of its README. */
const own = new Set([...testReadme.matchAll(/^\| `([a-z-]+)\/` \|/gm)].map(([, name]) => name!));

test("imports only point where the table allows", () => assert.deepEqual(importProblems(src), []));

test("the import table points down only, at files that exist", () => assert.deepEqual(tableProblems(new Set(src.keys())), []));

test("no source is over the line limit, generated ones apart", () => assert.deepEqual(lengthProblems(src), []));

test("no source makes an Error of no class of ours, turns checks off, or knows any", () => assert.deepEqual(safetyProblems(src), []));

test("no source is imported for what loading it does", () => assert.deepEqual(effectProblems(src), []));

test("no test turns checks off but to expect an error", () => {
  // What names these on purpose: the rules, and their samples.
  const files = only(sourcesBelow("test"), (path) => !path.startsWith("structure/"));
  assert.deepEqual([...files].filter(([, source]) => /@ts-(?:ignore|nocheck)/.test(source)).map(([path]) => path), []);
});

test("core and library name no global of the platform, the host detector apart", () => {
  const pure = only(src, (path) => /^(?:core|library)\//.test(path) && path !== "core/base/host.ts");
  assert.deepEqual(globalProblems(pure), []);
});

test("core and library are compiled against ECMAScript alone", () => {
  const { compilerOptions } = JSON.parse(textOf("tsconfig.json")) as { compilerOptions: Record<string, unknown> };
  assert.deepEqual([compilerOptions["lib"], compilerOptions["types"]], [["ES2023"], []]);
  for (const folder of ["core", "library"]) {
    const project = JSON.parse(textOf(`src/${folder}/tsconfig.json`)) as { compilerOptions: Record<string, unknown> };
    assert.deepEqual(Object.keys(project.compilerOptions).sort(), ["outDir", "rootDir", "tsBuildInfoFile"], `src/${folder}/tsconfig.json`);
  }
});

test("file and folder names are kebab-case, pages for readers apart", () => {
  const named = (folder: string, paths: readonly string[]) => nameProblems(paths.filter((path) => !/^[A-Z]+\.md$/.test(posix.basename(path)))).map((path) => `${folder}/${path}`);
  const visible = testFiles.filter((path) => /\.m?[jt]s$/.test(path));
  assert.deepEqual([...named("src", pathsBelow("src")), ...named("test", visible)], []);
});

test("each folder of src is explained by a README of its own, or by that of src", () => {
  const folders = new Set(pathsBelow("src").flatMap((path) => path.split("/").slice(0, -1).map((_, index, steps) => steps.slice(0, index + 1).join("/"))));
  assert.ok(folders.has("core/base"));
  const withReadme = new Set(pathsBelow("src").filter((path) => path.endsWith("/README.md")).map((path) => posix.dirname(path)));
  assert.deepEqual(unexplainedFolders(folders, withReadme, textOf("src/README.md")), []);
});

test("each test lies where what it tests lies, or in a folder that test/README.md explains", () => {
  assert.deepEqual(testPlaceProblems(sourcesBelow("test"), new Set(src.keys()), own), []);
});

test("test/README.md explains each folder of test that is no mirror of src", () => {
  const folders = new Set(testFiles.filter((path) => path.includes("/")).map((path) => path.split("/")[0]!));
  assert.deepEqual([...folders].filter((folder) => !existsSync(join(root, "src", folder)) && !own.has(folder)), []);
});

test("the top level holds what the layout names, and nothing else", () => {
  const known = new Set([
    ...["src", "test", "spec", "examples", "node_modules", "dist", "package.json", "package-lock.json", "tsconfig.json"],
    ...["README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md"],
  ]);
  // Hidden ones and what `npm pack` leaves are a matter of .gitignore.
  assert.deepEqual(readdirSync(root).filter((name) => !known.has(name) && !name.startsWith(".") && !/\.(?:tgz|log)$/.test(name)), []);
});

test("the package has no dependencies, and its lockfiles no addresses", () => {
  const manifest = JSON.parse(textOf("package.json")) as Record<string, unknown>;
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies", "bundleDependencies"]) assert.equal(manifest[kind], undefined, kind);
  assert.deepEqual(Object.keys(manifest["devDependencies"] as object).sort(), ["@types/node", "tsx", "typescript"]);
  for (const lock of ["package-lock.json", "test/interop/package-lock.json"]) {
    if (existsSync(join(root, lock))) assert.doesNotMatch(textOf(lock), /"resolved"/);
  }
});
