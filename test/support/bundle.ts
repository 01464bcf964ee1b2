// A program in one file, in a folder of its own, as an installed one would be: no tsx in reach, and it starts four times as fast.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const made = new Map<string, Promise<string>>();

/** Bundles a source, and gives the file. Made once a process, removed at its end. */
export function bundle(entry: string): Promise<string> {
  const file = made.get(entry) ?? build(entry);
  made.set(entry, file);
  return file;
}

async function build(entry: string): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcp-interceptors-")));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  // tsx brings its compiler along.
  const require = createRequire(createRequire(import.meta.url).resolve("tsx/package.json"));
  const { build } = require("esbuild") as { build(options: object): Promise<unknown> };
  // As deep as the module that reads the schema of configurations, which lies beside as in a package.
  const outdir = join(folder, "dist", "gateway", "config");
  // The command line's own modules are a folder higher.
  mkdirSync(join(folder, "dist"));
  for (const beside of ["spec", "dist/spec", "dist/src", "dist/LICENSE", "dist/package.json"]) symlinkSync(fileURLToPath(new URL(`../../${basename(beside)}`, import.meta.url)), join(folder, beside));
  await build({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", conditions: ["mcp-interceptors-source"], minifyWhitespace: true, outdir, outExtension: { ".js": ".mjs" }, splitting: true, entryNames: "main", logLevel: "error" });
  return join(outdir, "main.mjs");
}
