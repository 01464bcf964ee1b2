// One run of the fuzz: cases from a seed, each through every configuration, with a shrunk case for the first that fails.
import { seededRandom } from "../support/random.ts";
import type { Posture } from "../../src/gateway/guarded-relay.ts";
import { runBursts, type Fates } from "./bursts.ts";
import { drawChain, type Member } from "./chains.ts";
import { createGenerator, type Step } from "./grammar.ts";
import { runLockstep } from "./lockstep.ts";

/** What one case is made of. Everything follows from its seed. */
export interface Case {
  readonly seed: number;
  readonly steps: readonly Step[];
  readonly members: readonly Member[];
  readonly posture: Posture;
  readonly notifications: boolean;
}

/** `open`: no interceptor, line by line. `closed`: everything denied, line by line. `mixed`: a chain of all kinds, many lines at once. */
export type Mode = "open" | "closed" | "mixed";

export interface Failure {
  readonly seed: number;
  readonly mode: Mode;
  readonly problem: string;
  readonly shrunk: Case;
}

export interface Report {
  cases: number;
  lines: number;
  /** Lines by kind; what became of those in the mixed mode. */
  readonly kinds: Map<string, number>;
  readonly fates: Fates;
  failure?: Failure;
}

const LINES = 30;

export function drawCase(seed: number): Case {
  const random = seededRandom(seed);
  const generator = createGenerator(random);
  const steps = Array.from({ length: LINES }, () => generator.next());
  return { seed, steps, members: drawChain(random), posture: random.pick(["client", "server"]), notifications: random.below(2) === 0 };
}

/** Runs one case in one mode; gives what is wrong, or nothing. What is thrown is wrong, too. */
export async function runCase({ seed, steps, members, posture, notifications }: Case, mode: Mode, fates: Fates = new Map()): Promise<string | undefined> {
  try {
    if (mode === "mixed") return await runBursts(steps, { posture, members, notifications, seed }, fates);
    return await runLockstep(steps, { posture, denies: mode === "closed", byGateway: seed % 8 < 2 });
  } catch (thrown) {
    return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  }
}

/** Leaves out lines and interceptors for as long as something is wrong still. */
export async function shrink(found: Case, mode: Mode): Promise<Case> {
  let best = found;
  const better = async (steps: readonly Step[], members: readonly Member[]): Promise<boolean> => {
    const smaller = { ...best, steps, members };
    if ((await runCase(smaller, mode)) === undefined) return false;
    best = smaller;
    return true;
  };
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.steps.length; ) {
      if (!(await better(best.steps.toSpliced(at, size), best.members))) at += size;
    }
  }
  for (let at = best.members.length - 1; at >= 0; at--) await better(best.steps, best.members.toSpliced(at, 1));
  return best;
}

/** Runs cases from `seed` on, until as many have run, the time is up, or one has failed. */
export async function fuzz({ seed, cases, until = Infinity }: { seed: number; cases: number; until?: number }): Promise<Report> {
  const report: Report = { cases: 0, lines: 0, kinds: new Map(), fates: new Map() };
  for (let at = seed; at < seed + cases && Date.now() < until; at++) {
    const drawn = drawCase(at);
    report.cases++;
    report.lines += drawn.steps.length;
    for (const { kinds } of drawn.steps) for (const kind of kinds) report.kinds.set(kind, (report.kinds.get(kind) ?? 0) + 1);
    // The two that go line by line take turns.
    for (const mode of at % 2 === 0 ? (["open", "mixed"] as const) : (["closed", "mixed"] as const)) {
      const problem = await runCase(drawn, mode, report.fates);
      if (problem === undefined) continue;
      const shrunk = await shrink(drawn, mode);
      report.failure = { seed: at, mode, problem: (await runCase(shrunk, mode)) ?? problem, shrunk };
      return report;
    }
  }
  return report;
}

/** A failure in words, with the command that repeats it. */
export function describeFailure({ seed, mode, problem, shrunk }: Failure): string {
  return [
    `seed ${seed} in the ${mode} mode: ${problem}`,
    `repeat it with: npm run fuzz -- --seed ${seed} --cases 1`,
    `the ${shrunk.posture}'s side is guarded${shrunk.notifications ? ", notifications too" : ""}; interceptors: ${JSON.stringify(mode === "mixed" ? shrunk.members : [])}`,
    ...shrunk.steps.map(({ from, line, ending, pauseMs }) => `${from}: ${line}${ending === "\r\n" ? "\\r" : ""}${pauseMs === undefined ? "  (the next at once)" : pauseMs > 0 ? `  (then ${pauseMs} ms)` : ""}`),
  ].join("\n");
}
