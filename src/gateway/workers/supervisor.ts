import type { Host } from "../../core/base/host.ts";
import { createBackOff } from "../back-off.ts";
import type { Served } from "./messages.ts";
import type { WorkerEnd, WorkerProcess } from "./worker-process.ts";

export interface SupervisorOptions {
  readonly count: number;
  readonly host: Host;
  fork(slot: number): WorkerProcess;
  /** How long a worker may take to serve; then it is killed, and has failed. */
  readonly startMs: number;
  tell(level: "info" | "error", text: string): void;
  /** Told of each worker that serves. */
  serves(worker: WorkerProcess): void;
  /** Told of each end of one, whatever its reason. */
  ended(worker: WorkerProcess): void;
}

/** Keeps workers running. */
export interface Supervisor {
  /** Starts all, the first one alone: what keeps it from starting is told once. Settles with what that one serves, or how one has failed, and then nothing is left of them. */
  start(): Promise<Served | WorkerEnd>;
  /** By number. */
  readonly serving: readonly WorkerProcess[];
  /** Has workers answer what they owe and end, whatever state they are in; those that have not within `ms` are killed. None is started any more. */
  end(ms: number): void;
  /** Ends them as a signal does, at once. */
  force(signal: NodeJS.Signals): void;
  /** Settles when all have ended for good: 0, or 1 where one did not end in order, or workers could not be kept running. */
  readonly done: Promise<number>;
}

// Who has served so long did not die of its start.
const STABLE_MS = 10_000;
// Starts in a row that fail while nobody serves.
const MAX_FAILED_STARTS = 5;
const FORCE_MS = 1_000;

export function createSupervisor({ count, host, fork, startMs, tell, serves, ended }: SupervisorOptions): Supervisor {
  const live = new Set<WorkerProcess>();
  const serving = () => [...live].filter((worker) => worker.serves).sort((left, right) => left.slot - right.slot);
  /** Ends the waits between starts. */
  const waits = new Set<() => void>();
  let ending = false;
  let failedStarts = 0;
  let code = 0;
  let finish!: (code: number) => void;
  const done = new Promise<number>((resolve) => (finish = resolve));

  /** Settles when it serves or has ended. */
  const begin = async (slot: number): Promise<{ readonly worker: WorkerProcess; readonly served?: Served; readonly end?: WorkerEnd }> => {
    const worker = fork(slot);
    live.add(worker);
    const end = worker.ended.then((how) => {
      live.delete(worker);
      ended(worker);
      if (!ending) return how;
      if (how.code !== 0) code = 1;
      if (live.size === 0) finish(code);
      return how;
    });
    const cancel = host.setTimer(() => {
      tell("error", `worker ${slot} was not ready within ${startMs} ms, which is all that its start may take`);
      worker.kill();
    }, startMs);
    const begun = await Promise.race([worker.ready.then((served) => ({ worker, served })), end.then((how) => ({ worker, end: how }))]);
    cancel();
    if (!("served" in begun)) return begun;
    serves(worker);
    return begun;
  };

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const over = () => {
        waits.delete(over);
        cancel();
        resolve();
      };
      const cancel = host.setTimer(over, ms);
      waits.add(over);
    });

  /** Starts it again whenever it has ended, until all end. */
  const keep = async (first: WorkerProcess): Promise<void> => {
    const { slot } = first;
    const backOff = createBackOff(host);
    let worker: WorkerProcess | undefined = first;
    for (;;) {
      const since = host.now();
      const how = worker === undefined ? undefined : await worker.ended;
      if (ending) return;
      if (how !== undefined) tell("error", `worker ${slot} has ended (${describeEnd(how)}): its sessions are lost, and it is started again`);
      if (worker !== undefined && host.now() - since >= STABLE_MS) backOff.succeeded();
      backOff.failed();
      if (backOff.waitMs > 0) await pause(backOff.waitMs);
      if (ending) return;
      const begun = await begin(slot);
      worker = begun.end === undefined ? begun.worker : undefined;
      if (worker !== undefined) {
        failedStarts = 0;
        continue;
      }
      if (ending) return;
      failedStarts++;
      const left = serving().length;
      tell("error", `worker ${slot} could not be started (${describeEnd(begun.end)}); ${left} of ${count} serve`);
      if (left > 0 || failedStarts < MAX_FAILED_STARTS) continue;
      tell("error", `no worker serves, and ${failedStarts} starts in a row have failed: the gateway ends`);
      code = 1;
      return end(FORCE_MS);
    }
  };

  const end = (ms: number) => {
    ending = true;
    for (const over of waits) over();
    for (const worker of live) {
      worker.send({ kind: "end" });
      host.setTimer(() => worker.kill(), ms, true);
    }
    if (live.size === 0) finish(code);
  };

  return {
    async start() {
      if (ending) return { code: 1, signal: null };
      const first = await begin(1);
      const others = first.served === undefined || ending ? [] : await Promise.all(Array.from({ length: count - 1 }, (_, index) => begin(index + 2)));
      const all = [first, ...others];
      const failed = all.find((begun) => begun.end !== undefined);
      if (failed?.end !== undefined || first.served === undefined || ending) {
        end(FORCE_MS);
        await done;
        return failed?.end ?? { code: 1, signal: null };
      }
      for (const { worker } of all) void keep(worker);
      return first.served;
    },
    get serving() {
      return serving();
    },
    end,
    force(signal) {
      ending = true;
      for (const worker of live) worker.send({ kind: "force", signal });
      end(FORCE_MS);
    },
    done,
  };
}

function describeEnd(end: WorkerEnd | undefined): string {
  if (end?.signal != null) return end.signal;
  return `exit code ${end?.code ?? "unknown"}`;
}
