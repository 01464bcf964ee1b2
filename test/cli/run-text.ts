import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { bundle } from "../support/bundle.ts";
import { bundledCli } from "./run-cli.ts";
import { END, type Asked } from "./warm-cli.ts";

export interface Printed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const PATIENCE_MS = 20_000;

export interface RunTextOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a verb that prints text, to its end, in a process of its own. */
export async function runAlone(words: readonly string[], { input = "", cwd, env = {} }: RunTextOptions & { readonly input?: string } = {}): Promise<Printed> {
  const child = spawn(process.execPath, [bundledCli(), ...words], { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...env }, ...(cwd === undefined ? {} : { cwd }) });
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

/** A process that runs command lines one after the other. It keeps nobody alive but while one runs. */
interface Warm {
  run(asked: Asked): Promise<Printed>;
  readonly ended: boolean;
}

function startWarm(): Warm {
  const child = spawn(process.execPath, [bundle(fileURLToPath(new URL("warm-cli.ts", import.meta.url)))], { stdio: ["ignore", "pipe", "pipe", "ipc"] });
  let [stdout, stderr, ended] = ["", "", false];
  let look = () => {};
  child.stdout?.setEncoding("utf8").on("data", (text: string) => ((stdout += text), look()));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => ((stderr += text), look()));
  child.once("close", () => ((ended = true), look()));
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("close", () => process.off("exit", kill));
  hold(child, false);
  return {
    get ended() {
      return ended;
    },
    async run(asked) {
      [stdout, stderr] = ["", ""];
      hold(child, true);
      const patience = setTimeout(kill, PATIENCE_MS);
      child.send(asked);
      const printed = await new Promise<Printed>((resolve, reject) => {
        look = () => {
          const [, text = "", code] = /^([^]*)\u0000end (\d+)\n$/.exec(stdout) ?? [];
          if (code !== undefined && stderr.endsWith(`${END}\n`)) resolve({ code: Number(code), stdout: text, stderr: stderr.slice(0, -END.length - 1) });
          else if (ended) reject(new assert.AssertionError({ message: `${JSON.stringify(asked.words)} ends the process, or takes too long\n${stderr.slice(-2000)}` }));
        };
        look();
      });
      clearTimeout(patience);
      if (!ended) hold(child, false);
      return printed;
    },
  };
}

/** Whether a process, and what it is talked to over, keeps this one alive. */
function hold(child: ChildProcess, alive: boolean): void {
  const word = alive ? "ref" : "unref";
  child[word]();
  child.channel?.[word]();
  for (const stream of [child.stdout, child.stderr]) (stream as Socket | null)?.[word](); // which pipes of children are
}

let warm: Warm | undefined;
let last: Promise<unknown> = Promise.resolve();

/** Runs a verb that prints text and reads no input, from its words to what it prints and the code that it would end with, in a process that others have run in. */
export function runText(words: readonly string[], { cwd = process.cwd(), env = {} }: RunTextOptions = {}): Promise<Printed> {
  const printed = last.then(() => {
    if (warm === undefined || warm.ended) warm = startWarm();
    return warm.run({ words, cwd, env: { ...process.env, ...env }, program: bundledCli() });
  });
  last = printed.catch(() => {});
  return printed;
}

/** Runs command lines one after the other. */
export function runMany(lines: readonly (readonly string[])[], options?: RunTextOptions): Promise<readonly Printed[]> {
  return Promise.all(lines.map((words) => runText(words, options)));
}

/** Runs command lines, each of which has to end with exit code 2, nothing on stdout, and what it is told for on stderr: the first in a process of its own. */
export async function refuseAll(cases: readonly (readonly [words: readonly string[], stderr: RegExp])[], options?: RunTextOptions): Promise<void> {
  const [first = [], ...others] = cases.map(([words]) => words);
  const ran = [await runAlone(first, options), ...(await runMany(others, options))];
  for (const [at, { code, stdout, stderr }] of ran.entries()) {
    const [words, expected] = cases[at] ?? assert.fail();
    assert.deepEqual([code, stdout], [2, ""], `${words.join(" ")}: ${stderr}`);
    assert.match(stderr, expected);
  }
}
