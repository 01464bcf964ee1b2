import { spawn, spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

/** A measuring process that waits for its turn. */
export interface Worker {
  /** What it said when it was ready. */
  readonly ready: unknown;
  /** Has it measure, and gives what it found. Rejects where the process ends first. */
  measure(request: object): Promise<unknown>;
  stop(): void;
}

/** What to put before a command to keep it, and what it starts, on one core. */
function pinTo(core: number): readonly string[] {
  const prefix = ["taskset", "-c", String(core)];
  const [command = "", ...args] = prefix;
  return spawnSync(command, [...args, process.execPath, "--version"]).status === 0 ? prefix : [];
}

/** To the last core, which other work is the least likely to be on. */
export const PIN = pinTo(availableParallelism() - 1);
/** To the one before it, for what has to run at the same time; the same where there is one alone. */
export const OTHER_PIN = pinTo(Math.max(0, availableParallelism() - 2));

/** The command line of a Node process on one core. Plain Node: no loader, no conditions, so that the built package is what runs. */
export function pinnedNode(file: string, args: readonly string[] = [], pin = PIN, flags: readonly string[] = []): [string, ...string[]] {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const [command, ...rest] = [...pin, process.execPath, ...flags, path, ...args];
  return [command ?? process.execPath, ...rest];
}

/** Starts a worker file; settles when it says that it is ready. */
export async function startWorker(file: string, args: readonly string[] = [], pin = PIN, flags: readonly string[] = []): Promise<Worker> {
  const [command, ...rest] = pinnedNode(file, args, pin, flags);
  const child = spawn(command, rest, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const nextMessage = () =>
    new Promise<unknown>((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`${file} ${args[0] ?? ""} ended with code ${code}`));
      child.once("exit", onExit);
      child.once("message", (message) => {
        child.off("exit", onExit);
        resolve(message);
      });
    });
  const ready = await nextMessage();
  return {
    ready,
    measure(request) {
      const answer = nextMessage();
      child.send(request);
      return answer;
    },
    stop: () => child.disconnect(),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
