import type { Curve, Curves } from "./curves.ts";
import { median, PIN, startWorker, type Worker } from "./worker.ts";

const SIZES = [1, 4, 16, 64, 256, 1024, 4096].map((kilobytes) => kilobytes * 1024);
const COUNTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000];
// The code of a call is compiled after so many; where they are long, the loops within one are before.
const TIMES = { warmUpCalls: 12_000, warmUpMs: 1_500, roundMs: 120, rounds: 5 };

// The same by a process whose new objects have this much room, against 16 MB: what is left of a bend is not the collector's.
const ROOMY = ["--max-semi-space-size=128"];

export async function measureCurves(): Promise<Curves> {
  return { size: await measureCurve(SIZES, ["parse", "parseRoomy", "guarded", "guardedRoomy"]), interceptors: await measureCurve(COUNTS, ["matching", "others"]) };
}

/** Each point of each series in a process of its own, as a heap that has held large messages makes small ones dear. The series take turns at each point. */
async function measureCurve(x: readonly number[], names: readonly string[]): Promise<Curve> {
  const series = Object.fromEntries(names.map((name): [string, number[]] => [name, []]));
  for (const value of x) {
    const workers = await Promise.all(names.map((name) => startSeries(name, value)));
    for (const worker of workers) await measure(worker, TIMES.warmUpMs, TIMES.warmUpCalls);
    const found = workers.map((): number[] => []);
    for (let round = 0; round < TIMES.rounds; round++) for (const [at, worker] of workers.entries()) found[at]?.push(await measure(worker, TIMES.roundMs));
    for (const [at, worker] of workers.entries()) {
      worker.stop();
      series[names[at]!]?.push(Number(median(found[at]!).toPrecision(4)));
    }
  }
  return { x, series };
}

function startSeries(name: string, x: number): Promise<Worker> {
  return startWorker("curve-worker.mjs", [name.replace("Roomy", ""), String(x)], PIN, name.endsWith("Roomy") ? ROOMY : []);
}

// The worker's own words.
async function measure(worker: Worker, ms: number, maxCalls?: number): Promise<number> {
  return ((await worker.measure({ ms, maxCalls })) as { microseconds: number }).microseconds;
}
