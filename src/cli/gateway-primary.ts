import { availableParallelism } from "node:os";
import type { StructuredLog } from "../gateway/logs.ts";
import { startPrimary } from "../gateway/workers/primary.ts";
import { UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import { runToEnd } from "./gateway-run.ts";
import { tellReload, type Tell } from "./gateway-tell.ts";
import { watchStart } from "./start-watch.ts";

const PARENT = process.ppid;
const MOST_WORKERS = 64;

export interface PrimaryRun {
  readonly file: string;
  readonly count: number;
  readonly watch: boolean;
  readonly startMs: number;
  readonly verbose: boolean;
  readonly tell: Tell;
}

/** Runs a gateway of several processes, up to its end. */
export async function runPrimary({ tell, ...options }: PrimaryRun): Promise<Exit> {
  const { file, count, startMs, verbose } = options;
  const start = watchStart(PARENT, startMs, "reload");
  let structured: StructuredLog | undefined;
  const say: Tell = (level, text) => tell(level, text, structured);
  const sayOf = (level: "info" | "error", text: string) => say(level, level === "error" && structured === undefined ? `mcp-interceptors: ${text}` : text);
  try {
    const primary = await startPrimary({
      ...options,
      tell: sayOf,
      reloaded: ({ served, error }) => tellReload(error === undefined ? served : { error }, file, say),
      signal: start.signal,
    });
    if (!("serving" in primary)) {
      sayOf("error", "the gateway ends, as a worker could not be started");
      return { code: primary.code === 0 ? 1 : (primary.code ?? 1) };
    }
    const { serving, opsUrl, done, end, reload, force } = primary;
    ({ structured } = primary);
    for (const line of serving.warnings) say("warn", line);
    say("info", `serving ${serving.serving}, by ${count === 1 ? "1 worker" : `${count} workers`}${opsUrl === undefined ? "" : `; metrics at ${opsUrl}/metrics`}`);
    const over = runToEnd({ ended: done.then((code) => ({ code })), end, reload, force }, verbose);
    // Only now, so that at no time a signal is nobody's.
    start.release();
    if (start.reloads) reload();
    return await over;
  } catch (thrown) {
    if (start.exit !== undefined) return start.exit;
    throw thrown;
  } finally {
    start.release();
  }
}

/** The number of workers that `--workers` asks for; `undefined` where it does not. */
export function workersOption(values: ReadonlyMap<string, readonly string[]>): number | undefined {
  const text = values.get("workers")?.[0];
  if (text === undefined) return undefined;
  if (text === "auto") return Math.min(availableParallelism(), MOST_WORKERS);
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MOST_WORKERS) return count;
  throw new UsageError(`--workers must be a whole number from 1 to ${MOST_WORKERS}, or auto, not ${JSON.stringify(text)}`);
}
