// Reads emitted declarations: TypeScript 7 has no compiler API, and what it emits is regular. Statements start in the first column.
import { readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf } from "../structure/imports.ts";
import { runCompiler, temporaryFolder } from "../support/compile.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Declared {
  readonly name: string;
  /** Its doc comment, each paragraph on a line; empty where there is none. */
  readonly doc: string;
  /** The statement without `export` and `declare`; overloads one below the other. */
  readonly code: string;
  readonly file: string;
}

interface Module {
  readonly declared: ReadonlyMap<string, Declared>;
  /** Name → where it comes from: of re-exports, and of imports that declarations name. */
  readonly reexported: ReadonlyMap<string, Origin>;
  readonly imported: ReadonlyMap<string, Origin>;
  /** Modules of which it exports everything. */
  readonly all: readonly string[];
}

interface Origin {
  readonly file: string;
  readonly name: string;
}

export interface Declarations {
  /** What a module of the emitted declarations (`chain.d.ts`) exports under a name. */
  exported(file: string, name: string): Declared | undefined;
  /** What a name means within a module. */
  named(file: string, name: string): Declared | undefined;
}

let emitted: Declarations | undefined;

/** All declarations of `src` as the compiler emits them, once a process. Nothing is checked, which `npm run typecheck` does. */
export function emitDeclarations(): Declarations {
  return (emitted ??= emit());
}

function emit(): Declarations {
  const folder = temporaryFolder("declarations");
  try {
    const options = {
      ...{ composite: false, incremental: false, noCheck: true, emitDeclarationOnly: true, lib: ["ES2023", "WebWorker"], types: ["node"] },
      ...{ typeRoots: [join(root, "node_modules", "@types")], rootDir: join(root, "src"), outDir: join(folder.path, "out") },
    };
    const project = { extends: join(root, "tsconfig.json"), compilerOptions: options, include: [join(root, "src", "*.ts")], references: [] };
    writeFileSync(join(folder.path, "tsconfig.json"), JSON.stringify(project));
    const said = runCompiler(folder.path, "-p", ".");
    if (said !== "") throw new Error(said);
    const modules = new Map<string, Module>();
    const visit = (file: string): void => {
      if (modules.has(file)) return;
      const module = readModule(file, readFileSync(join(folder.path, "out", file), "utf8"));
      modules.set(file, module);
      for (const other of [...module.all, ...[...module.reexported.values(), ...module.imported.values()].map((origin) => origin.file)]) visit(other);
    };
    for (const entry of ENTRY_MODULES.values()) visit(entry);
    return declarationsOf(modules);
  } finally {
    folder.remove();
  }
}

const { exports: exported } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { exports: Record<string, Record<string, string>> };
/** Module of declarations of each entry point, by the name that it is imported by. */
export const ENTRY_MODULES: ReadonlyMap<string, string> = new Map(Object.entries(exported).map(([name, { types = "" }]) => [name, types.replace("./dist/", "")]));

export function declarationsOf(modules: ReadonlyMap<string, Module>): Declarations {
  const find = (file: string, name: string, ways: readonly ("reexported" | "imported")[]): Declared | undefined => {
    const module = modules.get(file);
    const here = module?.declared.get(name);
    if (module === undefined || here !== undefined) return here;
    for (const way of ways) {
      const origin = module[way].get(name);
      if (origin !== undefined) return find(origin.file, origin.name, ["reexported"]);
    }
    for (const other of module.all) {
      const there = find(other, name, ["reexported"]);
      if (there !== undefined) return there;
    }
    return undefined;
  };
  return { exported: (file, name) => find(file, name, ["reexported"]), named: (file, name) => find(file, name, ["imported", "reexported"]) };
}

const STATEMENT = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const|let)\s+(?<name>[\w$]+)/;

/** One emitted module. */
export function readModule(file: string, text: string): Module {
  const declared = new Map<string, Declared>();
  const [reexported, imported] = [new Map<string, Origin>(), new Map<string, Origin>()];
  const all: string[] = [];
  const target = (specifier: string) => posix.join(posix.dirname(file), specifier).replace(/\.ts$/, ".d.ts");
  for (const { code, doc } of statements(text)) {
    const whole = /^export \* from "(\.[^"]+)"/.exec(code)?.[1];
    if (whole !== undefined) all.push(target(whole));
    const list = /^(export|import)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*"([^"]+)"/.exec(code);
    if (list !== null) {
      const [, verb, items = "", specifier = ""] = list;
      if (!specifier.startsWith(".")) continue;
      for (const item of items.split(",").map((one) => one.trim().replace(/^type /, "")).filter((one) => one !== "")) {
        const [name = "", own = name] = item.split(" as ");
        (verb === "export" ? reexported : imported).set(own, { file: target(specifier), name });
      }
      continue;
    }
    const name = STATEMENT.exec(code)?.groups?.["name"];
    if (name === undefined) continue;
    const before = declared.get(name);
    const plain = code.replace(/^(?:export )?(?:declare )?/, "");
    declared.set(name, { name, file, doc: before?.doc || doc, code: before === undefined ? plain : `${before.code}\n${plain}` });
  }
  return { declared, reexported, imported, all };
}

/** Statements of a module with the comment before each, in order. A statement ends where its brackets are closed and its line ends. */
function statements(text: string): { readonly code: string; readonly doc: string }[] {
  const found: { code: string; doc: string }[] = [];
  const masked = codeOf(text);
  const [lines, bare] = [text.split("\n"), masked.split("\n")];
  let comment: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (lines[at]!.startsWith("/**")) {
      comment = [];
      do comment.push(lines[at]!);
      while (!lines[at++]!.includes("*/"));
      at--;
      continue;
    }
    if (bare[at]!.trim() === "") continue;
    const start = at;
    let depth = 0;
    for (; ; at++) {
      for (const char of bare[at] ?? "") depth += "{[(".includes(char) ? 1 : "}])".includes(char) ? -1 : 0;
      if (depth === 0 && (/[;}]\s*$/.test(bare[at] ?? "") || at >= lines.length)) break;
    }
    found.push({ code: lines.slice(start, at + 1).join("\n"), doc: docText(comment.join("\n")) });
    comment = [];
  }
  return found;
}

/** A doc comment without its marks; paragraphs are lines. */
export function docText(comment: string): string {
  const inside = comment.replace(/^\s*\/\*\*/, "").replace(/\*\/\s*$/, "");
  const lines = inside.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  return lines.join("\n").trim().replace(/(?<!\n)\n(?!\n|[-|] )/g, " ").replace(/\n{2,}/g, "\n\n").trim();
}
