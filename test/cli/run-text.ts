import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { bundle } from "../support/bundle.ts";
import { bundledCli } from "./run-cli.ts";

export interface Printed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const PATIENCE_MS = 20_000;

export interface RunTextOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** A file in place of the program. */
  readonly program?: string;
}

/** Runs a verb that prints text, to its end. */
export async function runText(words: readonly string[], { input = "", cwd, env = {}, program }: RunTextOptions = {}): Promise<Printed> {
  const child = spawn(process.execPath, [program ?? bundledCli(), ...words], { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...env }, ...(cwd === undefined ? {} : { cwd }) });
  const patience = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  clearTimeout(patience);
  return { code, stdout, stderr };
}

const END = "\u0000end";

/** Runs command lines one after the other in one process, from their words to what they print and the code that they would end with. */
export async function runMany(lines: readonly (readonly string[])[], { cwd = process.cwd(), env = {} }: Pick<RunTextOptions, "cwd" | "env"> = {}): Promise<readonly Printed[]> {
  const folder = temporaryFolder();
  try {
    const program = bundle(fileURLToPath(new URL("many-runs.ts", import.meta.url)));
    const { code, stdout, stderr } = await runText([folder.write("runs.json", JSON.stringify(lines))], { cwd, env, program });
    const printed = stdout.split(/\u0000end (\d+)\n/);
    const said = stderr.split(`${END}\n`);
    assert.deepEqual([code, printed.length, said.length], [0, 2 * lines.length + 1, lines.length + 1], `${JSON.stringify(lines[said.length - 1])} ends the process\n${stderr.slice(-2000)}`);
    return lines.map((_, at) => ({ stdout: printed[2 * at] ?? "", code: Number(printed[2 * at + 1]), stderr: said[at] ?? "" }));
  } finally {
    folder.remove();
  }
}

/** Runs command lines, each of which has to end with exit code 2, nothing on stdout, and what it is told for on stderr: the first in a process of its own, the others one after the other in one. */
export async function refuseAll(cases: readonly (readonly [words: readonly string[], stderr: RegExp])[], options?: Pick<RunTextOptions, "cwd" | "env">): Promise<void> {
  const [first = [], ...others] = cases.map(([words]) => words);
  const ran = await Promise.all([runText(first, options), runMany(others, options)]);
  for (const [at, { code, stdout, stderr }] of ran.flat().entries()) {
    const [words, expected] = cases[at] ?? assert.fail();
    assert.deepEqual([code, stdout], [2, ""], `${words.join(" ")}: ${stderr}`);
    assert.match(stderr, expected);
  }
}
