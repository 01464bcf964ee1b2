import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { base64Encode } from "../../core/base/bytes.ts";
import type { Host } from "../../core/base/host.ts";
import { createRandomHex } from "../../core/base/random-hex.ts";
import type { Signal } from "../../core/base/signal.ts";
import { nodeHost } from "../../node/host.ts";
import { watchFiles } from "../config/file-watch.ts";
import { loadConfig, type LoadedConfig } from "../config/load.ts";
import { openLog } from "../config/observability.ts";
import { portFault } from "../config/ports.ts";
import { ConfigError } from "../config/problems.ts";
import { checkServed } from "../config/serves.ts";
import type { StructuredLog } from "../logs.ts";
import type { Served } from "./messages.ts";
import { listenForAll } from "./primary-ops.ts";
import { createClusterReload, type ClusterOutcome, type ClusterReload } from "./primary-reload.ts";
import { createSupervisor } from "./supervisor.ts";
import { listenForWorkers } from "./primary-port.ts";
import { forkWorker, type WorkerEnd } from "./worker-process.ts";

export interface PrimaryOptions {
  readonly file: string;
  readonly count: number;
  /** How long each worker may take to serve. */
  readonly startMs: number;
  /** Whether it reloads by itself when a file changes. */
  readonly watch: boolean;
  readonly verbose: boolean;
  /** Told of ends and starts of workers. */
  tell(level: "info" | "error", text: string): void;
  /** Called for each reload that was tried. */
  reloaded(outcome: ClusterOutcome): void;
  readonly host?: Host;
  /** Gives up while it starts. */
  readonly signal: Signal;
}

/** The workers of one gateway, seen from the process that they are forked from. */
export interface Primary {
  readonly serving: Served;
  readonly opsUrl: string | undefined;
  /** What the configuration wants logged as JSON. */
  readonly structured: StructuredLog | undefined;
  /** Takes the file in as it is now: in one worker, and only then in all others. What is wrong with it changes nothing, and is told. */
  reload(): void;
  /** All workers take nothing new, answer what they owe, and end. */
  end(): void;
  /** They end at once. */
  force(signal: NodeJS.Signals): void;
  /** Settles with the exit code when nothing is left. */
  readonly done: Promise<number>;
}

const DRAIN_MS = 10_000;
/** What a worker may take, beyond its calls in flight, to end in order. */
const END_MS = 15_000;
const GIVE_UP_MS = 2_000;

/**
 * Serves a configuration by several processes on one port. Rejects like `loadConfig` for a file that cannot be used; settles with the end of a worker that could
 * not be started, and has said why.
 */
export async function startPrimary(options: PrimaryOptions): Promise<Primary | WorkerEnd> {
  const { file, count, startMs, watch, verbose, tell, reloaded, host = nodeHost(), signal } = options;
  const loaded = await loadConfig(file, { signal });
  checkPlain(loaded);
  const { config } = loaded;
  const structured = openLog(config.logs, { host, verbose });
  let folder = "";
  const name = createRandomHex(host)(6);
  const stateKey = base64Encode(host.random(new Uint8Array(32)));
  let reload: ClusterReload | undefined;
  const supervisor = createSupervisor({
    count,
    host,
    startMs,
    tell,
    fork: (slot) => forkWorker({ place: { slot, count, name, stateKey, folder }, port: port.port, text: reload === undefined ? loaded.text : reload.fork(slot), host }),
    serves(worker) {
      port.join(worker);
      if (reload === undefined) return;
      tell("info", `worker ${worker.slot} serves again`);
      reload.catchUp(worker);
    },
    ended: (worker) => ops?.ended(worker.slot),
  });
  const port = await listenForWorkers({ host, port: Number(config.http?.port ?? 0), ...(config.http?.host === undefined ? {} : { address: config.http.host }) }).catch((thrown: unknown) => {
    throw portFault(thrown, "http", loaded);
  });
  const ops = config.metrics === undefined ? undefined : await listenForAll(config.metrics, { supervisor, count, stuck: () => port.stuck }).catch((thrown: unknown) => {
    port.close();
    throw portFault(thrown, "metrics", loaded);
  });
  folder = await mkdtemp(join(tmpdir(), "mcp-interceptors-workers-"));
  const release = signal.onAbort(() => supervisor.end(GIVE_UP_MS));
  const first = await supervisor.start();
  release();
  const clear = async () => {
    port.close();
    await ops?.close();
    rmSync(folder, { recursive: true, force: true });
  };
  if (!("serving" in first)) {
    await clear();
    if (signal.aborted) throw signal.reason;
    return first;
  }
  const files = watch ? watchFiles({ host, changed: () => reload?.run() }) : undefined;
  files?.watch(first.files);
  const told = (outcome: ClusterOutcome) => {
    if (outcome.served !== undefined) files?.watch(outcome.served.files);
    reloaded(outcome);
  };
  reload = createClusterReload({ file, text: loaded.text, supervisor, host, tell, told });
  const end = () => {
    files?.close();
    port.retire();
    ops?.draining();
    supervisor.end((config.drainMs ?? DRAIN_MS) + END_MS);
  };
  return {
    serving: first,
    opsUrl: ops?.url,
    structured,
    reload: () => reload?.run(),
    end,
    force: (by) => supervisor.force(by),
    done: supervisor.done.then(async (code) => {
      files?.close();
      await clear();
      return code;
    }),
  };
}

function checkPlain(loaded: LoadedConfig): void {
  checkServed(loaded, undefined);
  const { file, config } = loaded;
  if (config.stdio !== undefined) {
    throw new ConfigError([{ file, pointer: "/stdio", message: "is for one process: workers serve over HTTP alone, since stdin and stdout have one client" }]);
  }
}
