import type { HttpEra } from "./compare-http.ts";
import { measured } from "./measured.ts";
import type { Measured } from "./results.ts";
import { median, OTHER_PIN, startWorker, type Worker } from "./worker.ts";

const MIDDLES = ["proxy", "gateway"] as const;
const ERAS = { stateless: ["gateway", "2026-07-28"], handshake: ["gatewaySession", "2025-11-25"] } as const;
const IN_FLIGHT = { alone: 1, together: 32 } as const;

export interface GatewayTimes {
  /** At 32 in flight, before each measurement. The gateway gets no faster after some 5,000 on Node 20, and begins at four times the time of a call. */
  readonly warmUpCalls: number;
  readonly roundMs: number;
  readonly rounds: number;
}

/** Microseconds of one round. */
interface Round {
  /** That a call waited, at the median. */
  readonly p50: number;
  /** Of the processor time of the middle, a call. */
  readonly cpu: number;
}

/**
 * What the gateway with a validator and a mutator adds to `tools/call` over HTTP, beside what a proxy of `node:http` adds: to the time that a lone caller
 * waits, less that without anything between, and in processor time at 32 in flight. Medians of rounds that take turns. Rows for results.json.
 */
export async function compareGateway({ warmUpCalls, roundMs, rounds }: GatewayTimes = { warmUpCalls: 8_000, roundMs: 250, rounds: 15 }): Promise<Record<string, Measured>> {
  const client = await startWorker("http-worker.mjs", [], OTHER_PIN);
  const upstream = await startWorker("http-server.mjs", ["ours"]);
  // The workers' own words.
  const { url } = upstream.ready as { url: string };
  const middles = new Map<string, Worker>();
  for (const middle of MIDDLES) middles.set(middle, await startWorker("gateway-server.mjs", [middle, url]));
  const used = async (worker: Worker) => ((await worker.measure({})) as { microseconds: number }).microseconds;

  const measure = async (middle: string, era: HttpEra, inFlight: number, amount: { readonly ms: number } | { readonly calls: number }): Promise<Round> => {
    const worker = middles.get(middle) ?? upstream;
    const where = middles.has(middle) ? (worker.ready as { urls: Record<HttpEra, string> }).urls[era] : url;
    const before = await used(worker);
    const { calls, p50 } = (await client.measure({ url: where, era, inFlight, ...amount })) as { calls: number; p50: number };
    return { p50, cpu: ((await used(worker)) - before) / calls };
  };

  const numbers: Record<string, Measured> = {};
  const row = (key: string, value: number, unit: Measured["unit"], what: string) => void (numbers[key] = measured(unit)(value, what));
  try {
    for (const era of ["stateless", "handshake"] as const) {
      const [prefix, revision] = ERAS[era];
      const subjects = ["direct", ...MIDDLES];
      const compare = async (inFlight: number, of: keyof Round) => {
        const found = new Map<string, number[]>(subjects.map((subject) => [subject, []]));
        for (const subject of subjects) await measure(subject, era, IN_FLIGHT.together, { calls: warmUpCalls });
        for (let round = 0; round < rounds; round++) for (const subject of subjects) found.get(subject)?.push((await measure(subject, era, inFlight, { ms: roundMs }))[of]);
        return (subject: string) => median(found.get(subject) ?? []);
      };
      const waits = await compare(IN_FLIGHT.alone, "p50");
      const added = (subject: string) => waits(subject) - waits("direct");
      row(`${prefix}Added`, added("gateway"), "µs", `HTTP, ${revision}: added by the gateway with 1 + 1 interceptors, one in flight, p50`);
      row(`${prefix}AddedRatio`, added("gateway") / added("proxy"), "×", "that / added by a proxy of `node:http`");
      const cpu = await compare(IN_FLIGHT.together, "cpu");
      row(`${prefix}Cpu`, cpu("gateway"), "µs", `HTTP, ${revision}: 32 in flight, the gateway's processor time of a call`);
      row(`${prefix}CpuRatio`, cpu("gateway") / cpu("proxy"), "×", "that / the proxy's");
    }
  } finally {
    client.stop();
    for (const worker of [upstream, ...middles.values()]) worker.stop();
  }
  return numbers;
}
