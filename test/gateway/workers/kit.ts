import type { Served } from "../../../src/gateway/workers/messages.ts";
import type { WorkerEnd, WorkerProcess } from "../../../src/gateway/workers/worker-process.ts";
import type { ToWorker } from "../../../src/gateway/workers/messages.ts";

type Answers = (text: string | undefined) => { readonly served?: Served; readonly error?: string } | undefined;

export interface FakeWorker extends WorkerProcess {
  readonly sent: readonly ToWorker[];
  killed: boolean;
  /** The texts that it was asked to take in. */
  readonly texts: readonly (string | undefined)[];
  serve(): void;
  end(how?: Partial<WorkerEnd>): void;
}

export const SERVED: Served = { serving: "up", warnings: [], files: ["a"] };

/** A worker without a process; `take` says what becomes of a reload. */
export function fakeWorker(slot: number, take: Answers = () => ({ served: SERVED })): FakeWorker {
  const sent: ToWorker[] = [];
  const texts: (string | undefined)[] = [];
  let settleReady!: (served: Served) => void;
  let settleEnd!: (how: WorkerEnd) => void;
  const worker: FakeWorker & { serves: boolean } = {
    slot,
    sent,
    texts,
    killed: false,
    serves: false,
    shut: new Promise(() => {}),
    ready: new Promise((resolve) => (settleReady = resolve)),
    ended: new Promise((resolve) => (settleEnd = resolve)),
    send: (message) => void sent.push(message),
    give: () => Promise.resolve(true),
    kill() {
      worker.killed = true;
      worker.end({ code: null, signal: "SIGKILL" });
    },
    ask(question) {
      if (question.kind !== "reload") return Promise.resolve(undefined);
      texts.push(question.text);
      const answer = take(question.text);
      return Promise.resolve(answer === undefined ? undefined : { kind: "reloaded", id: 1, ...answer });
    },
    serve() {
      worker.serves = true;
      settleReady(SERVED);
    },
    end(how = {}) {
      worker.serves = false;
      settleEnd({ code: 0, signal: null, ...how });
    },
  };
  return worker;
}
