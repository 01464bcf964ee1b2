import { spawn } from "node:child_process";
import { bundledCli } from "./run-cli.ts";

export interface Printed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const PATIENCE_MS = 20_000;

/** Runs a verb that prints text, to its end. */
export async function runText(words: readonly string[], { input = "", cwd, env = {} }: { readonly input?: string; readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {}): Promise<Printed> {
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
