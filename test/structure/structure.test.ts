import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { importsOf, withoutComments } from "./imports.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const src = join(root, "src");

const CORE = ["base", "wire", "schema", "transport", "jsonrpc", "mcp", "http", "interceptor", "chain", "server", "client", "guard"].map((name) => `core/${name}`);
const GUARD = CORE.filter((name) => name !== "core/http" && name !== "core/guard");

/** architecture.md: each folder and what it may import besides itself. `types:` allows type imports of one file only. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "core/base": [],
  "core/wire": ["core/base"],
  "core/schema": ["core/base"],
  "core/transport": ["core/base", "core/wire"],
  "core/jsonrpc": ["core/base", "core/wire", "types:core/transport/transport.ts"],
  "core/mcp": ["core/base", "core/wire", "core/schema", "core/jsonrpc", "core/transport"],
  "core/http": ["core/base", "core/wire", "core/schema", "core/jsonrpc", "core/transport", "core/mcp"],
  "core/interceptor": ["core/base", "core/wire", "core/schema"],
  "core/chain": ["core/base", "core/wire", "core/schema", "core/interceptor"],
  "core/server": ["core/base", "core/wire", "core/schema", "core/jsonrpc", "core/mcp", "core/transport", "core/interceptor", "core/chain"],
  "core/client": ["core/base", "core/wire", "core/schema", "core/jsonrpc", "core/mcp", "core/transport", "core/interceptor", "core/chain", "core/server"],
  "core/guard": GUARD,
  library: ["core/base", "core/wire", "core/schema", "core/interceptor"],
  conformance: CORE,
  web: CORE,
  node: [...CORE, "web"],
  gateway: [...CORE, "library", "web", "node"],
  cli: [...CORE, "library", "web", "node", "gateway", "conformance", ""],
  "": [...CORE, "library", "web", "node", "gateway", "conformance"],
};

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .sort();

const folderOf = (file: string): string => {
  const parts = file.split("/");
  if (parts.length === 1) return "";
  return parts[0] === "core" ? parts.slice(0, 2).join("/") : parts[0]!;
};

test("every folder of src is in the import table", () => {
  for (const file of files) assert.ok(Object.hasOwn(MAY_IMPORT, folderOf(file)), `src/${file} is in no known folder`);
});

test("imports only point where the table allows", () => {
  const wrong: string[] = [];
  for (const file of files) {
    const source = readFileSync(join(src, file), "utf8");
    const folder = folderOf(file);
    for (const specifier of importsOf(source)) {
      if (!specifier.startsWith(".")) {
        const allowed = specifier.startsWith("node:") && ["node", "gateway", "cli"].includes(folder);
        if (!allowed) wrong.push(`src/${file} imports ${specifier}`);
        continue;
      }
      const target = relative(src, resolve(dirname(join(src, file)), specifier));
      const targetFolder = folderOf(target);
      const allowed = MAY_IMPORT[folder] ?? [];
      const typesOnly = allowed.includes(`types:${target}`) && new RegExp(`import type [^;]*from "${specifier.replaceAll(".", "\\.")}"`).test(source);
      if (targetFolder !== folder && !allowed.includes(targetFolder) && !typesOnly) wrong.push(`src/${file} imports ${target}`);
      if (!specifier.endsWith(".ts")) wrong.push(`src/${file} imports ${specifier} without its ending`);
      if (!existsSync(join(src, target))) wrong.push(`src/${file} imports ${target}, which does not exist`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("no file is over 400 lines, generated ones apart", () => {
  const long = files
    .filter((file) => !file.includes("/gen/"))
    .map((file) => ({ file, lines: readFileSync(join(src, file), "utf8").split("\n").length - 1 }))
    .filter(({ lines }) => lines > 400);
  assert.deepEqual(long, []);
});

test("no file throws a bare Error or turns checks off", () => {
  const wrong = files.filter((file) => {
    const source = readFileSync(join(src, file), "utf8");
    return /@ts-(?:ignore|expect-error|nocheck)/.test(source) || /\bnew (?:Type|Range|Syntax)?Error\(|\bas any\b|: any\b|<any>/.test(withoutComments(source));
  });
  assert.deepEqual(wrong, []);
});

test("core names no global of the platform", () => {
  const globals = /(?<![.\w"'`$/#-])(?:setTimeout|setInterval|setImmediate|queueMicrotask|structuredClone|TextEncoder|TextDecoder|AbortController|URL|fetch|console|process|Buffer|crypto|performance|atob|btoa)(?:\(|\.|\b(?= *\())/;
  const wrong: string[] = [];
  for (const file of files.filter((name) => (name.startsWith("core/") || name.startsWith("library/")) && name !== "core/base/host.ts")) {
    withoutComments(readFileSync(join(src, file), "utf8")).split("\n").forEach((line, index) => {
      if (globals.test(line)) wrong.push(`src/${file}:${index + 1}: ${line.trim()}`);
    });
  }
  assert.deepEqual(wrong, []);
});

test("the top level holds what the layout names, and nothing else", () => {
  const known = new Set([
    "src", "test", "spec", "examples", "package.json", "package-lock.json", "tsconfig.json", "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md",
    "CONTRIBUTING.md", ".gitignore", ".npmrc", ".ci", ".git", "node_modules", "dist", ".tsbuild",
  ]);
  assert.deepEqual(readdirSync(root).filter((name) => !known.has(name)), []);
});

test("the package has no dependencies, and its lockfile no addresses", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, unknown>;
  assert.equal(manifest["dependencies"], undefined);
  assert.deepEqual(Object.keys(manifest["devDependencies"] as object).sort(), ["@types/node", "tsx", "typescript"]);
  for (const lock of ["package-lock.json", "test/interop/package-lock.json"]) {
    if (existsSync(join(root, lock))) assert.doesNotMatch(readFileSync(join(root, lock), "utf8"), /"resolved"/);
  }
});
