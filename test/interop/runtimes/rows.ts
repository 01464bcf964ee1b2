// Which runtimes there are, where each of them is, and how it runs the program.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bundles, type Bundles } from "./bundles.ts";

const HERE = import.meta.dirname;
const PACKAGES = join(HERE, "..", "node_modules");
const NODE_MAJORS = ["20", "22", "24", "26"];
// Debian's.
const CHROMIUM = "/usr/bin/chromium";

export interface Row {
  readonly runtime: string;
  /** What a table says of it. */
  readonly version: string;
  /** Why it cannot run here. */
  readonly missing?: string;
  /** `sources` are the TypeScript files as they are; `bundle` is one file of JavaScript that a bundler made of them. */
  readonly runs: "sources" | "bundle";
  readonly command: readonly string[];
  /** Its Node, which can load the built package too. */
  readonly node?: string;
}

export function findRows(folder: string, inputs: string): Row[] {
  const made = bundles(folder);
  return [...NODE_MAJORS.map((major) => nodeRow(major, inputs, made)), denoRow(inputs), bunRow(inputs), workerdRow(made), quickjsRow(inputs, made), chromiumRow(inputs, made), emptyRow(inputs, made)];
}

function nodeRow(major: string, inputs: string, made: Bundles): Row {
  const node = nodeOf(major);
  const strips = Number(major) >= 22;
  const command = [node, strips ? join(HERE, "on-node.ts") : made.onNode, inputs];
  return { runtime: "Node", ...installed(`node-${major}`, node), runs: strips ? "sources" : "bundle", command, node };
}

function denoRow(inputs: string): Row {
  const deno = join(PACKAGES, "@deno", "linux-x64-glibc", "deno");
  const command = [deno, "run", "--no-config", "--no-lock", "--cached-only", "--allow-read", join(HERE, "on-node.ts"), inputs];
  return { runtime: "Deno", ...installed("@deno/linux-x64-glibc", deno), runs: "sources", command };
}

function bunRow(inputs: string): Row {
  const bun = join(PACKAGES, "@oven", "bun-linux-x64", "bin", "bun");
  return { runtime: "Bun", ...installed("@oven/bun-linux-x64", bun), runs: "sources", command: [bun, "--no-install", join(HERE, "on-node.ts"), inputs] };
}

function workerdRow({ workerConfig }: Bundles): Row {
  const workerd = join(PACKAGES, "@cloudflare", "workerd-linux-64", "bin", "workerd");
  return { runtime: "workerd", ...installed("@cloudflare/workerd-linux-64", workerd), runs: "bundle", command: [workerd, "test", workerConfig] };
}

function quickjsRow(inputs: string, { program }: Bundles): Row {
  const [, version = "unknown"] = /Version \[([\d-]+)/.exec(readFileSync(join(PACKAGES, "@jitl", "quickjs-wasmfile-release-sync", "README.md"), "utf8")) ?? [];
  return { runtime: "QuickJS", version, runs: "bundle", command: embedder("quickjs.ts", program, inputs) };
}

function chromiumRow(inputs: string, { page }: Bundles): Row {
  const row = { runtime: "Chromium, headless", version: "Debian's", runs: "bundle", command: embedder("chromium.ts", CHROMIUM, page, inputs) } as const;
  return existsSync(CHROMIUM) ? row : { ...row, missing: `there is no ${CHROMIUM}` };
}

function emptyRow(inputs: string, { program }: Bundles): Row {
  const node = nodeOf("20");
  const version = installed("node-20", node);
  return { runtime: "an empty `vm` context of Node", ...version, runs: "bundle", command: [node, "--import", "tsx", join(HERE, "empty-context.ts"), program, inputs] };
}

function nodeOf(major: string): string {
  return join(PACKAGES, `node-${major}`, "bin", "node");
}

/** An engine that a program of Node embeds or drives. */
function embedder(file: string, ...args: readonly string[]): string[] {
  return [process.execPath, "--import", "tsx", join(HERE, file), ...args];
}

/** The version of an optional package, or why there is none. */
function installed(name: string, program: string): { readonly version: string; readonly missing?: string } {
  if (!existsSync(program)) return { version: "", missing: `${name} is not installed; it is for Linux on x64, and this is ${process.platform} on ${process.arch}` };
  const { version } = JSON.parse(readFileSync(join(PACKAGES, name, "package.json"), "utf8")) as { version: string };
  return { version };
}
