// The diagrams of src/ARCHITECTURE.md, drawn from the imports and the doc comments of the sources.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { folderOf, MAY_IMPORT } from "../structure/import-table.ts";
import { codeOf, importsOf } from "../structure/imports.ts";
import { docText } from "./declarations.ts";

export const ARCHITECTURE = fileURLToPath(new URL("../../src/ARCHITECTURE.md", import.meta.url));

type Sources = ReadonlyMap<string, string>;

export function readSources(): Sources {
  const src = fileURLToPath(new URL("../../src", import.meta.url));
  const paths = readdirSync(src, { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"));
  return new Map(paths.filter((path) => path.endsWith(".ts")).sort().map((path) => [path, readFileSync(join(src, path), "utf8")]));
}

/** Folder → folders that it imports, itself apart. */
export function folderImports(sources: Sources): Map<string, Set<string>> {
  const graph = new Map(Object.keys(MAY_IMPORT).map((folder) => [folder, new Set<string>()]));
  for (const [file, source] of sources) {
    for (const { specifier } of importsOf(source)) {
      if (specifier === undefined || !specifier.startsWith(".")) continue;
      const target = folderOf(posix.join(posix.dirname(file), specifier));
      if (target !== folderOf(file)) graph.get(folderOf(file))?.add(target);
    }
  }
  return graph;
}

const titleOf = (folder: string): string => (folder === "" ? "entry points" : folder.replace("core/", ""));
const nodeOf = (folder: string): string => (folder === "" ? "entries" : folder.replace("/", "_"));

/** The imports between folders, without those that follow from others. */
export function layers(sources: Sources): string {
  const graph = folderImports(sources);
  const below = (folder: string, seen = new Set<string>()): Set<string> => {
    for (const next of graph.get(folder) ?? []) if (!seen.has(next)) below(next, seen.add(next));
    return seen;
  };
  const edges = [...graph].flatMap(([folder, targets]) => {
    const direct = [...targets].filter((target) => ![...targets].some((other) => other !== target && below(other).has(target)));
    return direct.sort().map((target) => `  ${nodeOf(folder)} --> ${nodeOf(target)}`);
  });
  const nodes = (wanted: (folder: string) => boolean) => [...graph.keys()].filter(wanted).map((folder) => `${nodeOf(folder)}["${titleOf(folder)}"]`);
  const core = nodes((folder) => folder.startsWith("core/")).map((node) => `    ${node}`);
  const others = nodes((folder) => !folder.startsWith("core/")).map((node) => `  ${node}`);
  return ["```mermaid", "flowchart TD", ...others, "  subgraph core", ...core, "  end", ...edges, "```"].join("\n");
}

/** For each folder what it imports, and what it may import and does not. */
export function importRows(sources: Sources): string {
  const graph = folderImports(sources);
  const list = (folders: readonly string[]) => folders.map((folder) => (folder === "" ? "entry points" : `\`${folder}\``)).join(", ");
  const rows = Object.entries(MAY_IMPORT).map(([folder, allowed]) => {
    const used = graph.get(folder) ?? new Set();
    const names = allowed.map((name) => (name.startsWith("types:") ? folderOf(name.slice("types:".length)) : name));
    return `| ${list([folder])} | ${list(names.filter((name) => used.has(name)))} | ${list(names.filter((name) => !used.has(name)))} |`;
  });
  return ["| folder | imports | may import, and does not |", "|---|---|---|", ...rows].join("\n");
}

export interface Step {
  readonly file: string;
  /** A function of the file. */
  readonly name: string;
}

/** The way of a message. Each file imports that of the next step, or they meet in the contract that `over` names, which both know. */
export const WAY: readonly { readonly from: Step; readonly to: Step; readonly says: string; readonly over?: string }[] = way();

function way() {
  const step = (file: string, name: string): Step => ({ file: `core/${file}.ts`, name });
  const guard = step("guard/guard", "createGuard");
  const flow = step("guard/flow", "createFlow");
  const judge = step("guard/judge", "judge");
  const execute = step("chain/execute", "execute");
  const run = step("chain/run", "runPlan");
  const entry = step("chain/invocation", "startEntry");
  const local = step("chain/in-process", "interceptorSource");
  const remote = step("client/interceptor-client", "clientSource");
  const handler = step("interceptor/invoke", "invokeInterceptor");
  const server = step("server/interceptor-server", "hostInterceptors");
  return [
    { from: guard, to: flow, says: "1. each frame that arrives" },
    { from: flow, to: step("guard/routes", "requestCases"), says: "2. what is to be judged in it" },
    { from: flow, to: step("guard/verdict", "contextOf"), says: "3. who is behind it" },
    { from: flow, to: judge, says: "4. case by case" },
    { from: judge, to: execute, says: "5. event, phase, payload", over: "core/chain/chain.ts" },
    { from: execute, to: step("chain/plan", "planSteps"), says: "6. who runs, in which order" },
    { from: execute, to: run, says: "7. step by step" },
    { from: run, to: entry, says: "8. each entry, with a copy" },
    { from: entry, to: local, says: "9. of this process", over: "core/chain/source.ts" },
    { from: entry, to: remote, says: "9. of a server", over: "core/chain/source.ts" },
    { from: local, to: handler, says: "10. the handler" },
    { from: remote, to: server, says: "10. interceptor/invoke", over: "core/wire/dialects.ts" },
    { from: server, to: handler, says: "10. the handler" },
    { from: run, to: step("chain/outcome", "judge"), says: "11. the first stop that counts" },
    { from: judge, to: step("chain/outcome", "chainError"), says: "12. refused: what the sender is told" },
    { from: judge, to: step("base/splice", "splice"), says: "12. changed: into the source text" },
    { from: flow, to: step("guard/verdict", "decide"), says: "13. recorded, before it goes on" },
    { from: flow, to: step("guard/answer", "answerTo"), says: "14. refused: back to its sender" },
    { from: flow, to: step("guard/turns", "createTurns"), says: "14. in its turn: on, back, or nowhere" },
  ];
}

/** Steps that the sources do not have, and ways that no import goes. */
export function wayProblems(sources: Sources, steps = WAY): string[] {
  const imports = (file: string) => importsOf(sources.get(file) ?? "").flatMap(({ specifier = "" }) => (specifier.startsWith(".") ? [posix.join(posix.dirname(file), specifier)] : []));
  const knows = (file: string, wanted: string, seen = new Set<string>()): boolean => {
    if (seen.has(file)) return false;
    seen.add(file);
    return imports(file).some((next) => next === wanted || knows(next, wanted, seen));
  };
  return steps.flatMap(({ from, to, over }) => {
    const gone = [from, to].filter(({ file, name }) => docOf(sources.get(file) ?? "", name) === undefined).map(({ file, name }) => `${file} has no function ${name}`);
    const linked = over === undefined ? imports(from.file).includes(to.file) : [from, to].every(({ file }) => knows(file, over)) || imports(over).includes(to.file);
    return [...gone, ...(linked ? [] : [`${from.file} does not reach ${to.file}${over === undefined ? "" : ` over ${over}`}`])];
  });
}

/** The way as a diagram, and each step with the first sentence of its doc comment. */
export function wayOf(sources: Sources): string {
  const steps = new Map<string, Step>();
  for (const { from, to } of WAY) for (const one of [from, to]) steps.set(idOf(one), one);
  const nodes = [...steps].map(([id, { file, name }]) => `  ${id}["${file.replace(/^core\/|\.ts$/g, "")}<br>${name}"]`);
  const edges = WAY.map(({ from, to, says, over }) => `  ${idOf(from)} ${over === undefined ? "-->" : "-.->"}|"${says}"| ${idOf(to)}`);
  const rows = [...steps.values()].map(({ file, name }) => `| [\`${name}\`](${file}) | ${firstSentence(docOf(sources.get(file) ?? "", name) ?? "")} |`);
  return ["```mermaid", "flowchart TD", ...nodes, ...edges, "```", "", "| step | what it does |", "|---|---|", ...rows].join("\n");
}

const idOf = ({ file, name }: Step): string => `${file.replace(/^.*\/|\.ts$/g, "").replaceAll("-", "_")}_${name}`;

/** The doc comment of an exported function; empty without one, `undefined` without the function. */
export function docOf(source: string, name: string): string | undefined {
  const found = new RegExp(`^export (?:async )?function ${name}\\b`, "m").exec(codeOf(source));
  if (found === null) return undefined;
  const comment = /\/\*\*(?:(?!\*\/)[^])*\*\/\n$/.exec(source.slice(0, found.index))?.[0];
  return comment === undefined ? "" : docText(comment.trim());
}

function firstSentence(doc: string): string {
  return (/^[^]*?[.](?= [A-Z`]|$)/.exec(doc)?.[0] ?? doc).replace(/\{@link\s+([\w$]+)[^}]*\}/g, "`$1`").replaceAll("|", "\\|");
}
