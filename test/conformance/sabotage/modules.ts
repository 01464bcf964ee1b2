// The modules of a program as functions, so that a mutant of one costs no process and no second compilation of the others.
import { createRequire } from "node:module";
import { posix } from "node:path";
import { readSource } from "./patches.ts";

interface Compiler {
  transform(source: string, options: object): Promise<{ readonly code: string }>;
  build(options: object): Promise<{ readonly outputFiles: readonly { readonly text: string }[] }>;
}

// tsx brings its compiler along.
const compiler = createRequire(createRequire(import.meta.url).resolve("tsx/package.json"))("esbuild") as Compiler;

/** Rejects where the text is no TypeScript. */
export async function compileModule(file: string, source: string): Promise<string> {
  return (await compiler.transform(source, { loader: "ts", format: "cjs", target: "node20", sourcefile: file, logLevel: "silent" })).code;
}

/** Compiled, by path: the modules that these need, and themselves. */
export async function compileWithImports(entries: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const modules = new Map<string, string>();
  const pending = [...entries];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (modules.has(file)) continue;
    const code = await compileModule(file, readSource(file));
    modules.set(file, code);
    // The compiler has written each import that is left, as a call of its own.
    for (const [, specifier] of code.matchAll(/\brequire\("(\.[^"]+)"\)/g)) pending.push(posix.join(posix.dirname(file), specifier ?? ""));
  }
  return modules;
}

/** A module and all that it imports as one text, to be run by a thread of its own. None of its names is a global there, where a mutant would find it. */
export async function bundle(path: string): Promise<string> {
  const options = { entryPoints: [path], bundle: true, platform: "node", format: "iife", target: "node20", write: false, logLevel: "silent" };
  return (await compiler.build(options)).outputFiles[0]?.text ?? "";
}
