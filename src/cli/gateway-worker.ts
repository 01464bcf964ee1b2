import cluster from "node:cluster";
import { rmdir } from "node:fs/promises";
import { Socket } from "node:net";
import { LocalError } from "../core/base/errors.ts";
import { createSignal } from "../core/base/signal.ts";
import type { ReloadOutcome } from "../gateway/config/reload.ts";
import { startGateway, type ConfiguredGateway, type StartOptions } from "../gateway/config/start.ts";
import { createIntake, type WorkerIntake } from "../gateway/workers/intake.ts";
import { isToWorker, type FromWorker, type Served, type ToWorker } from "../gateway/workers/messages.ts";
import { describeServing } from "./describe-serving.ts";
import type { Exit } from "./exit.ts";
import { onCrash } from "./gateway-run.ts";
import { ENDING_SIGNALS, exitBy } from "./signals.ts";
import { startWatchdog } from "./watchdog.ts";

const PARENT = process.ppid;
// Who is told to end while it starts has owed nobody anything.
const ENDED = Promise.resolve<Exit>({ code: 0 });

/** Serves as one of several workers, as the primary process says over the channel to it, and up to its word or its end. */
export async function runWorker(options: Pick<StartOptions, "file" | "log" | "chainLog" | "verbose">): Promise<Exit> {
  const stop = createSignal();
  let running: ConfiguredGateway | undefined;
  let text: string | undefined;
  let intake: WorkerIntake | undefined;
  const outcomes: ReloadOutcome[] = [];
  let forced!: (how: Exit) => void;
  const atOnce = new Promise<Exit>((resolve) => (forced = resolve));
  let begin!: (message: Extract<ToWorker, { kind: "start" }>) => void;
  const begun = new Promise<Extract<ToWorker, { kind: "start" }>>((resolve) => (begin = resolve));

  const end = () => {
    stop.abort(new LocalError("aborted", "the gateway is about to end"));
    void running?.close();
  };
  const reload = async (id: number) => {
    outcomes.length = 0;
    await running?.reload();
    const outcome = outcomes.at(-1);
    if (outcome === undefined) say({ kind: "reloaded", id, error: "the gateway is about to end" });
    else say({ kind: "reloaded", id, ...(outcome.built === undefined ? { error: outcome.error } : { served: servedBy(running) }) });
  };
  const onMessage = (message: unknown, handle: unknown) => {
    if (!isToWorker(message)) return;
    switch (message.kind) {
      case "start":
        return begin(message);
      case "reload":
        ({ text } = message);
        return void reload(message.id);
      case "metrics": {
        const snapshot = running?.snapshot();
        return say({ kind: "counted", id: message.id, ...(snapshot === undefined ? {} : { snapshot }) });
      }
      case "health":
        return say({ kind: "health", id: message.id, unready: running?.unready() ?? ["starting"] });
      case "connection":
        return intake?.offer(message.id, handle instanceof Socket ? handle : undefined, message.until);
      case "end":
        return end();
      case "force":
        forced(exitBy(message.signal));
        return end();
    }
  };
  // A terminal, or whoever manages services, may signal the whole group: it is the primary that says what follows from it.
  for (const signal of ENDING_SIGNALS) process.on(signal, () => {});
  // Node would exit here and now when the primary is gone, and leave calls without an answer and servers without an end.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
  process.on("disconnect", end).on("message", onMessage);
  // Should an interceptor never give the thread back.
  const release = startWatchdog(PARENT);
  const crash = onCrash(options.verbose === true, end);
  say({ kind: "hello" });
  const first = await Promise.race([begun, new Promise<undefined>((resolve) => stop.signal.onAbort(() => resolve(undefined)))]);
  if (first === undefined) return await Promise.race([atOnce, crash.over(ENDED)]);
  const { place } = first;
  intake = createIntake(first.port, say);
  ({ text } = first);
  try {
    running = await startGateway({ ...options, worker: { ...place, intake }, text: () => text, watch: false, signal: stop.signal, reloaded: (outcome) => outcomes.push(outcome) });
    if (stop.signal.aborted) await running.close();
    else say({ kind: "ready", ...servedBy(running) });
    const started = running;
    const ended = running.gateway.done.then(async (): Promise<Exit> => {
      await started.close();
      return { code: 0 };
    });
    return await Promise.race([atOnce, crash.over(ended)]);
  } catch (thrown) {
    if (stop.signal.aborted) return await Promise.race([atOnce, crash.over(ENDED)]);
    throw thrown;
  } finally {
    crash.release();
    release();
    // Without a primary it is the last worker that clears up.
    if (!process.connected) await rmdir(place.folder).catch(() => {});
  }
}

function say(message: FromWorker): void {
  // Nobody hears it where the primary is gone, and that is told by itself.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

function servedBy(running: ConfiguredGateway | undefined): Served {
  if (running === undefined) return { serving: "", warnings: [], files: [] };
  const { built } = running;
  return { serving: describeServing(running, undefined), warnings: built.warnings, files: built.files };
}
