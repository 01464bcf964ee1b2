// Copies of the sources for the oldest compiler that they are promised to, and for a bundler.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { buildSync } from "esbuild";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { temporaryFolder } from "../support/compile.ts";

const HERE = import.meta.dirname;
const OLDEST = join(HERE, "node_modules", "typescript-5.6", "bin", "tsc");
const ENTRIES = ["index", "chain", "library", "web", "conformance"];
const folder = temporaryFolder("vendored");
after(() => folder.remove());
writeFileSync(join(folder.path, "package.json"), JSON.stringify({ type: "module" }));

function run(...args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder.path, encoding: "utf8" });
  return stdout + stderr;
}

function copy(endings: string): string {
  const path = join(folder.path, endings);
  run(join(HERE, "..", "..", "dist", "cli", "main.js"), "vendor", path, "--endings", endings, ...ENTRIES.flatMap((entry) => ["--entry", entry]));
  return path;
}

const compilations: readonly (readonly [endings: string, where: string, options: readonly string[]])[] = [
  ["js", "on Node", ["--module", "nodenext"]],
  ["none", "for a bundler", ["--module", "esnext", "--moduleResolution", "bundler"]],
];
for (const [endings, where, options] of compilations) {
  test(`all entry points, copied with the endings "${endings}", compile with TypeScript 5.6 ${where}`, () => {
    const path = copy(endings);
    const files = ENTRIES.map((entry) => join(path, `${entry}.ts`));
    assert.equal(run(OLDEST, "--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2023", "--lib", "es2023,dom,dom.iterable", ...options, ...files), "");
  });
}

test("a copy without endings can be bundled and run", () => {
  const bundle = join(folder.path, "bundle.js");
  const code = `import { createChain } from "./none/chain"; console.log(await createChain().execute({ event: "tools/call", phase: "request", payload: {} }).then(({ status }) => status));`;
  buildSync({ stdin: { contents: code, resolveDir: folder.path }, bundle: true, format: "esm", outfile: bundle });
  assert.equal(run(bundle), "success\n");
});
