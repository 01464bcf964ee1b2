import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../support/compile.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const LEFT_OUT = new Set(["node_modules", "dist", ".tsbuild", ".git"]);

/** An empty project with the packed package installed, and the checkout that it was packed from: a copy, as packing builds and writes. */
export interface Consumer {
  readonly project: string;
  readonly installed: string;
  readonly checkout: string;
  /** The checkout's manifest, as it was before packing. */
  readonly manifest: string;
  readonly tarball: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs a program in the project. */
  run(command: string, ...args: readonly string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string };
  remove(): void;
}

let shared: Consumer | undefined;

/** Packs once for the whole run, as that builds; all is removed when the process ends. */
export function installPacked(): Consumer {
  if (shared === undefined) {
    shared = pack();
    process.once("exit", shared.remove);
  }
  return shared;
}

function pack(): Consumer {
  const folder = temporaryFolder("pack");
  const [checkout, project, cache] = [join(folder.path, "checkout"), join(folder.path, "project"), join(folder.path, "cache")];
  const env = environment(cache);
  const run = (cwd: string) => (command: string, ...args: readonly string[]) => {
    const shell = process.platform === "win32" && command !== process.execPath;
    const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, shell, encoding: "utf8", timeout: 60_000, env });
    if (error !== undefined) throw error;
    return { status, stdout, stderr };
  };
  const npm = (cwd: string, ...args: readonly string[]) => {
    const { status, stdout, stderr } = run(cwd)("npm", ...args);
    if (status !== 0) throw new Error(`npm ${args.join(" ")} ended with ${status}\n${stdout}${stderr}`);
  };

  try {
    cpSync(root, checkout, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) && !path.endsWith(".tgz") });
    symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"), "junction");
    // What the examples leave behind that are run there.
    for (const name of ["shadow.jsonl", "audit.jsonl", "audit.1.jsonl"]) writeFileSync(join(checkout, "examples", "gateway", name), "{}\n");
    const manifest = readFileSync(join(checkout, "package.json"), "utf8");
    mkdirSync(project);
    npm(checkout, "pack", "--pack-destination", project);
    const tarball = readdirSync(project).find((name) => name.endsWith(".tgz"))!;
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
    npm(project, "install", "--offline", "--no-audit", "--no-fund", `./${tarball}`);
    for (const file of readdirSync(join(root, "test", "pack", "fixtures"))) cpSync(join(root, "test", "pack", "fixtures", file), join(project, file));
    return { project, installed: join(project, "node_modules", "mcp-interceptors"), checkout, manifest, tarball: join(project, tarball), env, run: run(project), remove: folder.remove };
  } catch (thrown) {
    folder.remove();
    throw thrown;
  }
}

/** Without what `npm test` tells its scripts of this project, and with a cache of its own that holds nothing. */
function environment(cache: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) && name !== "INIT_CWD");
  return { ...Object.fromEntries(own), npm_config_cache: cache, npm_config_update_notifier: "false" };
}
