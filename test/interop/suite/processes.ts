// Children of the run: started, waited for within a bound, and ended one by one.
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { withLimit } from "../matrix/bounded.ts";

export const ROOT = join(import.meta.dirname, "..", "..", "..");

const START_MS = 30_000;
const GRACE_MS = 5_000;

export interface Ended {
  readonly code: number | null;
  /** stdout and stderr, as they came. */
  readonly output: string;
}

/** Runs a command to its end in the root of the checkout; ends it with SIGKILL, and rejects, where it takes longer. */
export async function runCommand(command: string, args: readonly string[], limitMs: number): Promise<Ended> {
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  const output = collect(child);
  const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  try {
    return { code: await withLimit(limitMs, [command, ...args].join(" "), ended), output: output() };
  } catch (thrown) {
    child.kill("SIGKILL");
    throw new Error(`${String(thrown)}\n${output().slice(-2_000)}`, { cause: thrown });
  }
}

export interface RunningServer {
  readonly url: string;
  /** What it has written so far. */
  output(): string;
  /** SIGTERM, and SIGKILL where that does not end it. */
  stop(): Promise<void>;
}

/** Starts a server that says its URL in a line of its own, and waits for that line. */
export async function startServer(command: string, args: readonly string[]): Promise<RunningServer> {
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  const output = collect(child);
  const ended = new Promise<void>((resolve) => child.once("error", () => resolve()).once("close", () => resolve()));
  const stop = async () => {
    child.kill("SIGTERM");
    await withLimit(GRACE_MS, "the server's end", ended).catch(() => child.kill("SIGKILL"));
  };
  const listening = new Promise<string>((resolve, reject) => {
    const look = () => {
      const url = /^.*\b(http:\/\/\S+)$/m.exec(output())?.[1];
      if (url !== undefined && output().includes(`${url}\n`)) resolve(url);
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    void ended.then(() => reject(new Error(`the server ended before it listened:\n${output()}`)));
  });
  try {
    return { url: await withLimit(START_MS, "the start of the server", listening), output, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

function collect(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return () => text;
}
