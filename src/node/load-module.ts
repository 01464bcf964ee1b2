import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describeError, LocalError } from "../core/base/errors.ts";
import { isObject, ownMember, parsePointer } from "../core/base/json.ts";
import { irregularity } from "./read-file.ts";
import { isInterceptor, type Interceptor } from "../core/interceptor/define.ts";

const MODULE_ENDING = /\.[cm]?[jt]s$/;
const TYPESCRIPT_ENDING = /\.[cm]?ts$/;

/** Whether a word names a module rather than a command: it ends like one, and has no blanks unless there is such a file. */
export function isModulePath(word: string): boolean {
  return MODULE_ENDING.test(word) && (!/\s/.test(word) || existsSync(word));
}

/**
 * Loads a module and collects the interceptors that it exports, under whatever names, single or in lists. Errors (`invalid_argument`) say which
 * module and what to do.
 */
export async function loadInterceptors(path: string): Promise<readonly Interceptor[]> {
  return interceptorsIn(await load(resolve(path), ""), path);
}

/** The interceptors that a module exports, which has been loaded; throws `invalid_argument` where there are none. */
export function interceptorsIn(exports: Readonly<Record<string, unknown>>, path: string): readonly Interceptor[] {
  const file = resolve(path);
  const found = new Set<Interceptor>();
  for (const value of Object.values(exports)) {
    for (const item of Array.isArray(value) ? value : [value]) if (isInterceptor(item)) found.add(item);
  }
  if (found.size === 0) {
    throw new LocalError("invalid_argument", `${file} exports no interceptor; export what validator() or mutator() returns, or a list of such`);
  }
  return [...found];
}

const CHECK_MS = 10_000;

/** What is wrong with the syntax of a file of JavaScript, which is not run. Undefined where nothing is, or Node cannot tell: of TypeScript above all. */
export async function syntaxFault(file: string): Promise<string | undefined> {
  if (TYPESCRIPT_ENDING.test(file)) return undefined;
  const said = await new Promise<string>((settle) => {
    execFile(process.execPath, ["--check", file], { timeout: CHECK_MS, windowsHide: true }, (_failed, _stdout, stderr) => settle(stderr));
  });
  const what = /^SyntaxError: (.*)$/m.exec(said)?.[1];
  const line = /:(\d+)\r?$/.exec(said.split("\n", 1)[0] ?? "")?.[1];
  return what === undefined ? undefined : `${what}${line === undefined ? "" : ` (line ${line})`}`;
}

// Where it went wrong: the first place in a file that the stack names. A syntax error's names none.
function placeOf(thrown: unknown, file: string): string {
  if (thrown instanceof SyntaxError) return ` (for the place, run: node --check ${file})`;
  const place = /file:\/\/[^\s()]+:\d+/.exec(thrown instanceof Error ? String(thrown.stack) : "")?.[0];
  return place === undefined ? "" : ` (${place})`;
}

/**
 * Loads a module as it is on disk now: one that has changed since it was loaded before is run anew. What it imports itself is not, and what it was
 * before stays in memory, as Node has it. Rejects like `loadInterceptors`.
 */
export function importFresh(path: string): Promise<Record<string, unknown>> {
  const file = resolve(path);
  const changedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return load(file, `?changed=${changedMs}`);
}

async function load(file: string, query: string): Promise<Record<string, unknown>> {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw new LocalError("invalid_argument", `there is no file ${file}`);
  const kind = irregularity(stat);
  if (kind !== undefined) throw new LocalError("invalid_argument", `${file} ${kind}, and no module`);
  try {
    return await importModule(file, query);
  } catch (cause) {
    if (cause instanceof LocalError) throw cause;
    const why = describeError(cause).replaceAll(/\s*\n\s*/g, " ");
    throw new LocalError("invalid_argument", `${file} could not be loaded: ${why}${placeOf(cause, file)}`, { cause });
  }
}

async function importModule(file: string, query: string): Promise<Record<string, unknown>> {
  const url = `${pathToFileURL(file).href}${query}`;
  try {
    return (await import(url)) as Record<string, unknown>;
  } catch (thrown) {
    if (!TYPESCRIPT_ENDING.test(file) || !isUnknownExtension(thrown)) throw thrown;
    return importWithTsx(file, url);
  }
}

// This Node does not strip types; tsx does, if it is installed where the module or the user is.
async function importWithTsx(file: string, url: string): Promise<Record<string, unknown>> {
  for (const base of [file, join(process.cwd(), "package.json")]) {
    const api = tsxApi(base);
    if (api === undefined) continue;
    // tsx's own signature.
    const { tsImport } = (await import(pathToFileURL(api).href)) as { tsImport(specifier: string, parent: string): Promise<Record<string, unknown>> };
    return tsImport(url, import.meta.url);
  }
  throw new LocalError(
    "invalid_argument",
    `${file} is TypeScript, which Node ${process.versions.node} does not load: install tsx beside it, use Node 22.18 or newer, or compile it first`,
  );
}

/** The file of tsx's API, as an ES module, if tsx is installed where `base` is. `require.resolve` finds the CommonJS one, whose `tsImport` looks for its own parts in the wrong place. */
export function tsxApi(base: string): string | undefined {
  let manifest: string;
  try {
    manifest = createRequire(base).resolve("tsx/package.json");
  } catch {
    return undefined;
  }
  let entry: unknown = JSON.parse(readFileSync(manifest, "utf8"));
  for (const member of parsePointer("/exports/.~1esm~1api/import/default") ?? []) entry = isObject(entry) ? ownMember(entry, member) : undefined;
  return typeof entry === "string" ? join(dirname(manifest), entry) : undefined;
}

function isUnknownExtension(thrown: unknown): boolean {
  return typeof thrown === "object" && thrown !== null && "code" in thrown && thrown.code === "ERR_UNKNOWN_FILE_EXTENSION";
}
