// The verb `conformance` as a process, for the tests of this folder.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bundledCli } from "../cli/run-cli.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const CLI = [bundledCli()];

const quote = (word: string) => `'${word}'`;
/** A command line that starts Node with these words. */
export const nodeLine = (...words: readonly string[]): string => [process.execPath, ...words].map(quote).join(" ");

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const conformance = (...words: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(process.execPath, [...CLI, "conformance", ...words], { cwd: root, timeout: 30_000, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, stdout, stderr });
    });
  });
