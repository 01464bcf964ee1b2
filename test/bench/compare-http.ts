import { median, OTHER_PIN, startWorker, type Worker } from "./worker.ts";

const HTTP = { warmUpMs: 2_000, roundMs: 250, rounds: 21 };

export const HTTP_SUBJECTS = ["bare", "ours", "official"] as const;
export const HTTP_ERAS = ["stateless", "handshake"] as const;
export const IN_FLIGHT = [1, 32] as const;

export type HttpSubject = (typeof HTTP_SUBJECTS)[number];
export type HttpEra = (typeof HTTP_ERAS)[number];

/** Microseconds, the medians of the rounds. */
export interface HttpTimes {
  /** Of wall time from one answer to the next, whichever connection it comes on. */
  readonly call: number;
  /** That a call waited, at the median. */
  readonly p50: number;
  /** Of the server's processor time. */
  readonly server: number;
}

/** By era and number of calls in flight, for each subject. */
export type HttpComparison = Record<HttpEra, Record<(typeof IN_FLIGHT)[number], Record<HttpSubject, HttpTimes>>>;

/** `tools/call` over HTTP on connections that stay open, the caller on one core and the server on another. The servers take turns. */
export async function compareOverHttp(): Promise<HttpComparison> {
  const client = await startWorker("http-worker.mjs", [], OTHER_PIN);
  const servers = new Map<HttpSubject, Worker>();
  for (const subject of HTTP_SUBJECTS) servers.set(subject, await startWorker("http-server.mjs", [subject]));
  // The workers' own words.
  const used = async (server: Worker) => ((await server.measure({})) as { microseconds: number }).microseconds;
  const measure = async (server: Worker, era: HttpEra, inFlight: number, ms: number): Promise<HttpTimes> => {
    const { url } = server.ready as { url: string };
    const before = await used(server);
    const { calls, microseconds, p50 } = (await client.measure({ url, era, inFlight, ms })) as { calls: number; microseconds: number; p50: number };
    return { call: microseconds, p50, server: ((await used(server)) - before) / calls };
  };
  const compareOne = async (era: HttpEra, inFlight: number): Promise<Record<HttpSubject, HttpTimes>> => {
    const rounds: Record<HttpSubject, HttpTimes[]> = { bare: [], ours: [], official: [] };
    for (const server of servers.values()) await measure(server, era, inFlight, HTTP.warmUpMs);
    for (let round = 0; round < HTTP.rounds; round++) {
      for (const [subject, server] of servers) rounds[subject].push(await measure(server, era, inFlight, HTTP.roundMs));
    }
    const over = (all: readonly HttpTimes[]): HttpTimes => ({
      call: median(all.map(({ call }) => call)),
      p50: median(all.map(({ p50 }) => p50)),
      server: median(all.map(({ server }) => server)),
    });
    return { bare: over(rounds.bare), ours: over(rounds.ours), official: over(rounds.official) };
  };
  try {
    const compareEra = async (era: HttpEra) => ({ 1: await compareOne(era, 1), 32: await compareOne(era, 32) });
    return { stateless: await compareEra("stateless"), handshake: await compareEra("handshake") };
  } finally {
    client.stop();
    for (const server of servers.values()) server.stop();
  }
}
