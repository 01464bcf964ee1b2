import { fileURLToPath } from "node:url";
import { ratio, time } from "./measured.ts";
import type { Measured } from "./results.ts";
import { median, pinnedNode, startWorker, type Worker } from "./worker.ts";

const MEMORY = { warmUpMs: 1_500, roundMs: 200, rounds: 15 };
const STDIO = { warmUpMs: 1_500, roundMs: 300, rounds: 25 };

const MEMORY_SUBJECTS = ["peer", "clientCall", "handshakeCall", "guardedCall", "chain", "chainFour", "official"] as const;
const STDIO_SUBJECTS = ["direct", "pipe", "relay", "redact"] as const;

interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** Mean microseconds of processor time that a call takes: the median of the rounds. All subjects take turns, so that what else the machine does hits all alike. */
async function compareInMemory(): Promise<Record<(typeof MEMORY_SUBJECTS)[number], number>> {
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
  const medians = MEMORY_SUBJECTS.map((subject, index) => [subject, median(rounds[index] ?? [])] as const);
  return Object.fromEntries(medians) as Record<(typeof MEMORY_SUBJECTS)[number], number>; // one for each
}

export async function measureMemory(): Promise<Record<string, Measured>> {
  const memory = await compareInMemory();
  return {
    officialCall: time(memory.official, "official SDK, `tools/call` in memory"),
    peerRequest: time(memory.peer, "request between two peers in memory"),
    clientCall: time(memory.clientCall, "`McpClient.callTool` to `McpServer.tool` in memory, 2026-07-28"),
    handshakeCall: time(memory.handshakeCall, "the same in the handshake era, as the official call"),
    guardedCall: time(memory.guardedCall, "`callTool`, 2026-07-28, to a server guarded by a validator and a mutator"),
    chain: time(memory.chain, "chain of a validator and a mutator that changes the call"),
    chainFour: time(memory.chainFour, "chain of 4 validators and 4 mutators that change the call"),
    roundTripRatio: ratio(memory.official / memory.peer, "official call / request between peers"),
    clientRatio: ratio(memory.official / memory.clientCall, "official call / `callTool`, 2026-07-28"),
    handshakeRatio: ratio(memory.official / memory.handshakeCall, "official call / `callTool`, handshake era"),
    guardedRatio: ratio(memory.official / memory.guardedCall, "official call, not guarded / guarded `callTool`"),
    chainRatio: ratio(memory.official / memory.chain, "official call / chain"),
    chainFourRatio: ratio(memory.official / memory.chainFour, "official call / chain of 4 + 4"),
  };
}

/** Microseconds from a line to its answer, through each of what may stand between: the medians of the rounds' p50 and p99. */
async function compareOnStdio(): Promise<Record<(typeof STDIO_SUBJECTS)[number], Latency>> {
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

export async function measureStdio(): Promise<Record<string, Measured>> {
  const { direct, pipe, relay, redact } = await compareOnStdio();
  const added = (between: Latency) => between.p50 - direct.p50;
  return {
    directP50: time(direct.p50, "server alone on stdio, p50"),
    directP99: time(direct.p99, "server alone, p99"),
    pipeP50: time(pipe.p50, "byte pipe before it, p50"),
    pipeP99: time(pipe.p99, "byte pipe, p99"),
    relayP50: time(relay.p50, "`wrap` without interceptors, p50"),
    relayP99: time(relay.p99, "`wrap`, p99"),
    redactP50: time(redact.p50, "`wrap --use redact`, p50"),
    redactP99: time(redact.p99, "`wrap --use redact`, p99"),
    pipeAddedP50: time(added(pipe), "added by the byte pipe at p50"),
    relayAddedP50: time(added(relay), "added by `wrap` at p50"),
    redactAddedP50: time(added(redact), "added by `wrap --use redact` at p50"),
    relayRatio: ratio(added(relay) / added(pipe), "added by `wrap` / by the byte pipe"),
    redactRatio: ratio(added(redact) / added(pipe), "added by `wrap --use redact` / by the byte pipe"),
  };
}

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
