import type { Curve, Curves } from "./curves.ts";
import { median, PIN, startWorker } from "./worker.ts";

const SIZES = [1, 4, 16, 64, 256, 1024, 4096].map((kilobytes) => kilobytes * 1024);
const COUNTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000];
const TIMES = { warmUpMs: 300, roundMs: 120, rounds: 7 };

// The same by a process whose new objects have this much room, against 16 MB: what is left of a bend is not the collector's.
const ROOMY = ["--max-semi-space-size=128"];

export async function measureCurves(): Promise<Curves> {
  return { size: await measureCurve(SIZES, ["parse", "parseRoomy", "guarded", "guardedRoomy"]), interceptors: await measureCurve(COUNTS, ["matching", "others"]) };
}

/** Each series in a process of its own. They take turns at each point, so that what else the machine does hits all alike. */
async function measureCurve(x: readonly number[], names: readonly string[]): Promise<Curve> {
  const start = (name: string) => startWorker("curve-worker.mjs", [name.replace("Roomy", "")], PIN, name.endsWith("Roomy") ? ROOMY : []);
  const workers = await Promise.all(names.map(async (name) => ({ name, worker: await start(name), found: x.map((): number[] => []) })));
  const { warmUpMs, roundMs, rounds } = TIMES;
  // The worker's own words.
  const measure = async ({ worker }: (typeof workers)[number], at: number, ms: number) => ((await worker.measure({ x: x[at], ms })) as { microseconds: number }).microseconds;
  for (const one of workers) for (const at of x.keys()) await measure(one, at, warmUpMs);
  for (let round = 0; round < rounds; round++) {
    for (const at of x.keys()) for (const one of workers) one.found[at]?.push(await measure(one, at, roundMs));
  }
  for (const { worker } of workers) worker.stop();
  return { x, series: Object.fromEntries(workers.map(({ name, found }) => [name, found.map((values) => Number(median(values).toPrecision(4)))])) };
}
