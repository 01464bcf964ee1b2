import { resolve as resolvePath } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import { cloneJson, equalJson, isObject } from "../core/base/json.ts";
import { resolveLimits, type Limits } from "../core/base/limits.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import { mutator, validator, type Declaration, type HandlerInput, type Interceptor } from "../core/interceptor/define.ts";
import { mutated, unchanged } from "../core/interceptor/verdict.ts";
import { descriptorProblem, readExtras } from "../core/wire/descriptors.ts";
import type { InterceptorDescriptor, InvokeParams } from "../core/wire/gen/interceptors.ts";
import { OWN_META } from "../core/wire/meta.ts";
import { timeoutProblem } from "../core/wire/timeout.ts";
import { nodeHost } from "./host.ts";
import { forwardToStderr } from "./stderr-forward.ts";
import { FailedInWorker, startThread, type WorkerThread } from "./worker-thread.ts";

/** Which module runs in a worker thread, and its budgets. */
export interface WorkerInterceptorOptions {
  /** The module that exports interceptors, under whatever names, single or in lists: a path, from the working directory, or a file URL. */
  readonly module: string | URL;
  /** The time budget of one run: 5,000 ms unless said otherwise. No interceptor declares more; a chain's override that does is cut off `graceMs` later. */
  readonly timeoutMs?: number;
  /** How long the thread has to show that it lives once a run is overdue; then it is ended. 250 ms unless said otherwise. */
  readonly graceMs?: number;
  /** How long the module may take to load: 10,000 ms unless said otherwise. */
  readonly startTimeoutMs?: number;
  /** Of the worker's heap, in MiB: 256 unless said otherwise. Buffers are outside of it. */
  readonly maxMemoryMb?: number;
  /** The worker's environment; a copy of ours unless said otherwise. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where its standard output and error go, never to our standard output. `inherit` (the default) is our standard error. Dropped where it prints faster than is read. */
  readonly output?: "inherit" | "ignore" | ((chunk: Uint8Array) => void);
  readonly limits?: Partial<Limits>;
  readonly host?: Host;
}

const OPTIONS: OptionTable<WorkerInterceptorOptions> = {
  module: "any",
  timeoutMs: "any",
  graceMs: "any",
  startTimeoutMs: "any",
  maxMemoryMb: "any",
  env: "an object",
  output: "any",
  limits: "an object",
  host: "an object",
};

/** Interceptors that run in a worker thread, which their owner closes. */
export interface WorkerInterceptors {
  /** Ordinary interceptors, for chains and servers, whose handlers run in the worker. */
  readonly interceptors: readonly Interceptor[];
  /** Workers started so far; more than one where one was ended or has ended itself. */
  readonly starts: number;
  /** Ends the worker. What is running fails, and so does every later run. Settles when the thread is gone. */
  close(): Promise<void>;
}

// Between the end of a worker that failed and the next start: none after the first failure in a row, then twice as long each time.
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
const CLOSE_PATIENCE_MS = 2_000;

/**
 * Loads a module of interceptors into a worker thread and gives stand-ins for them. A handler that blocks its thread for longer than
 * `timeoutMs` is ended with the worker, and all that runs there fails (`crashed`, or `timeout` where the chain's clock was first); our own thread, and
 * with it all other traffic, goes on. A new worker is started at once; where workers keep failing, runs fail at once for a while (up to 10 s).
 *
 * All interceptors of one call share one thread: those that must not stop each other are loaded by calls of their own. Payloads cross as
 * structured clones of JSON. It holds accidents, not enemies: the module has the rights of the process, files and network included.
 *
 * Rejects with `spawn_failed` where the module cannot be loaded, ends while it loads, or takes too long; with `invalid_argument`.
 */
export async function workerInterceptor(options: WorkerInterceptorOptions): Promise<WorkerInterceptors> {
  checkOptions(options, "the options of a worker", OPTIONS);
  const { module, timeoutMs = 5_000, graceMs = 250, startTimeoutMs = 10_000, maxMemoryMb = 256, env, host = nodeHost() } = options;
  for (const [name, value] of Object.entries({ timeoutMs, graceMs, startTimeoutMs, maxMemoryMb })) {
    const fault = timeoutProblem(value);
    if (fault !== undefined) throw new LocalError("invalid_argument", `${name} ${name === "maxMemoryMb" ? "must be a whole number from 1" : fault}`);
  }
  const limits = resolveLimits(options.limits);
  const { maxDepth, maxMessageBytes } = limits;
  const file = module instanceof URL || module.startsWith("file:") ? fileURLToPath(module) : resolvePath(module);
  const { write, release } = outputOf(options.output ?? "inherit");

  let thread: WorkerThread | undefined;
  let starting: Promise<WorkerThread> | undefined;
  let first: readonly unknown[] | undefined;
  let starts = 0;
  let failures = 0;
  let notBefore = 0;
  let inFlight = 0;
  let closed = false;

  const start = async (): Promise<WorkerThread> => {
    starts++;
    const started = startThread({
      start: { module: file, maxDepth, maxMessageBytes, maxPrintedBytes: limits.maxStderrBytes },
      ...{ host, maxMemoryMb, env, startTimeoutMs, graceMs, output: write, holdsProcess: first === undefined },
      // A chain watches its own clock, and tells a timeout from a crash: it goes first.
      timeoutMs: timeoutMs + graceMs,
    });
    thread = started;
    void started.ended.then(() => {
      if (closed) return;
      failures++;
      const pause = failures === 1 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 2), LONGEST_PAUSE_MS);
      notBefore = host.now() + pause;
      // So that the next run finds it ready. What goes wrong is the next run's to tell.
      if (pause === 0 && first !== undefined) current().catch(() => {});
    });
    const listed = cloneJson(await started.ready, maxDepth, maxMessageBytes);
    if (first !== undefined && !equalJson(listed, first)) {
      const changed = new LocalError("refused", `${file} lists other interceptors than at first`);
      started.end(changed);
      throw changed;
    }
    first = listed;
    return started;
  };
  const current = async (): Promise<WorkerThread> => {
    // What is sent to a thread that is stuck would end with it.
    while (thread?.doubt !== undefined) await thread.doubt;
    if (closed) throw new LocalError("closed", `the worker of ${file} is closed`);
    if (thread?.alive === true && starting === undefined) return thread;
    if (starting === undefined) {
      const pause = Math.ceil(notBefore - host.now());
      if (pause > 0) throw new LocalError("closed", `the worker of ${file} has failed ${failures} times in a row, and is not started again for ${pause} ms`);
      starting = start().finally(() => (starting = undefined));
    }
    return starting;
  };

  const run = async (input: HandlerInput): Promise<unknown> => {
    if (inFlight >= limits.maxIncomingRequests) {
      throw new LocalError("limit_exceeded", `more than limits.maxIncomingRequests (${limits.maxIncomingRequests}) runs wait for a worker`);
    }
    inFlight++;
    try {
      const running = await current();
      if (input.signal.aborted) throw input.signal.reason;
      const result = await running.run(paramsOf(input), input.caller, input.signal);
      failures = 0;
      return result;
    } finally {
      inFlight--;
    }
  };

  const close = async () => {
    closed = true;
    thread?.end(new LocalError("closed", `the worker of ${file} was closed`));
    if (thread !== undefined) await endOf(thread, host);
    release();
  };
  try {
    await current();
    const interceptors = (first ?? []).map((descriptor) => standIn(descriptor, timeoutMs, run));
    return Object.freeze({
      interceptors,
      get starts() {
        return starts;
      },
      close,
    });
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

// A thread that is stuck in the system, and not in its own code, cannot be ended: nobody waits for it for long.
function endOf({ ended }: WorkerThread, host: Host): Promise<void> {
  return new Promise((resolve) => {
    const stopTimer = host.setTimer(resolve, CLOSE_PATIENCE_MS);
    void ended.then(() => (stopTimer(), resolve()));
  });
}

function standIn(listed: unknown, budgetMs: number, run: (input: HandlerInput) => Promise<unknown>): Interceptor {
  const problem = descriptorProblem(listed);
  if (problem !== undefined) throw new LocalError("invalid_argument", `the module lists a wrong interceptor: ${problem.path} ${problem.reason}`);
  // Just checked.
  const descriptor = listed as InterceptorDescriptor;
  const { type, name, hooks, version, description, mode, failOpen, priorityHint, compat, configSchema } = descriptor;
  const { timeoutMs = budgetMs, ...extras } = readExtras(descriptor);
  const members = { name, hooks, version, description, mode, failOpen, priorityHint, compat, configSchema, ...extras };
  const present = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  const declaration: Declaration = { ...(present as unknown as Declaration), timeoutMs: Math.min(timeoutMs, budgetMs) };
  return type === "validation"
    ? validator(declaration, (input) => verdictOf(input, run) as Promise<never>)
    : mutator(declaration, (input) => mutationOf(input, run));
}

// What is no result there is none here: nothing at all, which is malformed from either type.
const MALFORMED = undefined;

async function verdictOf(input: HandlerInput, run: (input: HandlerInput) => Promise<unknown>): Promise<unknown> {
  const result = await unlessMalformed(run(input));
  // Read by whoever reads what handlers return: the members are a verdict's.
  return isObject(result) ? result : MALFORMED;
}

async function mutationOf(input: HandlerInput, run: (input: HandlerInput) => Promise<unknown>): Promise<unknown> {
  const result = await unlessMalformed(run(input));
  if (!isObject(result) || typeof result["modified"] !== "boolean") return MALFORMED;
  const { modified, payload, info } = result;
  const options = isObject(info) ? { info } : {};
  if (!modified) return unchanged(options);
  return payload === undefined ? MALFORMED : mutated(payload, options);
}

async function unlessMalformed(result: Promise<unknown>): Promise<unknown> {
  try {
    return await result;
  } catch (thrown) {
    if (thrown instanceof FailedInWorker && thrown.reason === "malformed_result") return MALFORMED;
    throw thrown;
  }
}

function paramsOf({ name, event, phase, payload, config, context }: HandlerInput): InvokeParams {
  const { request, revalidation, ...rest } = context;
  const params: InvokeParams = { name, event, phase, payload, config, context: rest };
  if (request !== undefined || revalidation !== undefined) {
    params._meta = {};
    if (request !== undefined) params._meta[OWN_META.request] = request;
    if (revalidation !== undefined) params._meta[OWN_META.revalidation] = revalidation;
  }
  return params;
}

function outputOf(output: NonNullable<WorkerInterceptorOptions["output"]>): { write(chunk: Uint8Array): void; release(): void } {
  if (output === "ignore") return { write: () => {}, release: () => {} };
  if (output === "inherit") return forwardToStderr();
  return {
    write(chunk) {
      try {
        output(chunk);
      } catch {
        // A log's fault is no reason to lose the worker.
      }
    },
    release: () => {},
  };
}
