import { Worker } from "node:worker_threads";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describeError, ErrorCode, LocalError, RpcError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import { createSignal, type SignalLike } from "../core/base/signal.ts";
import type { FailureReason } from "../core/interceptor/failure.ts";
import type { InvokeParams, Principal } from "../core/wire/gen/interceptors.ts";
import { tsxApi } from "./load-module.ts";
import { readFromWorker, type FromWorker, type ToWorker, type WorkerStart } from "./worker-protocol.ts";

export interface ThreadOptions {
  readonly start: WorkerStart;
  readonly host: Host;
  readonly maxMemoryMb: number;
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
  /** How long it may take to load the module. */
  readonly startTimeoutMs: number;
  /** How long one run may take. */
  readonly timeoutMs: number;
  /** How long it may take to show that it lives, once a run is overdue. */
  readonly graceMs: number;
  readonly output: (chunk: Uint8Array) => void;
  /** Whether the process may not end while the module is being loaded. */
  readonly holdsProcess: boolean;
}

/** One worker, from its start to its end. */
export interface WorkerThread {
  /** What the module lists. Rejects with `spawn_failed` where it cannot be loaded. */
  readonly ready: Promise<readonly unknown[]>;
  /** Settles when the thread is gone, whatever ended it. */
  readonly ended: Promise<void>;
  readonly alive: boolean;
  /** Settles once it is known whether the thread is stuck; there only while that is in doubt. */
  readonly doubt: Promise<void> | undefined;
  /**
   * Runs one interceptor; gives what `interceptor/invoke` would answer, unread. Rejects with `timeout`, the reason of `signal`, `closed` where the worker
   * ended meanwhile, or a `FailedInWorker` with what went wrong there.
   */
  run(params: InvokeParams, caller: Principal | undefined, signal: SignalLike): Promise<unknown>;
  /** Ends it; what is running rejects with `why`. Idempotent. */
  end(why: LocalError): void;
}

/** The run failed where it ran. */
export class FailedInWorker extends RpcError {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string) {
    super(ErrorCode.internalError, message);
    this.reason = reason;
  }
}

interface Run {
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

export function startThread(options: ThreadOptions): WorkerThread {
  const { start, host, timeoutMs, graceMs, startTimeoutMs } = options;
  const worker = spawnWorker(options);
  const runs = new Map<number, Run>();
  let nextId = 1;
  let alive = true;
  let starting = true;
  let stopProbe: (() => void) | undefined;
  let doubt: Promise<void> | undefined;
  let settleDoubt: () => void = () => {};
  // Why the thread ends, as far as it is known before its exit.
  let why: LocalError | undefined;

  const post = (message: ToWorker) => worker.postMessage(message);
  // A process may end while it is idle.
  const holdProcess = () => ((starting && options.holdsProcess) || runs.size > 0 ? worker.ref() : worker.unref());
  const settle = (id: number, how: (run: Run) => void) => {
    const run = runs.get(id);
    if (run === undefined) return;
    runs.delete(id);
    holdProcess();
    how(run);
  };
  const endProbe = () => {
    stopProbe?.();
    stopProbe = doubt = undefined;
    settleDoubt();
  };
  const end = (reason: LocalError) => {
    if (!alive) return;
    alive = false;
    why ??= reason;
    endProbe();
    stopStart();
    failStart(why);
    for (const id of [...runs.keys()]) settle(id, ({ reject }) => reject(why));
    void worker.terminate();
  };
  const probe = () => {
    if (!alive || stopProbe !== undefined) return;
    doubt = new Promise((resolve) => (settleDoubt = resolve));
    post({ type: "ping" });
    const late = () => end(ended(start.module, `it gave no sign of life for ${graceMs} ms after a run was overdue`, "stuck"));
    stopProbe = host.setTimer(late, graceMs, true);
  };

  let settleStart: (descriptors: readonly unknown[]) => void = () => {};
  let failStart: (reason: LocalError) => void = () => {};
  const ready = new Promise<readonly unknown[]>((resolve, reject) => {
    settleStart = resolve;
    failStart = (reason) => {
      starting = false;
      reject(reason.code === "closed" ? new LocalError("spawn_failed", reason.message, { cause: reason }) : reason);
    };
  });
  ready.catch(() => {});
  holdProcess();
  const stopStart = host.setTimer(() => {
    end(new LocalError("spawn_failed", `${start.module} was not loaded within ${startTimeoutMs} ms`));
  }, startTimeoutMs, !options.holdsProcess);

  const onMessage = (message: FromWorker) => {
    switch (message.type) {
      case "ready":
        stopStart();
        starting = false;
        settleStart(message.descriptors);
        return holdProcess();
      case "failed":
        return end(new LocalError("spawn_failed", message.message));
      case "result":
        return settle(message.id, ({ resolve }) => resolve(message.result));
      case "error":
        return settle(message.id, ({ reject }) => reject(new FailedInWorker(message.reason, message.message)));
      case "pong":
        return endProbe();
      case "printed":
        options.output(message.chunk);
        return post({ type: "seen", bytes: message.chunk.length });
    }
  };
  worker.on("message", (value: unknown) => {
    const message = readFromWorker(value);
    if (message !== undefined && alive) onMessage(message);
  });
  worker.on("error", (thrown: unknown) => (why ??= ended(start.module, describeError(thrown), "crashed")));
  const gone = new Promise<void>((resolve) => {
    worker.on("exit", (code) => {
      end(ended(start.module, `it exited with code ${code}`, "exited"));
      resolve();
    });
  });

  return {
    ready,
    ended: gone,
    get alive() {
      return alive;
    },
    get doubt() {
      return doubt;
    },
    end,
    run(params, caller, signal) {
      return new Promise<unknown>((resolve, reject) => {
        const id = nextId++;
        const stop = createSignal(signal);
        const stopTimer = host.setTimer(() => {
          stop.abort(new LocalError("timeout", `a run in a worker took more than ${timeoutMs} ms`, { details: { timeoutMs } }));
        }, timeoutMs);
        const release = () => {
          stopTimer();
          stop.dispose();
        };
        runs.set(id, {
          resolve: (result) => (release(), resolve(result)),
          reject: (reason) => (release(), reject(reason)),
        });
        holdProcess();
        post({ type: "run", id, params, caller });
        stop.signal.onAbort((reason) => {
          settle(id, (run) => run.reject(reason));
          if (!alive) return;
          post({ type: "cancel", id });
          probe();
        });
      });
    },
  };
}

function ended(module: string, how: string, cause: "stuck" | "crashed" | "exited"): LocalError {
  return new LocalError("closed", `the worker of ${module} has ended: ${how}`, { details: { cause } });
}

function spawnWorker({ start, maxMemoryMb, env }: ThreadOptions): Worker {
  const built = !import.meta.url.endsWith(".ts");
  const entry = new URL(built ? "./worker-main.js" : "./worker-main.ts", import.meta.url);
  // From sources, a worker of a Node that does not strip types needs tsx just to start: it does not inherit the loader.
  const tsx = built || Boolean(Reflect.get(process.features, "typescript")) ? undefined : tsxApi(fileURLToPath(entry));
  // A text that imports, and not the file: a worker inherits the program's flags, and a file is refused beside `--input-type`.
  const load = `import(${JSON.stringify(entry.href)})`;
  return new Worker(tsx === undefined ? load : `import(${JSON.stringify(pathToFileURL(tsx).href)}).then(({ register }) => (register(), ${load}))`, {
    eval: true,
    workerData: start,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
    ...(env === undefined ? {} : { env: { ...env } }),
  });
}
