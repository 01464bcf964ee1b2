// Copies of the sources for the oldest compiler that they are promised to, and for a bundler.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { buildSync } from "esbuild";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { temporaryFolder } from "../support/compile.ts";

const HERE = import.meta.dirname;
const OLDEST = join(HERE, "node_modules", "typescript-5.6", "bin", "tsc");
const NODE_22 = join(HERE, "node_modules", "node-22", "bin", "node");
const ENTRIES = ["index", "chain", "library", "web", "conformance"];
const PROGRAM = `import { createChain } from "CHAIN"; console.log(await createChain().execute({ event: "tools/call", phase: "request", payload: {} }).then(({ status }) => status));`;
const folder = temporaryFolder("vendored");
after(() => folder.remove());
writeFileSync(join(folder.path, "package.json"), JSON.stringify({ type: "module" }));

function run(command: string, ...args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(command, args, { cwd: folder.path, encoding: "utf8" });
  return stdout + stderr;
}

function copy(endings: string): string {
  const path = join(folder.path, endings);
  run(process.execPath, join(HERE, "..", "..", "dist", "cli", "main.js"), "vendor", path, "--endings", endings, ...ENTRIES.flatMap((entry) => ["--entry", entry]));
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
    assert.equal(run(process.execPath, OLDEST, "--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2023", "--lib", "es2023,dom", ...options, ...files), "");
  });
}

test("a copy without endings can be bundled and run", () => {
  const bundle = join(folder.path, "bundle.js");
  buildSync({ stdin: { contents: PROGRAM.replace("CHAIN", "./none/chain"), resolveDir: folder.path }, bundle: true, format: "esm", outfile: bundle });
  assert.equal(run(process.execPath, bundle), "success\n");
});

test("a copy runs as it is where Node strips types", { skip: existsSync(NODE_22) ? false : "node-22 is not installed" }, () => {
  copy("ts");
  const program = join(folder.path, "program.ts");
  writeFileSync(program, PROGRAM.replace("CHAIN", "./ts/chain.ts"));
  assert.equal(run(NODE_22, "--no-warnings", program), "success\n");
});
