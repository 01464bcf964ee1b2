import { LocalError } from "../core/base/errors.ts";
import { cloneJson } from "../core/base/json.ts";
import { resolveLimits, type Limits } from "../core/base/limits.ts";
import { checkOptions, type OptionTable } from "../core/base/options.ts";
import { newConnection } from "../core/transport/connection.ts";
import { readHandedOver, standIns } from "../core/transport/handed-over.ts";
import { createInbox, DONE } from "../core/transport/inbox.ts";
import { closedError, notJson } from "../core/transport/transport-errors.ts";
import type { PeerContext, Transport } from "../core/transport/transport.ts";
import { decodeFrame, errorFrame } from "../core/wire/frame.ts";

/** What we need of a `MessagePort`, a `Worker` or a worker's global scope: of browsers, Deno, Bun and `node:worker_threads` alike. */
export interface PortLike {
  postMessage(message: unknown): void;
  addEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void;
  removeEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void;
  /** Ports start when told to; workers have started already. */
  start?(): void;
  close?(): void;
  terminate?(): unknown;
}

/** How messages come over a port. */
export interface PortOptions {
  readonly limits?: Partial<Limits>;
  /** Told of everything that came and was no message. What it throws is ignored. */
  readonly onNoise?: (why: string) => void;
}

const OPTIONS: OptionTable<PortOptions> = { limits: "an object", onNoise: "a function" };

// A port has no end that its peer could see everywhere, so we say goodbye in a form that is no message.
const GOODBYE = null;

/**
 * MCP over a message port: each message is posted as one object, and arrives as a structured clone. An arrival is read as text would be: what is no plain
 * JSON, or no message, is reported and dropped, and what answers a request of ours becomes an error response. Ports have no
 * back-pressure: more than `maxQueuedFrames` arrivals that nobody pulls end the connection with `limit_exceeded`.
 */
export function portTransport(port: PortLike, options: PortOptions = {}): Transport {
  checkOptions(options, "the options of a port", OPTIONS);
  const limits = resolveLimits(options.limits);
  const inbox = createInbox(limits.maxQueuedFrames);
  const from: PeerContext = { transport: "port", connection: newConnection("port") };
  let closed = false;

  const report = (why: string) => {
    try {
      options.onNoise?.(why);
    } catch {
      // An observer's fault is no reason to lose the connection.
    }
  };

  const onMessage = ({ data }: { readonly data?: unknown }) => {
    if (data === GOODBYE) return end();
    // Some peers post text.
    const { frame, invalid } = typeof data === "string" ? decodeFrame(data, limits) : readHandedOver(data, limits);
    if (inbox.size() >= limits.maxQueuedFrames) {
      return end(new LocalError("limit_exceeded", `more than limits.maxQueuedFrames (${limits.maxQueuedFrames}) messages came that nobody pulled`));
    }
    if (frame !== undefined) return void inbox.put({ frame, from });
    report(invalid.error.message);
    const { id, answers, error } = invalid;
    for (const arrival of standIns(invalid, from)) void inbox.put(arrival);
    if (id !== undefined && answers !== true) port.postMessage(errorFrame(id, error).message);
  };
  const onMessageError = () => report("what came could not be cloned");
  const onClose = () => end();

  const end = (error?: LocalError) => {
    port.removeEventListener("message", onMessage);
    port.removeEventListener("messageerror", onMessageError);
    port.removeEventListener("close", onClose);
    inbox.end(error);
  };

  port.addEventListener("message", onMessage);
  port.addEventListener("messageerror", onMessageError);
  port.addEventListener("close", onClose);
  port.start?.();

  return {
    send(frame) {
      if (closed || inbox.isEnded()) return Promise.reject(closedError());
      try {
        port.postMessage(cloneJson(frame.message, limits.maxDepth, limits.maxMessageBytes));
        return DONE;
      } catch (thrown) {
        return Promise.reject(notJson(thrown));
      }
    },
    receive: () => inbox.receive(),
    close() {
      if (closed) return DONE;
      closed = true;
      end();
      inbox.close();
      try {
        port.postMessage(GOODBYE);
        if (port.close !== undefined) port.close();
        else port.terminate?.();
      } catch {
        // A port that is gone needs no goodbye.
      }
      return DONE;
    },
  };
}
