import { ratio, time } from "./measured.ts";
import type { Measured } from "./results.ts";
import { median, OTHER_PIN, startWorker, type Worker } from "./worker.ts";

const HTTP = { warmUpMs: 2_000, roundMs: 250, rounds: 21 };

const HTTP_SUBJECTS = ["bare", "ours", "official"] as const;
const HTTP_ERAS = ["stateless", "handshake"] as const;
const IN_FLIGHT = [1, 32] as const;

type HttpSubject = (typeof HTTP_SUBJECTS)[number];
export type HttpEra = (typeof HTTP_ERAS)[number];

/** Microseconds, the medians of the rounds. */
interface HttpTimes {
  /** Of wall time from one answer to the next, whichever connection it comes on. */
  readonly call: number;
  /** That a call waited, at the median. */
  readonly p50: number;
  /** Of the server's processor time. */
  readonly server: number;
}

/** By era and number of calls in flight, for each subject. */
type HttpComparison = Record<HttpEra, Record<(typeof IN_FLIGHT)[number], Record<HttpSubject, HttpTimes>>>;

/** `tools/call` over HTTP on connections that stay open, the caller on one core and the server on another. The servers take turns. */
async function compareOverHttp(): Promise<HttpComparison> {
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

/** The numbers of one era, under keys that begin with `prefix`. */
function httpNumbers(prefix: string, era: HttpEra, revision: string, compared: HttpComparison): Record<string, Measured> {
  const { 1: alone, 32: together } = compared[era];
  const rows = (key: string, { ours, official, bare }: Record<HttpSubject, HttpTimes>, of: keyof HttpTimes, what: string): Record<string, Measured> => ({
    [`${prefix}${key}`]: time(ours[of], `HTTP, ${revision}: ${what}`),
    [`${prefix}${key}Ratio`]: ratio(official[of] / ours[of], "the official server's / that"),
    [`${prefix}${key}BareRatio`]: ratio(bare[of] / ours[of], "that of `node:http` alone / that"),
  });
  return {
    ...rows("Alone", alone, "p50", "`tools/call`, one in flight"),
    ...rows("Call", together, "call", "32 in flight, from one answer to the next"),
    ...rows("Server", together, "server", "32 in flight, the server's processor time of a call"),
    [`${prefix}ServerOver`]: time(together.ours.server - together.bare.server, "that less that of `node:http` alone"),
  };
}

export async function measureHttp(): Promise<Record<string, Measured>> {
  const compared = await compareOverHttp();
  return { ...httpNumbers("http", "stateless", "2026-07-28", compared), ...httpNumbers("httpSession", "handshake", "2025-11-25", compared) };
}
