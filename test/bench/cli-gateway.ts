import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { HttpEra } from "./compare-http.ts";

/** `mcp-interceptors gateway` as it is installed, with one process or with workers. */
export interface CliGateway {
  readonly urls: Readonly<Record<HttpEra, string>>;
  /** Microseconds of processor time that each of its processes has used: the first, then its workers. */
  used(): readonly number[];
  stop(): Promise<void>;
}

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const CONFIG = fileURLToPath(new URL("gateway-config.mjs", import.meta.url));

/** Processor time is read from /proc: `undefined` where there is none. */
export async function startCliGateway(upstream: string, workers: number | undefined): Promise<CliGateway | undefined> {
  if (process.platform !== "linux") return undefined;
  const words = [CLI, "gateway", "-c", CONFIG, "--no-watch", ...(workers === undefined ? [] : ["--workers", String(workers)])];
  const child = spawn(process.execPath, words, { env: { ...process.env, BENCH_UPSTREAM: upstream }, stdio: ["ignore", "inherit", "pipe"] });
  const pid = child.pid ?? 0;
  let said = "";
  const origin = await new Promise<string>((resolve, reject) => {
    child.on("exit", () => reject(new Error(`the gateway has ended: ${said}`)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const found = /serving \S+ at (http:\/\/[^/]+)\//.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const pids = [pid, ...(workers === undefined ? [] : execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" }).trim().split("\n").map(Number))];
  return {
    urls: { stateless: `${origin}/stateless/mcp`, handshake: `${origin}/handshake/mcp` },
    used: () => pids.map(processorTime),
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners("exit").on("exit", () => resolve());
        child.kill("SIGTERM");
      }),
  };
}

// All threads: V8 compiles and collects on others. The clock ticks of `stat` are too coarse for a short round.
function processorTime(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1_000, 0);
}
