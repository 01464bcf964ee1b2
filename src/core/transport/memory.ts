import { LocalError } from "../base/errors.ts";
import { cloneJson } from "../base/json.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import { checkOptions } from "../base/options.ts";
import { classify, type Message } from "../wire/message.ts";
import { newConnection } from "./connection.ts";
import { createInbox, DONE, type Inbox } from "./inbox.ts";
import { notJson } from "./transport-errors.ts";
import type { Arrival, PeerContext, Transport } from "./transport.ts";

interface MemoryPairOptions {
  readonly limits?: Partial<Limits>;
}

/**
 * Two transports in one process, each the other's peer. They behave as JSON text would: what arrives is a private copy without
 * `undefined` members, in order, and never within the call of `send`; what JSON cannot carry rejects with `not_json`, and a message that is
 * certain to have more than `maxMessageBytes` as text with `limit_exceeded` (a lower bound is counted, see `cloneJson`). What is no
 * message rejects with `invalid_message`: both ends are in this process, so the fault is its sender's, and the peer never sees it. A frame's `text`
 * goes along as it is. Past `maxQueuedFrames` unpulled frames `send` waits.
 */
export function memoryPair(options: MemoryPairOptions = {}): [Transport, Transport] {
  checkOptions(options, "the options of a pair", { limits: "an object" });
  const limits = resolveLimits(options.limits);
  const left = createInbox(limits.maxQueuedFrames);
  const right = createInbox(limits.maxQueuedFrames);
  return [memoryEnd(left, right, limits), memoryEnd(right, left, limits)];
}

function memoryEnd(own: Inbox, peer: Inbox, limits: Limits): Transport {
  // What the peer sees of us.
  const from: PeerContext = { transport: "memory", connection: newConnection("memory") };
  return {
    send(frame) {
      let arrival: Arrival;
      try {
        const message = checked(cloneJson(frame.message, limits.maxDepth, limits.maxMessageBytes));
        arrival = { frame: frame.text === undefined ? { message } : { message, text: frame.text }, from };
      } catch (thrown) {
        return Promise.reject(notJson(thrown));
      }
      return peer.put(arrival);
    },
    receive: () => own.receive(),
    close() {
      own.close();
      peer.end();
      return DONE;
    },
  };
}

// What the type promises, looked at: a program may have built the message from values of any type.
function checked(message: Message): Message {
  const classified = classify(message);
  if (classified.kind === "invalid") throw new LocalError("invalid_message", classified.error.message);
  return message;
}
