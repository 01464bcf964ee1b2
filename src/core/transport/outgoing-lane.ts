import { describeError, type LocalError } from "../base/errors.ts";
import { DONE } from "./inbox.ts";
import { closedError } from "./transport-errors.ts";

/** The sending half of a byte transport: hands over in order, under a limit of bytes that are not written yet. */
interface OutgoingLane {
  /**
   * Settles once the bytes are within the limit; they are written in the order of the calls. A single message above the limit is
   * accepted when nothing else waits. Rejects with `closed` when the lane ends first.
   */
  send(bytes: Uint8Array): Promise<void>;
  /** Nothing more is accepted: every send, waiting ones included, rejects. What was accepted is still written. */
  end(): void;
  /** Settles when everything accepted is written, or nothing more can be. */
  flushed(): Promise<void>;
}

/** `write` settles when the bytes are handed over and may be called again before that; it rejects where the peer is gone. */
export function createOutgoingLane(write: (bytes: Uint8Array) => Promise<void>, maxQueuedBytes: number): OutgoingLane {
  let queuedBytes = 0;
  let waiting: { bytes: Uint8Array; resolve(): void; reject(error: LocalError): void }[] = [];
  let flushes: (() => void)[] = [];
  let ended: LocalError | undefined;
  let broken = false;

  const fits = (bytes: Uint8Array) => queuedBytes === 0 || queuedBytes + bytes.length <= maxQueuedBytes;

  const end = (error: LocalError) => {
    if (ended !== undefined) return;
    ended = error;
    const refused = waiting;
    waiting = [];
    for (const sender of refused) sender.reject(error);
  };

  const settleFlushes = () => {
    const settled = flushes;
    flushes = [];
    for (const settle of settled) settle();
  };

  const handOver = (bytes: Uint8Array) => {
    queuedBytes += bytes.length;
    write(bytes).then(
      () => {
        queuedBytes -= bytes.length;
        while (waiting[0] !== undefined && fits(waiting[0].bytes)) {
          const next = waiting.shift()!;
          handOver(next.bytes);
          next.resolve();
        }
        if (queuedBytes === 0) settleFlushes();
      },
      (thrown: unknown) => {
        broken = true;
        end(closedError(`the peer no longer reads: ${describeError(thrown)}`, thrown));
        settleFlushes();
      },
    );
  };

  return {
    send(bytes) {
      if (ended !== undefined) return Promise.reject(ended);
      if (waiting.length === 0 && fits(bytes)) {
        handOver(bytes);
        return DONE;
      }
      return new Promise((resolve, reject) => waiting.push({ bytes, resolve, reject }));
    },
    end: () => end(closedError()),
    flushed: () => (broken || queuedBytes === 0 ? DONE : new Promise((resolve) => flushes.push(resolve))),
  };
}
