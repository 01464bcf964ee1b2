import { posix } from "node:path";
import { importsOf } from "./imports.ts";

const CORE = ["base", "wire", "schema", "transport", "jsonrpc", "mcp", "http", "interceptor", "chain", "server", "client", "guard"].map((name) => `core/${name}`);
const GUARD = CORE.filter((name) => name !== "core/http" && name !== "core/guard");

/**
 * Each folder of `src`, and what it may import besides itself; the empty name is that of the entry points. `types:` allows the types of
 * one file. Imports only point down.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
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
  "": [...CORE, "library", "web", "node", "gateway", "conformance"],
  cli: [...CORE, "library", "web", "node", "gateway", "conformance", ""],
};

const ON_NODE: ReadonlySet<string> = new Set(["node", "gateway", "cli"]);
// The one place that loads modules which a user names.
const LOADS_ANY_MODULE: ReadonlySet<string> = new Set(["node/load-module.ts"]);

/** The folder in the table that a file of `src` belongs to. */
export function folderOf(file: string): string {
  const parts = file.split("/");
  if (parts.length === 1) return "";
  return parts[0] === "core" ? parts.slice(0, 2).join("/") : parts[0]!;
}

/** Every import of `sources` (path within `src` → text) that the table does not allow, one line each. */
export function importProblems(sources: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  for (const [file, source] of sources) {
    const folder = folderOf(file);
    const allowed = MAY_IMPORT[folder];
    if (allowed === undefined) {
      problems.push(`src/${file} is in no known folder`);
      continue;
    }
    for (const { specifier, typeOnly, line } of importsOf(source)) {
      const refuse = (what: string) => problems.push(`src/${file}:${line} imports ${what}`);
      if (specifier === undefined) {
        if (!LOADS_ANY_MODULE.has(file)) refuse("what only running tells");
      } else if (!specifier.startsWith(".")) {
        if (!specifier.startsWith("node:") || !ON_NODE.has(folder)) refuse(specifier);
      } else {
        const target = posix.join(posix.dirname(file), specifier);
        const targetFolder = folderOf(target);
        if (!sources.has(target)) refuse(`${target}, which does not exist`);
        else if (targetFolder !== folder && !allowed.includes(targetFolder)) {
          if (!allowed.includes(`types:${target}`)) refuse(target);
          else if (!typeOnly) refuse(`more than types of ${target}`);
        }
      }
    }
  }
  return problems;
}

/** What is wrong with the table itself: files that do not exist, folders that it does not list, and a way back up. */
export function tableProblems(files: ReadonlySet<string>, table: Readonly<Record<string, readonly string[]>> = MAY_IMPORT): string[] {
  const problems: string[] = [];
  const below = new Set<string>();
  for (const [folder, allowed] of Object.entries(table)) {
    for (const name of allowed) {
      if (name.startsWith("types:")) {
        if (!files.has(name.slice("types:".length))) problems.push(`${folder} may import the types of ${name.slice("types:".length)}, which does not exist`);
      } else if (!below.has(name)) problems.push(`${folder || "src"} may import ${name}, which is not further up in the table`);
    }
    below.add(folder);
  }
  return problems;
}
