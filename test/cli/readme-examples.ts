// The examples of src/cli/README.md: files in fences that bear a name, commands in `sh` fences, and what they print in the `text` fence behind each.
import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledCli, fixture } from "./run-cli.ts";

export const README = fileURLToPath(new URL("../../src/cli/README.md", import.meta.url));

export interface Example {
  readonly command: string;
  /** What the page says that it prints. */
  readonly shown: string;
}

const FENCE = /^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm;

/** The files and the commands of a page, in its order. */
export function examplesIn(text: string): { readonly files: ReadonlyMap<string, string>; readonly examples: readonly Example[] } {
  const fences = [...text.matchAll(FENCE)].map(([, language = "", name, content = ""]) => ({ language, name, content }));
  const files = new Map(fences.flatMap(({ name, content }) => (name === undefined ? [] : [[name, content] as const])));
  const examples = fences.flatMap(({ language, content }, index) => (language === "sh" ? [{ command: content, shown: fences[index + 1]?.language === "text" ? (fences[index + 1]?.content ?? "") : "" }] : []));
  return { files, examples };
}

/** The page with what its commands have printed. */
export function withOutputs(text: string, printed: readonly string[]): string {
  let index = -1;
  let pending = false;
  return text.replace(FENCE, (fence: string, language: string) => {
    if (language === "sh") index++;
    const fill = language === "text" && pending;
    pending = language === "sh";
    return fill ? `\`\`\`text\n${printed[index] ?? ""}\`\`\`` : fence;
  });
}

/** Runs the commands one after the other in a folder with the files and `server.mjs`, and gives what each prints on stdout and stderr, and its exit code where that is not 0. */
export async function runExamples(text: string): Promise<readonly string[]> {
  const { files, examples } = examplesIn(text);
  const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
  try {
    copyFileSync(fixture("server.mjs"), join(folder, "server.mjs"));
    for (const [name, content] of files) writeFileSync(join(folder, name), content);
    const program = join(folder, "mcp-interceptors");
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${await bundledCli()}' "$@"\n`);
    chmodSync(program, 0o755);
    const printed: string[] = [];
    for (const { command } of examples) printed.push((await runIn(folder, command)).replaceAll(folder, "."));
    return printed;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const PATIENCE_MS = 20_000;

async function runIn(folder: string, command: string): Promise<string> {
  const path = [folder, dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const child = spawn("sh", ["-c", `exec 2>&1\n${command}`], { cwd: folder, env: { ...process.env, PATH: path }, stdio: ["ignore", "pipe", "inherit"] });
  const patience = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  clearTimeout(patience);
  return `${text}${code === 0 ? "" : `(exit code ${code})\n`}`;
}

/** Without what differs from run to run and from machine to machine: numbers and times, and how wide they are. */
export function steady(text: string): string {
  return text.replaceAll(/\b[0-9a-f]{16,}\b/g, "H").replaceAll(/[\d.:TZ-]*\d[\d.:TZ-]*/g, "N").replaceAll(/ +/g, " ");
}
