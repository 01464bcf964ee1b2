// Drives the command line on a terminal: one that util-linux' script or Python makes, as Node cannot.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import type { TestContext } from "node:test";
import { bundledCli } from "./run-cli.ts";

export interface Terminal {
  /** All that has been written to it. */
  screen(): string;
  /** Once what was written since the last wait matches. Fails where the program ends before. */
  until(pattern: RegExp): Promise<void>;
  /** As by a keyboard: `\r` ends a line, CTRL_C interrupts. */
  type(text: string): void;
  /** With 128 and its number, where a signal has ended the program. */
  readonly code: Promise<number | null>;
}

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";

const PATIENCE_MS = 20_000;

const PYTHON = `
import os, pty, sys
code = os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:]))
sys.exit(128 - code if code < 0 else code)
`;

type Maker = (words: readonly string[]) => readonly [command: string, ...args: string[]];

const byScript: Maker = (words) => ["script", "-qec", `exec ${words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ")}`, "/dev/null"];
const byPython: Maker = (words) => ["python3", "-c", PYTHON, ...words];

let maker: Maker | undefined | "unknown" = "unknown";

function findMaker(): Maker | undefined {
  if (maker !== "unknown") return maker;
  const runs = (command: string, args: readonly string[], pattern: RegExp) => pattern.test(spawnSync(command, args, { encoding: "utf8" }).stdout ?? "");
  // That of the BSDs takes other words.
  if (runs("script", ["--version"], /util-linux/)) return (maker = byScript);
  return (maker = runs("python3", ["-c", "import os, pty; print(os.waitstatus_to_exitcode)"], /waitstatus/) ? byPython : undefined);
}

/** Whether terminals can be made here; where not, the test is skipped and says why. */
export function hasTerminal(t: TestContext): boolean {
  const there = findMaker() !== undefined;
  if (!there) t.skip("neither util-linux' script nor Python 3.9 is there to make a terminal");
  return there;
}

export async function startOnTerminal(words: readonly string[], { env = {}, cwd }: TerminalOptions = {}): Promise<Terminal> {
  const [command, ...args] = (findMaker() ?? assert.fail("no terminal"))([process.execPath, bundledCli(), ...words]);
  const { NO_COLOR: _colour, ...own } = process.env;
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], env: { ...own, TERM: "xterm", SHELL: "/bin/sh", ...env }, ...(cwd === undefined ? {} : { cwd }) });
  const patience = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  let screen = "";
  let seen = 0;
  let look = () => {};
  child.stdin.on("error", () => {});
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    look();
  });
  const code = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (ended) => {
      clearTimeout(patience);
      resolve(ended);
    });
  });
  return {
    screen: () => screen,
    type: (text) => void child.stdin.write(text),
    code,
    until(pattern) {
      const shown = new Promise<void>((resolve) => {
        look = () => {
          if (!pattern.test(screen.slice(seen))) return;
          seen = screen.length;
          look = () => {};
          resolve();
        };
        look();
      });
      return Promise.race([shown, code.then((ended) => assert.fail(`ended with ${ended} before ${pattern} was to be seen: ${JSON.stringify(screen)}`))]);
    },
  };
}

/** Runs to the end, and gives all that was on the screen. */
export async function runOnTerminal(words: readonly string[], options?: TerminalOptions): Promise<{ readonly code: number | null; readonly screen: string }> {
  const terminal = await startOnTerminal(words, options);
  return { code: await terminal.code, screen: terminal.screen() };
}
