import { createServer, type AddressInfo, type Socket } from "node:net";
import type { Host } from "../../core/base/host.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** The port of all workers: it stays the same one, and open, whoever of them lives. */
export interface PortForAll {
  readonly port: number;
  /** From now on this worker gets its share, until it takes none any more. */
  join(worker: WorkerProcess): void;
  /** How many workers have left a connection lying for so long that its client was cut off. */
  readonly stuck: number;
  /** The workers end: it closes once none of them takes connections any more. */
  retire(): void;
  /** Nothing new is taken, and what no worker has taken is cut off. */
  close(): void;
}

/** A worker that does not take a connection in this time is stuck: until it does, it gets no other. */
export const TAKE_MS = 5_000;
// While no worker is free; one that is started again takes about a second.
const WAIT_MS = 10_000;
const MAX_WAITING = 4_096;

interface Waiting {
  readonly socket: Socket;
  /** Ends the wait for a worker. */
  readonly cancel: () => void;
}

export interface PortOptions {
  readonly host: Host;
  /** 0 takes any free one. */
  readonly port: number;
  readonly address?: string;
}

/**
 * Listens for all workers, and gives each connection to the one whose turn it is, one at a time: who has not taken the last one is passed over. A connection belongs to the
 * primary until a worker says that it has it; one that a worker did not live to take goes to another. Rejects with what Node says where it cannot listen.
 */
export async function listenForWorkers({ host, port, address = "127.0.0.1" }: PortOptions): Promise<PortForAll> {
  const waiting = new Set<Waiting>();
  /** In the order of their turns. */
  const free = new Set<WorkerProcess>();
  const stuck = new Set<WorkerProcess>();
  /** Those that take connections, now or in a while. */
  const joined = new Set<WorkerProcess>();
  let retired = false;
  let closed = false;

  const wait = (socket: Socket) => {
    if (closed) return void socket.destroy();
    const cancel = host.setTimer(() => {
      waiting.delete(one);
      socket.destroy();
    }, WAIT_MS);
    const one = { socket, cancel };
    waiting.add(one);
    next();
  };
  const next = () => {
    const [one] = waiting;
    const [worker] = free;
    if (one === undefined || worker === undefined) return;
    waiting.delete(one);
    free.delete(worker);
    one.cancel();
    void give(worker, one.socket);
  };
  const give = async (worker: WorkerProcess, socket: Socket) => {
    let cut = false;
    const cancel = host.setTimer(() => {
      cut = true;
      stuck.add(worker);
      // Closed for the worker too, which may hold it already.
      socket.end();
    }, TAKE_MS);
    const taken = await worker.give(socket, TAKE_MS);
    cancel();
    stuck.delete(worker);
    if (taken && joined.has(worker)) free.add(worker);
    // Of a connection that a worker has, this closes what the primary has of it.
    if (taken || cut) socket.destroy();
    else wait(socket);
    next();
  };

  const close = () => {
    if (closed) return;
    closed = true;
    server.close();
    for (const { socket, cancel } of waiting) {
      cancel();
      socket.destroy();
    }
    waiting.clear();
  };

  // Nothing is read here.
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    wait(socket);
  });
  server.maxConnections = MAX_WAITING;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: address }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  // Such as too many open files: the listener lives on.
  server.on("error", () => {});
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port
    join(worker) {
      joined.add(worker);
      free.add(worker);
      void worker.shut.then(() => {
        joined.delete(worker);
        free.delete(worker);
        if (retired && joined.size === 0) close();
      });
      next();
    },
    get stuck() {
      return stuck.size;
    },
    retire() {
      retired = true;
      if (joined.size === 0) close();
    },
    close,
  };
}
