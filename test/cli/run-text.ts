import assert from "node:assert/strict";
import { spawn } from "node:child_process";
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
}

/** Runs a verb that prints text, to its end. */
export async function runText(words: readonly string[], { input = "", cwd, env = {} }: RunTextOptions = {}): Promise<Printed> {
  const child = spawn(process.execPath, [await bundledCli(), ...words], { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...env }, ...(cwd === undefined ? {} : { cwd }) });
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
