import { LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import type { Limits } from "../core/base/limits.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import type { Arrival, Transport } from "../core/transport/transport.ts";
import type { Frame } from "../core/wire/frame.ts";
import { isNotification, isRequest, type NotificationMessage, type RequestId } from "../core/wire/message.ts";
import { asLocalError, createFrameCalls, type FrameCall } from "./frame-calls.ts";
import { createFrameNotifications } from "./frame-notifications.ts";
import { createFrameRequests, type FrameRequest } from "./frame-requests.ts";

export interface FramePeerParts {
  readonly transport: Transport;
  readonly host: Host;
  readonly limits: Limits;
  readonly log: Log;
  /** How long answers may still take once a peer on a single channel has ended its side: it may still read them. Default 0. */
  readonly lingerMs?: number;
  /** Neither waits: what it throws is a defect. */
  onRequest(request: FrameRequest): void;
  /** All but cancellations and progress of requests of ours. */
  onNotification(frame: Frame, message: NotificationMessage, arrival: Arrival): void;
}

/**
 * JSON-RPC in both roles over one transport, as `createPeer`, for whoever passes messages on: they keep their source text, so that what nobody changes
 * goes out byte for byte. Ids and progress tokens on the wire are this side's own.
 */
export interface FramePeer {
  /**
   * Settles with the response, a result or an error; `synthetic` where the transport made it up. Rejects with a `LocalError`: `aborted`, `closed`,
   * `timeout`, `limit_exceeded`, `not_json`; `details.delivery` is `none` where the peer has certainly not seen it.
   */
  request(call: FrameCall): Promise<Arrival>;
  /** Never rejects, never waits; what a peer does not take is dropped beyond a bound, see `FrameNotifications`. */
  notify(message: NotificationMessage, source?: Frame, related?: RequestId): void;
  /** Settles once, after the end: with the reason, or with nothing where either side closed in peace. */
  readonly closed: Promise<LocalError | undefined>;
  close(why?: LocalError): Promise<void>;
  /** Lets answers that are on their way out, held by a guard perhaps, go first; then closes. */
  end(why?: LocalError): Promise<void>;
}

/** How long answers may take to leave. */
const FLUSH_MS = 5_000;
// Shared, as an error costs a stack, and a connection may last for one request.
const CLOSED = new LocalError("closed", "the connection is closed", { details: { delivery: "none" } });
const CUT_OFF = new LocalError("closed", "the connection is closed", { details: { delivery: "unknown" } });

export function createFramePeer({ transport, host, limits, log, lingerMs = 0, onRequest, onNotification }: FramePeerParts): FramePeer {
  let ended: LocalError | undefined;
  // Looks whether what is waited for has come.
  let onLess = () => {};
  let settleClosed!: (why: LocalError | undefined) => void;
  const closed = new Promise<LocalError | undefined>((resolve) => (settleClosed = resolve));

  const send = (frame: Frame, related?: RequestId): Promise<void> => {
    if (ended !== undefined) return Promise.reject(ended);
    return transport.send(frame, related === undefined ? undefined : { related });
  };
  const notifications = createFrameNotifications({ limits, log, send });
  // Nothing that has an id overtakes what was told before it in its lane.
  const sendBehind = (frame: Frame, related?: RequestId): Promise<void> => {
    notifications.flush(related);
    return send(frame, related);
  };
  const calls = createFrameCalls({ host, limits, send: sendBehind });
  const requests = createFrameRequests({ limits, log, send: sendBehind, onRequest, onLess: () => onLess() });

  const onNotified = (arrival: Arrival, message: NotificationMessage) => {
    const { params = {}, method } = message;
    if (method === "notifications/cancelled") {
      const id = params["requestId"];
      if (typeof id !== "string" && typeof id !== "number") return;
      // A server that shares one channel among its streams ends one so (2026-07-28, basic/patterns/cancellation).
      if (!requests.cancel(id, params["reason"])) calls.endSubscription(id);
    } else if (method === "notifications/progress") calls.progress(arrival.frame, message);
    else onNotification(arrival.frame, message, arrival);
  };

  const close = (why?: LocalError): Promise<void> => {
    if (ended === undefined) {
      // New calls certainly do not go out; of those that wait nobody knows.
      ended = why === undefined ? CLOSED : closedFor(why, "none");
      const unknown = why === undefined ? CUT_OFF : closedFor(why, "unknown");
      calls.rejectAll(unknown);
      requests.endAll(unknown);
      notifications.clear();
      onLess();
      void transport.close(why).then(() => settleClosed(why));
    }
    return closed.then(() => {});
  };

  /** Until it is so, for so long at most. */
  const until = async (isSo: () => boolean, ms: number): Promise<void> => {
    if (isSo() || ended !== undefined) return;
    let cancel = () => {};
    await new Promise<void>((resolve) => {
      cancel = host.setTimer(resolve, ms);
      onLess = () => (isSo() || ended !== undefined ? resolve() : undefined);
    });
    cancel();
  };
  const end = async (why?: LocalError): Promise<void> => {
    await until(() => requests.answering === 0, FLUSH_MS);
    await close(why);
  };

  // The peer has said all that it has to say, answers to our questions among it. Over HTTP the way back has ended too.
  const linger = async () => {
    calls.rejectAll(CUT_OFF);
    if (lingerMs > 0 && requests.onChannel) await until(() => requests.size === 0, lingerMs);
    await end();
  };

  const pump = async () => {
    for (;;) {
      const arrival = await transport.receive();
      if (arrival === undefined || ended !== undefined) return;
      const { message } = arrival.frame;
      if (isRequest(message)) requests.accept(arrival, message);
      else if (isNotification(message)) onNotified(arrival, message);
      else calls.settle(message.id, arrival);
    }
  };
  pump().then(linger, (thrown: unknown) => close(asLocalError(thrown, "unknown")));

  return {
    request: (call) => (ended === undefined ? calls.request(call) : Promise.reject(ended)),
    notify: notifications.notify,
    closed,
    close,
    end,
  };
}

function closedFor(why: LocalError, delivery: "none" | "unknown"): LocalError {
  return new LocalError("closed", `the connection is closed: ${why.message}`, { details: { delivery }, cause: why });
}
