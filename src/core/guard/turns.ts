import { BriefMap } from "../base/brief-map.ts";
import { describeError, ErrorCode, LocalError } from "../base/errors.ts";
import type { Direction } from "../chain/plan.ts";
import type { PeerContext } from "../transport/transport.ts";
import { errorFrame, type Frame } from "../wire/frame.ts";
import { isRequest, type Message, type RequestId } from "../wire/message.ts";
import { createLane, type FrameKind, type Lane } from "./lane.ts";
import type { Exchange, Initiator } from "./ledger.ts";

/** Where the frames of one direction go. */
export interface Sinks {
  readonly direction: Direction;
  /** Who sends the requests that travel this way. */
  readonly initiator: Initiator;
  /** Sends a frame on its way. Settles when it is accepted. */
  forward(frame: Frame, at: Waypoint): Promise<void> | void;
  /** Sends a frame back to where `at` came from: the answer to a request that does not go on. */
  reply(frame: Frame, related: RequestId, at: Waypoint): Promise<void> | void;
}

/** What came with a frame: its lane, and for arrivals who sent it. `origin` is the arrival or the route itself. */
export interface Waypoint {
  readonly related: RequestId | undefined;
  readonly from: PeerContext | undefined;
  readonly origin: unknown;
  /** The transport made the frame up itself; there is nothing in it to judge. */
  readonly synthetic: boolean;
}

/** What becomes of a frame: either it goes on, or a reply goes back, or neither, and it vanishes. */
export interface Outcome {
  readonly go?: Frame;
  /** Of a request that goes on: it opens as it leaves the line, and does not leave where it has ended by then. */
  readonly exchange?: Exchange;
  readonly reply?: Frame;
}
export const DROP: Outcome = {};

/** Sees to it that frames are judged side by side and go on in their turn, each lane by itself. */
interface Turns {
  /** Whether so many frames are in line that one more, which would have to be held, is one too many: it is to be refused. */
  full(at: Waypoint, concerned: boolean): boolean;
  /**
   * Lets the outcome happen when it is known and the frame's turn has come; at once for an outcome that is known, unless its lane holds
   * something. An outcome that rejects is a drop. Settles and rejects as the sink does. Where the line is full, what is not judged and what is
   * refused overtakes it, so that nothing grows.
   */
  take(kind: FrameKind, message: Message, at: Waypoint, outcome: Outcome | Promise<Outcome>): Promise<void> | void;
}

/** Frames that are judged side by side go on in their turn, each lane by itself. */
export function createTurns(sinks: Sinks, maxHeld: number, warn: (message: string) => void): Turns {
  // Lanes that hold something, by the request that they belong to.
  const lanes = new BriefMap<RequestId | undefined, Lane>();
  // Frames in line, in all lanes.
  let held = 0;

  const deliver = (outcome: Outcome, message: Message, at: Waypoint): Promise<void> | void => {
    if (outcome.go !== undefined) {
      const { exchange } = outcome;
      if (exchange?.state === "ended") return;
      if (exchange !== undefined) exchange.state = "open";
      const sent = sinks.forward(outcome.go, at);
      return sent === undefined || "method" in message ? sent : sent.catch((thrown: unknown) => instead(message.id ?? undefined, at, thrown));
    }
    if (outcome.reply === undefined || !isRequest(message)) return;
    const { id } = message;
    return sinks.reply(outcome.reply, id, at)?.catch((thrown: unknown) => sinks.reply(unsendable(id, thrown), id, at));
  };

  const unsendable = (id: RequestId, thrown: unknown): Frame => {
    if (thrown instanceof LocalError && thrown.code === "closed") throw thrown;
    warn(`the answer to ${JSON.stringify(id)} could not be sent, an error takes its place: ${describeError(thrown)}`);
    const reason = thrown instanceof LocalError ? thrown.code : "failed";
    return errorFrame(id, { code: ErrorCode.internalError, message: "The answer could not be sent", data: { reason } });
  };

  // The exchange of an answer is over, so an error that its sender sent in its place would answer nothing that is known here.
  const instead = (id: RequestId | undefined, at: Waypoint, thrown: unknown): Promise<void> | void => {
    if (id === undefined) throw thrown;
    return sinks.forward(unsendable(id, thrown), at);
  };

  return {
    full: (at, concerned) => held >= maxHeld && (concerned || lanes.has(at.related)),
    take(kind, message, at, outcome) {
      const waiting = lanes.get(at.related);
      if (waiting === undefined && !(outcome instanceof Promise)) return deliver(outcome, message, at);
      if (held >= maxHeld) return Promise.resolve(outcome).then((settled) => deliver(settled, message, at), () => {});
      const lane = waiting ?? createLane();
      lanes.set(at.related, lane);
      const place = lane.enter(kind);
      held++;
      return new Promise<void>((resolve, reject) => {
        const release = (settled: Outcome) =>
          place.release(() => {
            held--;
            if (lane.isEmpty() && lanes.get(at.related) === lane) lanes.delete(at.related);
            // Started here, in order; the next frame does not wait until this one is accepted. A sink that throws fails this frame alone.
            try {
              Promise.resolve(deliver(settled, message, at)).then(resolve, reject);
            } catch (thrown) {
              reject(thrown);
            }
          });
        if (outcome instanceof Promise) outcome.then(release, () => release(DROP));
        else release(outcome);
      });
    },
  };
}
