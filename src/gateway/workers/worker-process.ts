import cluster from "node:cluster";
import type { Host } from "../../core/base/host.ts";
import { isFromWorker, type FromWorker, type Served, type ToWorker } from "./messages.ts";
import type { WorkerPlace } from "./place.ts";

type Question = Omit<Extract<ToWorker, { readonly kind: "reload" }>, "id"> | Omit<Extract<ToWorker, { readonly kind: "metrics" }>, "id">;
type Answer = Extract<FromWorker, { readonly id: number }>;

/** How a worker has ended. */
export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** One worker, from its fork to its end. */
export interface WorkerProcess {
  readonly slot: number;
  /** Settles once it serves; never where it ends before. */
  readonly ready: Promise<Served>;
  readonly ended: Promise<WorkerEnd>;
  readonly serves: boolean;
  /** `undefined` where it ends, or takes longer than `ms`. */
  ask(question: Question, ms: number): Promise<Answer | undefined>;
  send(message: ToWorker): void;
  kill(): void;
}

/** Forks a worker: this same program with the same words, which finds by `cluster.isWorker` what it is. */
export function forkWorker(place: WorkerPlace, text: string | undefined, host: Host): WorkerProcess {
  const worker = cluster.fork();
  const waiting = new Map<number, (answer: Answer | undefined) => void>();
  let lastId = 0;
  let serves = false;
  let settleReady!: (served: Served) => void;
  const ready = new Promise<Served>((resolve) => (settleReady = resolve));
  const ended = new Promise<WorkerEnd>((resolve) => {
    worker.once("exit", (code: number | null, signal: string | null) => resolve({ code, signal }));
    // It could not even be forked.
    worker.once("error", () => resolve({ code: 1, signal: null }));
  });
  void ended.then(() => {
    serves = false;
    for (const settle of waiting.values()) settle(undefined);
  });
  worker.on("message", (message: unknown) => {
    if (!isFromWorker(message)) return;
    if (message.kind === "hello") send({ kind: "start", place, ...(text === undefined ? {} : { text }) });
    else if (message.kind === "ready") {
      serves = true;
      settleReady(message);
    } else waiting.get(message.id)?.(message);
  });
  const send = (message: ToWorker) => {
    // One that has ended meanwhile says so itself.
    if (worker.isConnected()) worker.send(message, () => {});
  };
  return {
    slot: place.slot,
    ready,
    ended,
    get serves() {
      return serves;
    },
    ask(question, ms) {
      const id = ++lastId;
      return new Promise((resolve) => {
        const settle = (answer: Answer | undefined) => {
          waiting.delete(id);
          cancel();
          resolve(answer);
        };
        const cancel = host.setTimer(() => settle(undefined), ms);
        waiting.set(id, settle);
        if (worker.isDead()) settle(undefined);
        else send({ ...question, id });
      });
    },
    send,
    kill: () => void worker.process.kill("SIGKILL"),
  };
}
