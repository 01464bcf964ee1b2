// Drives the command line as a child process.
import assert from "node:assert/strict";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { bundle } from "../support/bundle.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
/** The words that start the fixture server. */
export const server = (...flags: string[]): string[] => ["--", process.execPath, fixture("server.mjs"), ...flags];

export interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
  /** All of stdout, which holds nothing but messages: a line that is none fails the test. */
  readonly messages: readonly Message[];
}

export interface Running {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** What has come out so far. */
  readonly messages: readonly Message[];
  /** A request without its envelope, or a raw line. */
  send(message: object | string): void;
  /** The first answer to an id. */
  answer(id: number | string): Promise<Message>;
  stderr(): string;
  /** Ends stdin and waits for the process. */
  end(): Promise<Ended>;
  readonly ended: Promise<Ended>;
}

// No run may hang: long before a test runner would notice, it is killed, and its end says so.
const PATIENCE_MS = 60_000;

export interface RunOptions {
  /** Through tsx, which a module that imports the package by name needs. By default bundled, as that starts four times as fast. */
  readonly fromSources?: boolean;
  /** On top of the environment of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** A program, and its arguments, that starts what comes behind them. */
  readonly through?: readonly string[];
}

/** The program in one file. */
export function bundledCli(): string {
  return bundle(join(root, "src/cli/main.ts"));
}

export async function startCli(words: readonly string[], { fromSources = false, env = {}, through = [] }: RunOptions = {}): Promise<Running> {
  const entry = fromSources ? ["-C", "mcp-interceptors-source", "--import", "tsx", "src/cli/main.ts"] : [bundledCli()];
  const [command = process.execPath, ...before] = through.length === 0 ? [] : [...through, process.execPath];
  const child = spawn(command, [...before, ...entry, ...words], { cwd: fromSources ? root : dirname(entry[0] ?? ""), env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
  const patience = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  const messages: Message[] = [];
  const waiting = new Map<number | string, (message: Message) => void>();
  let stderr = "";
  let unfinished = "";
  let broken: string | undefined;
  child.stdin.on("error", () => {});
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (unfinished + text).split("\n");
    unfinished = lines.pop() ?? "";
    for (const line of lines) {
      let message: Message;
      try {
        message = JSON.parse(line) as Message;
      } catch {
        broken ??= line;
        continue;
      }
      messages.push(message);
      if (typeof message.id !== "number" && typeof message.id !== "string") continue;
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(patience);
      if (broken !== undefined || unfinished !== "") reject(new assert.AssertionError({ message: `not a message on stdout: ${broken ?? unfinished}` }));
      else resolve({ code, signal, stderr, messages });
    });
  });
  // A run may fail before anybody waits for its end.
  ended.catch(() => {});
  return {
    child,
    messages,
    ended,
    stderr: () => stderr,
    send: (message) => void child.stdin.write(typeof message === "string" ? `${message}\n` : `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    answer(id) {
      const there = messages.find((message) => message.id === id && message.method === undefined);
      if (there !== undefined) return Promise.resolve(there);
      const gone = ended.then(({ stderr: text }): never => assert.fail(`ended without an answer to ${id}; stderr: ${text}`));
      return Promise.race([new Promise<Message>((resolve) => waiting.set(id, resolve)), gone]);
    },
    end() {
      child.stdin.end();
      return ended;
    },
  };
}

/** The origin of a gateway that is starting, by what it says of itself. */
export async function servedAt({ child, stderr }: Running): Promise<string> {
  for (;;) {
    const found = /serving .*?(http:\/\/[^/]+)/.exec(stderr())?.[1];
    if (found !== undefined) return found;
    await new Promise((resolve) => child.stderr.once("data", resolve));
  }
}

/** Runs to the end: all input at once, then the end of stdin. */
export async function runCli(words: readonly string[], input: string | Uint8Array = "", options?: RunOptions): Promise<Ended> {
  const running = await startCli(words, options);
  running.child.stdin.write(input);
  return running.end();
}

/** Whether a process is still there; a zombie is not. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export const request = (id: number | string, method: string, params?: object): string => JSON.stringify({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
export const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join("");
export const INITIALIZE = request("init", "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } });
