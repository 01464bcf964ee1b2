import { spawn, spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

/** A measuring process that waits for its turn. */
export interface Worker {
  /** Has it measure, and gives what it found. Rejects where the process ends first. */
  measure(request: object): Promise<unknown>;
  stop(): void;
}

/** What to put before a command to keep it, and what it starts, on one core: the last, which other work is the least likely to be on. */
export const PIN: readonly string[] = (() => {
  const prefix = ["taskset", "-c", String(availableParallelism() - 1)];
  const [command = "", ...args] = prefix;
  return spawnSync(command, [...args, process.execPath, "--version"]).status === 0 ? prefix : [];
})();

/** The command line of a Node process on that core. Plain Node: no loader, no conditions, so that the built package is what runs. */
export function pinnedNode(file: string, args: readonly string[] = []): [string, ...string[]] {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const [command, ...rest] = [...PIN, process.execPath, path, ...args];
  return [command ?? process.execPath, ...rest];
}

/** Starts a worker file; settles when it says that it is ready. */
export async function startWorker(file: string, args: readonly string[] = []): Promise<Worker> {
  const [command, ...rest] = pinnedNode(file, args);
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
  await nextMessage();
  return {
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
