import { describeError } from "../../core/base/errors.ts";
import type { Host } from "../../core/base/host.ts";
import { coalesced } from "../config/coalesced.ts";
import { loadConfig } from "../config/load.ts";
import { inTimeOf } from "../config/timed-signal.ts";
import type { Served } from "./messages.ts";
import type { Supervisor } from "./supervisor.ts";
import type { WorkerProcess } from "./worker-process.ts";

export interface ClusterReloadOptions {
  readonly file: string;
  /** Of the configuration that all run on; `undefined` of a module. */
  readonly text: string | undefined;
  readonly supervisor: Pick<Supervisor, "serving">;
  readonly host: Host;
  /** Told of a worker that cannot follow the others. */
  tell(level: "error", text: string): void;
  /** Called for each reload that was tried. */
  told(outcome: ClusterOutcome): void;
}

/** What all workers run on now, or why they go on as they were. */
export type ClusterOutcome = { readonly served: Served; readonly error?: undefined } | { readonly served?: undefined; readonly error: string };

/** From one configuration to the next, in all workers. */
export interface ClusterReload {
  /** One at a time; asked again meanwhile, it does so once more. Never throws. */
  run(): void;
  /** The text that a new worker begins with: that which the others run on, whatever is in the file by now. */
  fork(slot: number): string | undefined;
  /** Brings a worker that has begun with an earlier text up to the others. */
  catchUp(worker: WorkerProcess): void;
}

// A worker gives up on its own after 60 s.
const RELOAD_MS = 70_000;

export function createClusterReload({ file, text: first, supervisor, host, tell, told }: ClusterReloadOptions): ClusterReload {
  let text = first;
  /** Counts what was taken in. */
  let version = 0;
  /** By number of the worker, what it has. Who is not there has begun with the first one. */
  const versions = new Map<number, number>();

  const bring = async (worker: WorkerProcess, what: string | undefined): Promise<{ readonly served?: Served; readonly error?: string }> => {
    const answer = await worker.ask({ kind: "reload", ...(what === undefined ? {} : { text: what }) }, RELOAD_MS);
    if (answer?.kind !== "reloaded") return { error: `worker ${worker.slot}, which was to take it in first, has ended or did not answer` };
    return answer;
  };

  /** No worker stays with what the others have left behind: one that cannot follow is started anew. */
  const follow = async (worker: WorkerProcess): Promise<void> => {
    const target = version;
    if ((versions.get(worker.slot) ?? 0) === target) return;
    const { served } = await bring(worker, text);
    if (served !== undefined) versions.set(worker.slot, target);
    else if (worker.serves) {
      tell("error", `worker ${worker.slot} could not take the new configuration in, and is started anew with it`);
      worker.send({ kind: "end" });
    }
  };

  const reloadOnce = async () => {
    let next: string | undefined;
    try {
      ({ text: next } = await inTimeOf(host, RELOAD_MS, `${file} could not be read within ${RELOAD_MS} ms`, (signal) => loadConfig(file, { signal })));
    } catch (thrown) {
      return told({ error: describeError(thrown) });
    }
    const [one] = supervisor.serving;
    if (one === undefined) return told({ error: "no worker serves that could try it" });
    const { served, error } = await bring(one, next);
    if (served === undefined) return told({ error: error ?? "the worker that tried it does not say why" });
    text = next;
    version++;
    versions.set(one.slot, version);
    await Promise.all(supervisor.serving.map(follow));
    told({ served });
  };

  const reloads = coalesced(reloadOnce);

  return {
    run() {
      void reloads.ask();
    },
    fork(slot) {
      versions.set(slot, version);
      return text;
    },
    catchUp: (worker) => void follow(worker),
  };
}
