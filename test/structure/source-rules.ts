// The rules of style that a machine can see, each a function of file paths and texts that gives one line for each breach.
import { posix } from "node:path";
import { codeOf, exportedNames, importsOf } from "./imports.ts";

export type Sources = ReadonlyMap<string, string>;

export const MAX_LINES = 400;

const GLOBALS = [
  ...["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "queueMicrotask", "structuredClone", "globalThis"],
  ...["TextEncoder", "TextDecoder", "AbortController", "AbortSignal", "DOMException", "URL", "URLSearchParams", "WebAssembly", "Buffer"],
  ...["fetch", "console", "process", "crypto", "performance", "atob", "btoa", "window", "self", "require", "eval", "Function", "Intl"],
];

export function lengthProblems(sources: Sources): string[] {
  return [...sources]
    .filter(([file]) => !file.includes("/gen/"))
    .map(([file, source]) => ({ file, lines: source.replace(/\n$/, "").split("\n").length }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ file, lines }) => `${file} has ${lines} lines, ${MAX_LINES} are the limit`);
}

/** Lower case with hyphens, of letters and digits; in tests also a second ending, as in `chain.test.ts`. */
export function nameProblems(paths: Iterable<string>): string[] {
  const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
  return [...paths].filter((path) => {
    const steps = path.split("/");
    const name = steps.pop()!;
    return !steps.every((step) => kebab.test(step)) || !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|bench|interop))?\.[a-z]+$/.test(name);
  });
}

// Turns no check off: it has the compiler look for Node's types wherever the declarations of an entry point for Node are read.
const NODE_TYPES = '/// <reference types="node" preserve="true" />';
const FOR_NODE: ReadonlySet<string> = new Set(["node.ts", "gateway.ts"]);

/** Errors of no class of ours, checks that are turned off, and `any`. */
export function safetyProblems(sources: Sources): string[] {
  const plain = new Map([...sources].map(([file, source]) => [file, FOR_NODE.has(file) && source.startsWith(NODE_TYPES) ? source.slice(NODE_TYPES.length) : source]));
  return matches(plain, (source, code) => [
    ...code.matchAll(/\bnew\s+(?:Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error\b/g),
    ...code.matchAll(/(?<![.\w$])any\b(?!\s*[?:(=])/g),
    ...source.matchAll(/@ts-(?:ignore|expect-error|nocheck)|\/\/\/\s*<reference/g),
  ]);
}

/** Modules that are imported for what loading them does. A bundler leaves them out, as the manifest says that loading does nothing. */
export function effectProblems(sources: Sources): string[] {
  return matches(sources, (_source, code) => code.matchAll(/(?<![.\w$])import\s*(?:"_*"|'_*')/g));
}

/** Names of platform globals, members of that name apart. */
export function globalProblems(sources: Sources): string[] {
  const name = new RegExp(`(?<![\\w$#]|(?<!\\.\\.)\\.|\\bfunction )(?:${GLOBALS.join("|")})\\b(?!\\s*\\??:)`, "g");
  return matches(sources, (_source, code) => code.matchAll(name));
}

/** An entry point says each name that it exports, and holds nothing else. */
export function entryPointProblems(sources: Sources): string[] {
  return [...sources].flatMap(([file, source]) => {
    const rest = codeOf(source).replace(/\bexport\s+(?:type\s*)?\{[^}]*\}\s*from\s*(?:"_*"|'_*')\s*;/g, "").trim();
    const names = exportedNames(source).map(({ name }) => name);
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    return [
      ...(rest === "" ? [] : [`${file} holds more than lists of exported names: ${rest.split("\n")[0]}`]),
      ...twice.map((name) => `${file} exports ${name} twice`),
      ...(names.includes("default") ? [`${file} has a default export`] : []),
    ];
  });
}

/**
 * A test lies where what it tests lies in `src`: it bears the name of a file there, or looks at several and names one of them, to import it or
 * to run it, itself or in a helper that it imports. Other folders of `test` are those that `own` names. `files` is all of `test`, by path.
 */
export function testPlaceProblems(files: Sources, src: ReadonlySet<string>, own: ReadonlySet<string>): string[] {
  const folders = new Set([...src].map((file) => posix.dirname(file)));
  return [...files].flatMap(([file, source]) => {
    const folder = posix.dirname(file);
    if (!file.endsWith(".test.ts") || (own.has(file.split("/")[0]!) && folder !== ".")) return [];
    if (!folders.has(folder) || folder === ".") return [`test/${file} is in a folder that neither src has nor test/README.md explains`];
    if (src.has(file.replace(/\.test\.ts$/, ".ts"))) return [];
    const helpers = importsOf(source).map(({ specifier = "" }) => files.get(posix.join(folder, specifier)) ?? "");
    const named = [source, ...helpers].some((text) => text.includes(`src/${folder}/`));
    return named ? [] : [`test/${file} bears the name of no file of src/${folder}, and names none`];
  });
}

/** Folders that hold files, but neither a README nor a mention (`` `folder` `` or `` `folder/` ``) in the text that should have one. */
export function unexplainedFolders(folders: Iterable<string>, withReadme: ReadonlySet<string>, overview: string): string[] {
  return [...folders].filter((folder) => !withReadme.has(folder) && !overview.includes(`\`${folder}\``) && !overview.includes(`\`${folder}/\``));
}

function matches(sources: Sources, find: (source: string, code: string) => Iterable<RegExpExecArray>): string[] {
  const problems: string[] = [];
  for (const [file, source] of sources) {
    for (const match of find(source, codeOf(source))) {
      problems.push(`${file}:${source.slice(0, match.index).split("\n").length}: ${match[0]}`);
    }
  }
  return problems;
}
