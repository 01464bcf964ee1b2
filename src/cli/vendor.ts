import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describeError } from "../core/base/errors.ts";
import { VERSION } from "../core/base/version.ts";
import { UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import type { ParsedOptions } from "./options.ts";
import { defineVerb } from "./verb.ts";
import { quoteWord } from "./words.ts";

const ENTRY_POINTS = ["index", "chain", "library", "web", "conformance"] as const;
const ENDINGS = ["ts", "js", "none"] as const;
// Two folders up is a checkout, whose sources are copied, or a package, which has none: there it is what was built of them.
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const IMPORT = /(\b(?:from|import)\s*\(?\s*)"(\.{1,2}\/[^"]+)\.(?:ts|js)"/g;

/** `vendor DIR`: what an entry point needs, as files of another project. */
export const vendor = defineVerb({
  name: "vendor",
  words: "none",
  usage: "DIR [OPTIONS]",
  about: `Copies the modules of entry points, and all that these need, into a folder that
is new or empty, with the license and a README that says how to update. They
need no package and no build of ours.

From a checkout these are the TypeScript sources, whose imports end in .ts. That
takes TypeScript 5.7; --endings js or none also suits 5.6. From an installed
package it is JavaScript with its declarations.`,
  options: [
    { name: "entry", value: "NAME", many: true, choices: ENTRY_POINTS, help: `${ENTRY_POINTS.join(", ")}; index unless said otherwise` },
    { name: "endings", value: "KIND", choices: ENDINGS, help: "of imports: ts, js or none; as they are unless said otherwise" },
  ],
  examples: ["mcp-interceptors vendor src/vendor/mcp-interceptors --entry chain --endings js"],
  exit: "Exit code: 0; 2 for a wrong word, or a folder that holds something or cannot be\nwritten to.",
  action: copy,
});

function copy({ positionals, rest = [], values }: ParsedOptions): Exit {
  const [folder, more] = [...positionals, ...rest];
  // Behind -- any word is taken as it is.
  if (folder === undefined || folder === "") throw new UsageError("the folder is missing", "mcp-interceptors vendor src/vendor/mcp-interceptors");
  if (more !== undefined) throw new UsageError(`unexpected ${JSON.stringify(more)}`, "mcp-interceptors help vendor");
  if (existsSync(folder) && !statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file`, "name a folder that is new or empty");
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new UsageError(`${folder} is not empty`, "to update a copy, remove it first: nothing in it is yours");
  const typed = existsSync(join(ROOT, "src", "chain.ts"));
  const entries = values.get("entry") ?? ["index"];
  const endings = values.get("endings")?.[0] ?? (typed ? "ts" : "js");
  if (!typed && endings === "ts") throw new UsageError("--endings ts needs the sources, which a checkout has and a package has not");

  const files = typed ? modulesOf(join(ROOT, "src"), entries, [".ts"]) : modulesOf(join(ROOT, "dist"), entries, [".js", ".d.ts"]);
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), withEndings(text, endings));
    }
    copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
    writeFileSync(join(folder, "README.md"), readme(folder, entries, endings, typed));
  } catch (thrown) {
    throw new UsageError(`it cannot be written: ${describeError(thrown)}`, "name a folder in one that you may write to");
  }
  process.stdout.write(`${folder}: ${files.size} files of mcp-interceptors ${VERSION}; its README.md says how to import and to update them\n`);
  return { code: 0 };
}

/** The files of `entries` and of every module that they import, types included, by path. A module is one file for each of `kinds`. */
function modulesOf(folder: string, entries: readonly string[], kinds: readonly string[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const waiting = [...entries];
  for (let module = waiting.pop(); module !== undefined; module = waiting.pop()) {
    for (const kind of kinds) {
      const path = `${module}${kind}`;
      if (files.has(path)) continue;
      const text = readFileSync(join(folder, path), "utf8");
      files.set(path, text);
      for (const [, , imported = ""] of text.matchAll(IMPORT)) waiting.push(posix.join(posix.dirname(module), imported));
    }
  }
  return files;
}

function withEndings(text: string, endings: string): string {
  return text.replace(IMPORT, (_whole, before: string, path: string) => `${before}"${path}${endings === "none" ? "" : `.${endings}`}"`);
}

const HOW_TO_COMPILE: Readonly<Record<string, string>> = {
  ts: "Imports end in `.ts`: set `rewriteRelativeImportExtensions` (TypeScript 5.7 and later), or `allowImportingTsExtensions` where something else than the compiler makes the JavaScript.",
  js: "Imports end in `.js`, which every way of resolving modules understands; the compiler has to be TypeScript 5.6 or later.",
  none: "Imports have no ending: that is for bundlers (`\"moduleResolution\": \"Bundler\"`), and TypeScript 5.6 or later.",
};

function readme(folder: string, entries: readonly string[], endings: string, typed: boolean): string {
  const ending = endings === "none" ? "" : `.${endings}`;
  const options = [...entries.flatMap((entry) => ["--entry", entry]), "--endings", endings].join(" ");
  return `# mcp-interceptors ${VERSION}, a copy

${typed ? "TypeScript sources" : "JavaScript with its declarations"}, ES modules that need no package, under the license beside. Import from ${entries.map((entry) => `\`./${entry}${ending}\``).join(", ")}, and from nothing else: that alone is public.
${HOW_TO_COMPILE[endings]}

To update, read the changes since ${VERSION} in \`CHANGELOG.md\` of mcp-interceptors, remove this folder, and run this of the newer version:

\`\`\`
mcp-interceptors vendor ${options} ${folder.startsWith("-") ? "-- " : ""}${quoteWord(folder)}
\`\`\`

Change nothing here, it would be lost; write beside it what the folder does not do.
`;
}
