import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Folder } from "../gateway/config/kit.ts";
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
  const child = spawn(process.execPath, [program ?? (await bundledCli()), ...words], { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...env }, ...(cwd === undefined ? {} : { cwd }) });
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
export async function runMany(lines: readonly (readonly string[])[], folder: Pick<Folder, "path" | "write">): Promise<readonly Printed[]> {
  const file = folder.write(`${(runs += 1)}.runs`, JSON.stringify(lines));
  const { code, stdout, stderr } = await runText([file], { cwd: folder.path, program: await bundle(fileURLToPath(new URL("many-runs.ts", import.meta.url))) });
  const printed = stdout.split(/\u0000end (\d+)\n/);
  const said = stderr.split(`${END}\n`);
  assert.deepEqual([code, printed.length, said.length], [0, 2 * lines.length + 1, lines.length + 1], `${JSON.stringify(lines[said.length - 1])} ends the process\n${stderr.slice(-2000)}`);
  return lines.map((_, at) => ({ stdout: printed[2 * at] ?? "", code: Number(printed[2 * at + 1]), stderr: said[at] ?? "" }));
}

let runs = 0;

/** Runs command lines side by side, each of which has to end with exit code 2, nothing on stdout, and what it is told for on stderr. */
export async function refuseAll(cases: readonly (readonly [words: readonly string[], stderr: RegExp])[], options?: RunTextOptions): Promise<void> {
  await Promise.all(
    cases.map(async ([words, expected]) => {
      const { code, stdout, stderr } = await runText(words, options);
      assert.deepEqual([code, stdout], [2, ""], `${words.join(" ")}: ${stderr}`);
      assert.match(stderr, expected);
    }),
  );
}
