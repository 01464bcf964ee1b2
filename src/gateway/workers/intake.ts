import type { Socket } from "node:net";
import type { Intake } from "../../node/http-handler.ts";
import type { FromWorker } from "./messages.ts";

/** A worker's side of the port that the primary listens on. */
export interface WorkerIntake extends Intake {
  /** A connection that the primary gives; `undefined` where it has ended on its way. `until` is in milliseconds of wall time: later its client has been cut off. */
  offer(id: number, socket: Socket | undefined, until: number): void;
}

/** Answers each offer by `say`, before anything is read: what is not taken stays the primary's, which gives it to another worker. */
export function createIntake(port: number, say: (message: FromWorker) => void): WorkerIntake {
  let take: ((socket: Socket) => void) | undefined;
  return {
    port,
    open: (to) => void (take = to),
    close() {
      take = undefined;
      say({ kind: "shut" });
    },
    offer(id, socket, until) {
      say({ kind: "took", id, taken: take !== undefined });
      if (take === undefined || Date.now() > until) socket?.destroy();
      else if (socket !== undefined) take(socket);
    },
  };
}
