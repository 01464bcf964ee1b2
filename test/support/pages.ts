// Pages whose examples are run: files in fences that bear a name, commands in `sh` fences, and what they print in the `text` fence behind each.
import { spawn, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";

export interface Example {
  readonly command: string;
  /** What the page says that it prints. */
  readonly shown: string;
}

const FENCE = /^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm;

/** The files and the commands of a page, in its order. */
export function examplesIn(text: string): { readonly files: ReadonlyMap<string, string>; readonly examples: readonly Example[] } {
  const fences = fencesOf(text);
  const files = new Map(fences.flatMap(({ name, content }) => (name === undefined ? [] : [[name, content] as const])));
  const examples = fences.flatMap(({ language, content }, index) => (language === "sh" ? [{ command: content, shown: fences[index + 1]?.language === "text" ? (fences[index + 1]?.content ?? "") : "" }] : []));
  return { files, examples };
}

/** Fences that nobody runs: neither a file, nor a command, nor what the command before has printed. */
export function idleFences(text: string): string[] {
  const fences = fencesOf(text);
  return fences.flatMap(({ language, name, content }, index) => (name !== undefined || language === "sh" || (language === "text" && fences[index - 1]?.language === "sh") ? [] : [content]));
}

/** Lines that are no part of a page: a fence that closes nothing, and text right behind a block, which an older output has left. */
export function strayLines(text: string): string[] {
  const outside = text.replace(FENCE, "\0");
  return outside.split("\n").flatMap((line, index, lines) => (line.startsWith("```") ? [line] : lines[index - 1] === "\0" && line !== "" ? [line] : []));
}

function fencesOf(text: string): { readonly language: string; readonly name: string | undefined; readonly content: string }[] {
  return [...text.matchAll(FENCE)].map(([, language = "", name, content = ""]) => ({ language, name, content }));
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

/** Stands for a free port in a page, wherever it is run. */
const PORT = "3000";

/**
 * Writes the files of a page into a folder and runs its commands there, one after the other. Gives what each prints on stdout and stderr, and its exit code where
 * that is not 0, with `.` for the folder. A command that ends in `&` has begun when it says that it serves, and is ended behind the last one.
 */
export async function runPage(text: string, folder: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const port = text.includes(PORT) ? String(await freePort()) : PORT;
  const { files, examples } = examplesIn(text);
  for (const [name, content] of files) writeFileSync(join(folder, name), content.replaceAll(PORT, port));
  const serving: { readonly child: ChildProcess; readonly ended: Promise<unknown> }[] = [];
  const printed: string[] = [];
  try {
    for (const { command } of examples) {
      const detached = /^(.*?) &\n$/.exec(command)?.[1];
      const running = start(folder, (detached === undefined ? command : `exec ${detached}`).replaceAll(PORT, port), env);
      if (detached !== undefined) serving.push(running);
      const said = await (detached === undefined ? running.ended : Promise.race([running.serves, running.ended]));
      printed.push(said.replaceAll(folder, ".").replaceAll(port, PORT));
    }
  } finally {
    for (const { child } of serving) child.kill();
    await Promise.all(serving.map(({ ended }) => ended));
  }
  return printed;
}

const PATIENCE_MS = 30_000;

function start(folder: string, command: string, env: NodeJS.ProcessEnv): { readonly child: ChildProcess; readonly serves: Promise<string>; readonly ended: Promise<string> } {
  const child = spawn("sh", ["-c", `exec 2>&1\n${command}`], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  const patience = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  let text = "";
  let isServing: (text: string) => void = () => {};
  const serves = new Promise<string>((resolve) => (isServing = resolve));
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    if (/\b(?:serving|listening)\b.*\n$/.test(text)) isServing(text);
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(patience);
      resolve(`${text}${code === 0 ? "" : `(exit code ${code})\n`}`);
    });
  });
  return { child, serves, ended };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** Without what differs from run to run and from machine to machine: numbers and times, and how wide they are. Exit codes and error codes stay. */
export function steady(text: string): string {
  const number = (found: string) => (/^-32\d{3}$/.test(found) ? found : "N");
  return text.replaceAll(/\b[0-9a-f]{16,}\b/g, "H").replaceAll(/(?<!exit code \d*)[\d.:TZ-]*\d[\d.:TZ-]*/g, number).replaceAll(/ +/g, " ");
}
