import { DONE } from "../transport/inbox.ts";
import type { RequestId } from "../wire/message.ts";

/** What is sent without an answer, in order within each lane; a lane is the request of the peer that it belongs to, or none. */
export interface SendLanes {
  /**
   * Runs the job after those before it in its lane, within the call if there are none; jobs never reject. Settles at once while the lane holds no more than the limit, else when the
   * job's turn has come.
   */
  run(lane: RequestId | undefined, bytes: number, job: () => Promise<void>): Promise<void>;
}

export function createSendLanes(maxQueuedBytes: number): SendLanes {
  const lanes = new Map<RequestId | undefined, { tail: Promise<void>; bytes: number }>();
  return {
    run(key, bytes, job) {
      const waiting = lanes.get(key);
      const lane = waiting ?? { tail: DONE, bytes: 0 };
      lanes.set(key, lane);
      const turn = lane.tail;
      const full = lane.bytes > 0 && lane.bytes + bytes > maxQueuedBytes;
      lane.bytes += bytes;
      lane.tail = (waiting === undefined ? job() : turn.then(job)).finally(() => {
        lane.bytes -= bytes;
        if (lane.bytes === 0 && lanes.get(key) === lane) lanes.delete(key);
      });
      return full ? turn : DONE;
    },
  };
}
