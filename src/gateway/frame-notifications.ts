import { BriefMap } from "../core/base/brief-map.ts";
import type { Limits } from "../core/base/limits.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import type { Frame } from "../core/wire/frame.ts";
import type { NotificationMessage, RequestId } from "../core/wire/message.ts";
import { edited } from "./frame-text.ts";

/**
 * Notifications on their way to one peer, in order within each lane. What a peer does not take waits, in a bounded number: of what says the same of the same (a
 * list that has changed, a resource, a call's progress) the latest alone. Beyond `maxQueuedFrames`, or `maxStreamChars` characters, what comes is dropped, but
 * for changes of lists.
 */
export interface FrameNotifications {
  /** Never rejects, never waits. */
  notify(message: NotificationMessage, source?: Frame, related?: RequestId): void;
  /** Sends what waits in a lane, as something follows it that may not be overtaken. */
  flush(related: RequestId | undefined): void;
  /** Forgets what waits. */
  clear(): void;
}

export interface FrameNotificationsParts {
  readonly limits: Limits;
  readonly log: Log;
  /** Settles once the frame is taken. */
  send(frame: Frame, related: RequestId | undefined): Promise<void>;
}

interface Waiting {
  readonly frame: Frame;
  readonly chars: number;
}

interface Lane {
  /** Sent, and not taken yet. */
  sending: number;
  /** By what they say, or by themselves. */
  readonly waiting: Map<unknown, Waiting>;
}

/** So many of a lane may be on their way, through a guard perhaps. */
const WINDOW = 32;
const LIST_CHANGED = /^notifications\/(?:tools|prompts|resources|roots)\/list_changed$/;

export function createFrameNotifications({ limits, log, send }: FrameNotificationsParts): FrameNotifications {
  const lanes = new BriefMap<RequestId | undefined, Lane>();
  // Over all lanes, sent and waiting.
  let count = 0;
  let chars = 0;
  let dropped = 0;

  const give = (related: RequestId | undefined, lane: Lane, { frame, chars: length }: Waiting) => {
    lane.sending++;
    const taken = () => {
      lane.sending--;
      count--;
      chars -= length;
      if (lanes.get(related) !== lane) return;
      const [next] = lane.waiting;
      if (next !== undefined && lane.sending < WINDOW) {
        lane.waiting.delete(next[0]);
        give(related, lane, next[1]);
      } else if (lane.sending === 0) lanes.delete(related);
      if (count === 0) report();
    };
    send(frame, related).then(taken, taken);
  };

  const drop = (method: string) => {
    if (dropped++ === 0) log({ level: "warning", message: `a peer takes too little; ${method} was dropped` });
  };
  const report = () => {
    if (dropped > 1) log({ level: "warning", message: `${dropped} notifications were dropped, as their peer took too little` });
    dropped = 0;
  };

  return {
    notify(message, source, related) {
      const { method } = message;
      let frame: Frame;
      try {
        frame = edited(message, source);
      } catch (error) {
        return log({ level: "error", message: `${method} could not be written`, error });
      }
      const open = lanes.get(related);
      const lane = open ?? { sending: 0, waiting: new Map<unknown, Waiting>() };
      const waits = lane.sending >= WINDOW;
      // Measuring costs, so what goes straight on is measured by its text alone.
      const next: Waiting = { frame, chars: frame.text?.length ?? (waits ? JSON.stringify(frame.message).length : 0) };
      const key = waits ? (subjectOf(message) ?? frame) : frame;
      const before = lane.waiting.get(key);
      const more = next.chars - (before?.chars ?? 0);
      const full = (before === undefined && count >= limits.maxQueuedFrames) || (chars > 0 && chars + more > limits.maxStreamChars);
      if (full && !LIST_CHANGED.test(method)) return drop(method);
      if (open === undefined) lanes.set(related, lane);
      if (before === undefined) count++;
      chars += more;
      if (waits) lane.waiting.set(key, next);
      else give(related, lane, next);
    },
    flush(related) {
      const lane = lanes.get(related);
      if (lane === undefined) return;
      const waiting = [...lane.waiting.values()];
      lane.waiting.clear();
      for (const next of waiting) give(related, lane, next);
    },
    clear() {
      lanes.clear();
    },
  };
}

/** What a notification is about, where the latest of its kind says all; `undefined` where each counts. */
function subjectOf({ method, params = {} }: NotificationMessage): string | undefined {
  if (LIST_CHANGED.test(method)) return method;
  if (method === "notifications/resources/updated") return JSON.stringify([method, params["uri"]]);
  return method === "notifications/progress" ? JSON.stringify([method, params["progressToken"]]) : undefined;
}
