import { startCliGateway, type CliGateway } from "./cli-gateway.ts";
import type { HttpEra } from "./compare-http.ts";
import { measured } from "./measured.ts";
import type { Measured } from "./results.ts";
import { median, startWorker } from "./worker.ts";

export interface WorkersTimes {
  /** Until so many calls are answered: two workers have two heaps, and compile twice. */
  readonly warmUpCalls: number;
  readonly roundMs: number;
  readonly rounds: number;
}

/** Enough that two workers are as busy as one process is. */
const IN_FLIGHT = 64;
const WORKERS = 2;
/** Which sockets a call of a session comes on: see http-worker.mjs. */
const MODES = [
  { key: "workers", era: "stateless", sessions: "own", what: "2026-07-28" },
  { key: "workersSession", era: "handshake", sessions: "own", what: "2025-11-25, sessions on their own connections" },
  { key: "workersForeign", era: "handshake", sessions: "next", what: "2025-11-25, all sessions at the other worker" },
] as const;

interface Round {
  readonly calls: number;
  /** Of processor time, all processes of the gateway together, for a call. */
  readonly cpu: number;
  readonly perSecond: number;
  /** Of the processor time of all workers, the first one's, in percent. */
  readonly share: number;
}

/**
 * `mcp-interceptors gateway` with two workers beside the same with one process, 64 in flight. Nothing is pinned: caller, upstream and gateway share all cores, so
 * that two workers have only what the others leave. Medians of rounds that take turns. Rows for results.json; none, with a word why, where /proc is missing.
 */
export async function compareWorkers({ warmUpCalls, roundMs, rounds }: WorkersTimes = { warmUpCalls: 10_000, roundMs: 400, rounds: 15 }): Promise<Record<string, Measured>> {
  const client = await startWorker("http-worker.mjs", [], []);
  const upstream = await startWorker("http-server.mjs", ["ours"], []);
  // The worker's own words.
  const { url } = upstream.ready as { url: string };
  const one = await startCliGateway(url, undefined);
  const two = await startCliGateway(url, WORKERS);
  const numbers: Record<string, Measured> = {};
  const row = (key: string, value: number, unit: Measured["unit"], what: string) => void (numbers[key] = measured(unit)(value, what));
  try {
    if (one === undefined || two === undefined) {
      console.log("workers: not measured, as processor time is read from /proc, which this system does not have");
      return {};
    }
    const measure = async (gateway: CliGateway, era: HttpEra, sessions: string, ms: number): Promise<Round> => {
      const before = gateway.used();
      const { calls, microseconds } = (await client.measure({ url: gateway.urls[era], era, inFlight: IN_FLIGHT, ms, sessions })) as { calls: number; microseconds: number };
      const spent = gateway.used().map((now, index) => now - (before[index] ?? 0));
      const [, first = 0, second = 0] = spent;
      return { calls, cpu: spent.reduce((sum, each) => sum + each, 0) / calls, perSecond: 1e6 / microseconds, share: (100 * first) / (first + second) };
    };
    const warmUp = async (gateway: CliGateway, era: HttpEra, sessions: string) => {
      for (let calls = 0; calls < warmUpCalls; ) calls += (await measure(gateway, era, sessions, roundMs)).calls;
    };
    for (const { key, era, sessions, what } of MODES) {
      const found: { readonly one: Round[]; readonly two: Round[] } = { one: [], two: [] };
      for (const gateway of [one, two]) await warmUp(gateway, era, sessions);
      for (let round = 0; round < rounds; round++) {
        found.one.push(await measure(one, era, sessions, roundMs));
        found.two.push(await measure(two, era, sessions, roundMs));
      }
      const middle = (of: keyof Round, which: keyof typeof found) => median(found[which].map((round) => round[of]));
      row(`${key}Cpu`, middle("cpu", "two"), "µs", `gateway --workers 2, HTTP, ${what}: 64 in flight, processor time of a call`);
      row(`${key}CpuRatio`, middle("cpu", "two") / middle("cpu", "one"), "×", "that / with one process");
      row(`${key}RateRatio`, middle("perSecond", "two") / middle("perSecond", "one"), "×", "calls a second / with one process");
      row(`${key}Share`, middle("share", "two"), "%", "of the workers' processor time, the first one's");
    }
  } finally {
    client.stop();
    upstream.stop();
    await Promise.all([one?.stop(), two?.stop()]);
  }
  return numbers;
}
