import cluster from "node:cluster";
import type { Socket } from "node:net";
import type { Host } from "../../core/base/host.ts";
import { isFromWorker, type FromWorker, type Served, type ToWorker } from "./messages.ts";
import type { WorkerPlace } from "./place.ts";

type Question = Omit<Extract<ToWorker, { readonly kind: "reload" }>, "id"> | Omit<Extract<ToWorker, { readonly kind: "metrics" | "health" }>, "id">;
type Answer = Extract<FromWorker, { readonly kind: "reloaded" | "counted" | "health" }>;

// Until what a process has said is heard, once it has ended.
const HEARD_MS = 20;

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
  /** Settles once it takes no connection any more. */
  readonly shut: Promise<void>;
  /** `undefined` where it ends, or takes longer than `ms`. */
  ask(question: Question, ms: number): Promise<Answer | undefined>;
  send(message: ToWorker): void;
  /** Whether it takes the connection, in this or a later moment; false once it cannot any more, and has read nothing of it. Later than in `ms` it drops what it takes. The socket stays open here. */
  give(socket: Socket, ms: number): Promise<boolean>;
  kill(): void;
}

export interface ForkOptions {
  readonly place: WorkerPlace;
  /** That of all workers. */
  readonly port: number;
  /** Of the configuration; `undefined` of a module. */
  readonly text: string | undefined;
  readonly host: Host;
}

/** Forks a worker: this same program with the same words, which finds by `cluster.isWorker` what it is. */
export function forkWorker({ place, port, text, host }: ForkOptions): WorkerProcess {
  const worker = cluster.fork();
  const waiting = new Map<number, (answer: Answer | undefined) => void>();
  const given = new Map<number, (taken: boolean) => void>();
  let lastId = 0;
  let serves = false;
  let listens = false;
  // Its end, where that was asked for before it listens.
  let ends: ToWorker | undefined;
  let settleShut!: () => void;
  const shut = new Promise<void>((resolve) => (settleShut = resolve));
  let settleReady!: (served: Served) => void;
  const ready = new Promise<Served>((resolve) => (settleReady = resolve));
  const ended = new Promise<WorkerEnd>((resolve) => {
    worker.once("exit", (code: number | null, signal: string | null) => resolve({ code, signal }));
    // It could not even be forked.
    worker.once("error", () => resolve({ code: 1, signal: null }));
  });
  void ended.then(() => {
    serves = false;
    settleShut();
    for (const settle of waiting.values()) settle(undefined);
  });
  // All that it has said has been heard once the channel has closed, of which Node tells nothing while a socket is on its way.
  const lost = () => {
    if (worker.isConnected()) host.setTimer(lost, HEARD_MS);
    else for (const settle of given.values()) settle(false);
  };
  worker.once("disconnect", lost).once("exit", lost);
  worker.on("message", (message: unknown) => {
    if (!isFromWorker(message)) return;
    if (message.kind === "hello") {
      listens = true;
      send(ends ?? { kind: "start", place, port, ...(text === undefined ? {} : { text }) });
    } else if (message.kind === "ready") {
      serves = true;
      settleReady(message);
    } else if (message.kind === "shut") settleShut();
    else if (message.kind === "took") given.get(message.id)?.(message.taken);
    else waiting.get(message.id)?.(message);
  });
  const send = (message: ToWorker) => {
    if (!listens && (message.kind === "end" || message.kind === "force")) ends = message;
    // One that has ended meanwhile says so itself.
    if (worker.isConnected()) worker.send(message, () => {});
  };
  return {
    slot: place.slot,
    ready,
    ended,
    shut,
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
    give(socket, ms) {
      if (!worker.isConnected()) return Promise.resolve(false);
      const id = ++lastId;
      return new Promise((resolve) => {
        const message: ToWorker = { kind: "connection", id, until: host.wallTime() + ms };
        // Without the socket: it does not arrive at one that has no descriptor left for it, and nobody says so.
        const cancel = host.setTimer(() => send(message), ms);
        const settle = (taken: boolean) => {
          given.delete(id);
          cancel();
          resolve(taken);
        };
        given.set(id, settle);
        worker.send(message, socket, { keepOpen: true }, (error) => {
          if (error !== null) settle(false);
        });
      });
    },
    kill: () => void worker.process.kill("SIGKILL"),
  };
}
