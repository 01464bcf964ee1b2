import { fileURLToPath } from "node:url";
import { median, pinnedNode, startWorker, type Worker } from "./worker.ts";

const MEMORY = { warmUpMs: 1_500, roundMs: 200, rounds: 15 };
const STDIO = { warmUpMs: 1_500, roundMs: 300, rounds: 25 };

export const MEMORY_SUBJECTS = ["peer", "clientCall", "handshakeCall", "guardedCall", "chain", "official"] as const;
export const STDIO_SUBJECTS = ["direct", "pipe", "relay", "redact"] as const;

export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** Mean microseconds of processor time that a call takes: the median of the rounds. All subjects take turns, so that what else the machine does hits all alike. */
export async function compareInMemory(): Promise<Record<(typeof MEMORY_SUBJECTS)[number], number>> {
  const workers: Worker[] = [];
  for (const subject of MEMORY_SUBJECTS) workers.push(await startWorker("memory-worker.mjs", [subject]));
  // The worker's own words.
  const measure = async (worker: Worker, ms: number) => ((await worker.measure({ ms })) as { microseconds: number }).microseconds;
  for (const worker of workers) await measure(worker, MEMORY.warmUpMs);
  const rounds = workers.map((): number[] => []);
  for (let round = 0; round < MEMORY.rounds; round++) {
    for (const [index, worker] of workers.entries()) rounds[index]?.push(await measure(worker, MEMORY.roundMs));
  }
  for (const worker of workers) worker.stop();
  const [peer, clientCall, handshakeCall, guardedCall, chain, official] = rounds.map(median);
  return { peer: peer!, clientCall: clientCall!, handshakeCall: handshakeCall!, guardedCall: guardedCall!, chain: chain!, official: official! };
}

/** Microseconds from a line to its answer, through each of what may stand between: the medians of the rounds' p50 and p99. */
export async function compareOnStdio(): Promise<Record<(typeof STDIO_SUBJECTS)[number], Latency>> {
  const server = pinnedNode("echo-server.mjs");
  const wrap = [...pinnedNode("../../dist/cli/main.js"), "wrap", "--quiet"];
  const commands: Record<(typeof STDIO_SUBJECTS)[number], readonly string[]> = {
    direct: server,
    pipe: pinnedNode("byte-pipe.mjs", server),
    relay: [...wrap, "--", ...server],
    redact: [...wrap, "--use", "redact", "--", ...server],
  };
  const worker = await startWorker("stdio-worker.mjs", [JSON.stringify(commands)]);
  // The worker's own words.
  const measure = async (name: string, ms: number) => (await worker.measure({ name, ms })) as Latency;
  const rounds = { direct: [] as Latency[], pipe: [] as Latency[], relay: [] as Latency[], redact: [] as Latency[] };
  for (const name of STDIO_SUBJECTS) await measure(name, STDIO.warmUpMs);
  for (let round = 0; round < STDIO.rounds; round++) for (const name of STDIO_SUBJECTS) rounds[name].push(await measure(name, STDIO.roundMs));
  worker.stop();
  const over = (found: readonly Latency[]): Latency => ({ p50: median(found.map(({ p50 }) => p50)), p99: median(found.map(({ p99 }) => p99)) });
  return { direct: over(rounds.direct), pipe: over(rounds.pipe), relay: over(rounds.relay), redact: over(rounds.redact) };
}

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
