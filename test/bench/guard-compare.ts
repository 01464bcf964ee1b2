import { time } from "./measured.ts";
import type { Measured } from "./results.ts";
import { median, pinnedNode, startWorker } from "./worker.ts";

const WHERE = ["stdio", "http"] as const;
const GUARDS = ["none", "0", "1", "4", "16"] as const;
const CHARS = [100, 100_000] as const;

/** How long each is measured at a time, and how often. */
export interface GuardTimes {
  readonly warmUpMs: number;
  readonly roundMs: number;
  readonly rounds: number;
}

/**
 * What a guard adds to a call of the official SDK's own stdio and HTTP server: the median of the rounds' p50 less that without a guard, in microseconds, by
 * the number of its interceptors and the size of what is sent and echoed. Rows for results.json.
 */
export async function compareGuards({ warmUpMs, roundMs, rounds }: GuardTimes = { warmUpMs: 400, roundMs: 100, rounds: 15 }): Promise<Record<string, Measured>> {
  const numbers: Record<string, Measured> = {};
  for (const where of WHERE) {
    const commands = Object.fromEntries(GUARDS.map((guards) => [guards, { where, command: pinnedNode("guard-server.mjs", [where, guards]) }]));
    const worker = await startWorker("guard-worker.mjs", [JSON.stringify(commands)]);
    for (const chars of CHARS) {
      // The worker's own words.
      const measure = async (name: string, ms: number) => ((await worker.measure({ name, chars, ms })) as { readonly p50: number }).p50;
      const found = new Map<string, number[]>(GUARDS.map((guards) => [guards, []]));
      for (const guards of GUARDS) await measure(guards, warmUpMs);
      for (let round = 0; round < rounds; round++) for (const guards of GUARDS) found.get(guards)?.push(await measure(guards, roundMs));
      const p50 = (guards: string) => median(found.get(guards) ?? []);
      const row = (key: string, value: number, what: string) => (numbers[key] = time(value, what));
      const size = chars === CHARS[0] ? "Small" : "Large";
      const name = where === "stdio" ? "Stdio" : "Http";
      const of = `${where === "stdio" ? "stdio" : "HTTP"}, ${chars.toLocaleString("en")} characters`;
      row(`guard${name}${size}`, p50("none"), `official SDK 1.x over ${of}, not guarded, p50`);
      for (const guards of GUARDS) {
        if (guards === "none") continue;
        const by = guards === "1" ? "one interceptor" : `${guards === "0" ? "no" : guards} interceptors`;
        row(`guard${name}${size}${guards}`, p50(guards) - p50("none"), `added by a guard with ${by}: ${of}`);
      }
    }
    worker.stop();
  }
  return numbers;
}
