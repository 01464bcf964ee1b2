import { buildSync, type BuildOptions } from "esbuild";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** The program as single files of JavaScript, one for each way in which runtimes take them. */
export interface Bundles {
  readonly onNode: string;
  readonly page: string;
  /** A script that leaves `portable` as a global. */
  readonly program: string;
  /** A configuration of workerd beside its bundle. `inputs.json` has to lie there too. */
  readonly workerConfig: string;
}

// The language of the sources: nothing is rewritten for older engines.
const LANGUAGE = "es2023";

const WORKER_CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "program", worker = .program)]);
const program :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  bindings = [(name = "INPUTS", text = embed "inputs.json")],
  compatibilityDate = "2026-07-28",
);
`;

export function bundles(folder: string): Bundles {
  const bundle = (entry: string, options: BuildOptions): string => {
    const outfile = join(folder, entry.replace(/\.ts$/, ".js"));
    buildSync({ entryPoints: [join(import.meta.dirname, entry)], outfile, bundle: true, format: "esm", platform: "neutral", target: LANGUAGE, ...options });
    return outfile;
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  bundle("worker.ts", {});
  const workerConfig = join(folder, "worker.capnp");
  writeFileSync(workerConfig, WORKER_CONFIG);
  return {
    onNode: bundle("on-node.ts", { platform: "node" }),
    page: bundle("page.ts", {}),
    program: bundle("program.ts", { format: "iife", globalName: "portable" }),
    workerConfig,
  };
}
